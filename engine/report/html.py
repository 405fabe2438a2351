"""How a report's pages are made: templates with every text escaped, one style sheet allowed by its hash, images, and no script at all."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from engine.report.wording import count, counted, figure, first_upper, share, task_label


def rendered(template: str, **values: Any) -> str:
    """A page of `templates/`, with the style sheet inside it."""
    environment = Environment(
        loader=PackageLoader("engine.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(count=count, counted=counted, figure=figure, share=share, task=task_label, first_upper=first_upper)
    style = files("engine.report").joinpath("templates", "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
    return environment.get_template(template).render(style=Markup(style), policy=policy, **values)  # the style is ours, not a user's
