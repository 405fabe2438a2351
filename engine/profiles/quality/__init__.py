"""Whether people deserve trust: figures of captions, elements and embeddings, each beside its band (VPTT, "Quality of people")."""

from engine.profiles.quality.bands import Allowance, Band, Figure, Judged, judge
from engine.profiles.quality.measuring import measure_corpus, measure_embeddings
from engine.profiles.quality.standard import BANDS, exceptions_for

__all__ = ["BANDS", "Allowance", "Band", "Figure", "Judged", "exceptions_for", "judge", "measure_corpus", "measure_embeddings"]
