"""Dependencies point one way: jobs -> actors -> engine; engine knows no cluster and no model library (ARCHITECTURE, Folders)."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FORBIDDEN = {
    "engine": {"actors", "jobs", "ray", "vllm", "diffusers", "faiss", "transformers"},
    "actors": {"jobs", "ray"},
    "jobs": set(),
}
TORCH_ALLOWED = {"engine/metrics/differentiable.py"}
"""The differentiable score, and nothing that the CLI imports."""


def imports(source: str) -> set[str]:
    """Top-level packages that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("package", FORBIDDEN)
def test_a_package_imports_only_what_lies_below_it(package):
    files = modules(package)
    assert files
    for path in files:
        assert not imports(path.read_text()) & FORBIDDEN[package], path


def test_torch_stands_only_in_the_differentiable_score():
    for path in modules("engine"):
        if path.relative_to(ROOT).as_posix() not in TORCH_ALLOWED:
            assert "torch" not in imports(path.read_text()), path


def test_the_check_sees_imports_inside_functions():
    assert imports("def f():\n    from ray import data\n    import torch.nn\n") == {"ray", "torch"}


def test_no_file_is_long():
    for package in FORBIDDEN:
        for path in modules(package):
            assert len(path.read_text().splitlines()) <= 400, path
