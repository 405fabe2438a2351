"""Python and the packages that results and the cluster depend on."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from jobs.doctor.finding import Finding

TOLD = ("mien", "ray", "torch", "pyarrow", "numpy", "boto3")
"""Packages whose versions are told, and compared across nodes."""

OLDEST = (3, 11)


def installed(package: str) -> str:
    """A package's version; "" if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def versions() -> dict[str, str]:
    """Python's version and those of `TOLD`."""
    return {"python": platform.python_version(), **{package: installed(package) for package in TOLD}}


def check_packages() -> list[Finding]:
    """What is installed, and what mien's own requirements miss."""
    told = ", ".join(f"{package} {number or 'not installed'}" for package, number in versions().items())
    found = [Finding("packages", "ok", told)]
    if sys.version_info < OLDEST:
        found.append(Finding("packages", "fail", f"Python {platform.python_version()} is too old.", "Use Python 3.11 or later."))
    for requirement in _required():
        have = installed(requirement.name)
        if not have:
            found.append(_unmet(f"{requirement.name} is not installed."))
        elif not requirement.specifier.contains(have, prereleases=True):
            found.append(_unmet(f"{requirement.name} {have} is installed, mien needs {requirement.specifier}."))
    if not installed("torch"):
        remedy = "Run `pip install 'mien[laptop]'`, or use encoder: tiny-trigrams to rehearse."
        found.append(Finding("packages", "warn", "torch is not installed, so no model runs here.", remedy))
    return found


def _required() -> list[Requirement]:
    """What mien needs without its extras."""
    try:
        every = [Requirement(text) for text in requires("mien") or ()]
    except PackageNotFoundError:
        return []
    return [each for each in every if each.marker is None or each.marker.evaluate({"extra": ""})]


def _unmet(says: str) -> Finding:
    return Finding("packages", "fail", says, "Run `pip install --upgrade mien` in this environment.")
