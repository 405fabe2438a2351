"""A checkpoint is named by what is read of it; what could run code is never read."""

import json
import shutil
from pathlib import Path

import pytest
from asking import drawn, model, requests

from actors.diffusers_files import hub_pipeline, pipeline_files
from engine.errors import ModelError


@pytest.fixture
def copy(random_sd, tmp_path):
    """The checkpoint, to be changed."""
    return Path(shutil.copytree(random_sd, tmp_path / "random-sd"))


def rewritten(file, change):
    file.write_text(json.dumps(change(json.loads(file.read_text()))))


def test_an_id_names_the_weights_and_then_everything_that_is_read(random_sd, copy):
    files = pipeline_files(random_sd)
    assert files.pipeline == "StableDiffusionPipeline"
    assert (pipeline_files(copy).id, files.name) == (files.id, "random-sd")
    (copy / "README.md").write_text("read me")
    (copy / "unet" / "notes.md").write_text("and me")
    assert pipeline_files(copy).id == files.id
    rewritten(copy / "scheduler" / "scheduler_config.json", lambda config: {**config, "beta_end": 0.02})
    weights, _, rest = pipeline_files(copy).id.partition(".")
    assert weights == files.id.partition(".")[0]
    assert rest != files.id.partition(".")[2]
    with (copy / "unet" / "diffusion_pytorch_model.safetensors").open("ab") as file:
        file.write(b"\0")
    assert pipeline_files(copy).id.partition(".")[0] != weights


def test_a_tokenizer_is_part_of_the_id(random_sd, copy):
    with (copy / "tokenizer" / "tokenizer.json").open("a") as file:
        file.write("\n")
    assert pipeline_files(copy).id != pipeline_files(random_sd).id


def test_weights_that_are_only_there_in_half_precision_are_read(random_sd, copy):
    for file in copy.glob("*/*.safetensors"):
        file.rename(file.with_suffix(".fp16.safetensors"))
    assert pipeline_files(copy).variant == "fp16"
    assert (drawn(model(copy, batch=1), requests(1))[0] == drawn(model(random_sd, batch=1), requests(1))[0]).all()


def test_pickled_weights_are_refused_with_the_way_out(copy):
    weights = copy / "unet" / "diffusion_pytorch_model.safetensors"
    weights.rename(weights.with_suffix(".bin"))
    with pytest.raises(ModelError, match=r"unet are no \.safetensors.*save_pretrained"):
        pipeline_files(copy)


@pytest.mark.parametrize("part", ["model_index.json", "unet"])
def test_what_is_missing_is_named(copy, part):
    shutil.rmtree(copy / part) if (copy / part).is_dir() else (copy / part).unlink()
    with pytest.raises(ModelError, match=part):
        pipeline_files(copy)


def test_a_damaged_file_is_an_error_of_the_model_and_not_of_a_unit(copy):
    (copy / "unet" / "config.json").write_text("{")
    with pytest.raises(ModelError, match="random-sd cannot be loaded"):
        model(copy)


def test_code_of_a_checkpoints_own_is_not_run(copy):
    """Neither a pipeline nor a component in a Python file beside the weights, nor one of some other installed package."""
    (copy / "mine.py").write_text("raise SystemExit('ran')")
    (copy / "unet" / "mine.py").write_text("raise SystemExit('ran')")
    rewritten(copy / "model_index.json", lambda index: {**index, "unet": ["mine", "UNet"]})
    with pytest.raises(ModelError, match="The unet of random-sd is made by mine"):
        model(copy)
    rewritten(copy / "model_index.json", lambda index: {**index, "unet": ["subprocess", "Popen"]})
    with pytest.raises(ModelError, match="made by subprocess"):
        model(copy)
    rewritten(copy / "model_index.json", lambda index: {**index, "_class_name": ["mine", "Pipeline"]})
    with pytest.raises(ModelError, match="Code that comes with a checkpoint is not run"):
        model(copy)


def test_a_pipeline_that_this_diffusers_lacks_is_named(copy):
    rewritten(copy / "model_index.json", lambda index: {**index, "_class_name": "PipelineOfTomorrow"})
    with pytest.raises(ModelError, match="has no pipeline PipelineOfTomorrow"):
        model(copy)


def test_a_hubs_commit_is_its_id_and_nothing_is_hashed(random_sd, tmp_path, monkeypatch):
    commit = "0123456789abcdef0123456789abcdef01234567"
    shutil.copytree(random_sd, tmp_path / "models--some--sd" / "snapshots" / commit)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert hub_pipeline("some/sd", commit).id == f"some/sd@{commit}"
    with pytest.raises(ModelError, match="not in the model cache"):
        hub_pipeline("other/sd", commit)
