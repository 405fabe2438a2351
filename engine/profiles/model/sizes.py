"""How much is asked of a model for one person, and in how large pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from engine.errors import ConfigError
from engine.keys import Json
from engine.records import CATEGORIES


@dataclass(frozen=True, slots=True)
class Sizes:
    """VPTT's: 30 scenarios and captions. The pieces are small enough for a model of 135M parameters, and no loss to a large one: the
    calls of a person begin with the same words.

    A person with fewer than `least` captions (half), or half of the elements, is rejected. Raises ConfigError for sizes that cannot be.
    """

    elements: int = 6
    """Asked for in each category."""
    captions: int = 30
    least: int = 15
    moments_together: int = 3
    captions_together: int = 1
    repairs: int = 2
    """Rounds in which what was refused is asked for again."""

    def __post_init__(self) -> None:
        if not (1 <= self.least <= self.captions and min(self.elements, self.moments_together, self.captions_together) > 0):
            raise ConfigError(
                "people: the sizes of a person cannot be.", remedy="Ask for at least one of each, and for no less than `least`."
            )
        if self.repairs < 0:
            raise ConfigError(f"people: {self.repairs} repairs.", remedy="Use 0 or more.")

    @property
    def least_elements(self) -> int:
        """Without as many in all the person is rejected."""
        return self.elements * len(CATEGORIES) // 2

    def recipe(self, *names: str) -> dict[str, Json]:
        """Those of `names` (none: all), for a fingerprint."""
        return {name: value for name, value in asdict(self).items() if name in names or not names}

    @classmethod
    def of(cls, recipe: Mapping[str, int]) -> Sizes:
        """Back from a plan."""
        return cls(**recipe)
