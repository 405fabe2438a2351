"""What a prompt says of a scene, read from MiniLM's token states: for each attribute the shares of its classes, as one vector.

A learned query an attribute looks at all pieces of the text; what it gathers is weighed against each class, and the classes' codes are
mixed by those shares. So every word has a say, also one that no caption of the training held: it means what is near it in MiniLM.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from diffusers import ConfigMixin, ModelMixin
from diffusers.configuration_utils import register_to_config
from torch import Tensor, nn
from torch.nn import functional


class PromptReader(ModelMixin, ConfigMixin):  # type: ignore[misc]
    """Token states of a text (pieces, `states`) to (attributes, code): `classes` says how many classes each attribute has."""

    @register_to_config  # type: ignore[untyped-decorator]
    def __init__(self, classes: Sequence[int], code: int, states: int = 384, width: int = 96, heads: int = 4) -> None:
        super().__init__()
        self.queries = nn.Parameter(torch.randn(len(classes), width))
        self.norm = nn.LayerNorm(states)
        self.key = nn.Linear(states, width)
        self.value = nn.Linear(states, width)
        self.mix = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.out = nn.LayerNorm(width)
        self.weigh = nn.Parameter(torch.randn(len(classes), max(classes), width) * 0.05)
        self.codes = nn.Parameter(torch.zeros(len(classes), max(classes), code), requires_grad=False)

    def scores(self, states: Tensor, mask: Tensor) -> Tensor:
        """(n, pieces, states) and which pieces are a text's own (n, pieces) to (n, attributes, most classes), -inf beyond the classes."""
        n, pieces, _ = states.shape
        normed = self.norm(states)
        keys, values = (layer(normed).view(n, pieces, self.config.heads, -1).transpose(1, 2) for layer in (self.key, self.value))
        queries = self.queries.view(1, len(self.queries), self.config.heads, -1).transpose(1, 2).expand(n, -1, -1, -1)
        seen = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask[:, None, None])
        seen = seen.transpose(1, 2).reshape(n, len(self.queries), -1)
        scores = torch.einsum("naw,acw->nac", self.out(seen + self.mix(seen)), self.weigh)
        exists = torch.arange(scores.shape[2], device=scores.device) < torch.tensor(self.config.classes, device=scores.device)[:, None]
        return scores.masked_fill(~exists, float("-inf"))

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(n, attributes, code)."""
        return torch.einsum("nac,acw->naw", self.scores(states, mask).softmax(2), self.codes)

    @torch.no_grad()
    def read(self, states: Sequence[Tensor]) -> Tensor:
        """(n, attributes, code) of n texts, each by itself: what it says is the same bits whatever the others are."""
        alone = [each[None].to(self.dtype) for each in states]
        return torch.cat([self(each, torch.ones(each.shape[:2], dtype=torch.bool, device=each.device)) for each in alone])
