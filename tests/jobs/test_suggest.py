"""A suggested command can be pasted: it names its store unless it would look there anyway."""

import shlex

import pytest

from jobs.suggest import DEFAULT_STORE, command


@pytest.fixture(autouse=True)
def no_store(monkeypatch):
    monkeypatch.delenv("MIEN_STORE", raising=False)


def test_the_default_store_is_not_named():
    assert command("errors", "laptop", DEFAULT_STORE, "--group") == "mien errors laptop --group"


def test_another_store_is_named_and_quoted():
    store = "s3://bucket/a b?endpoint_url=http://127.0.0.1:1&checksums=when_required"
    told = command("report", "laptop", store)
    assert shlex.split(told) == ["mien", "report", "laptop", "--store", store]


def test_the_default_store_is_named_where_the_environment_names_another(monkeypatch):
    monkeypatch.setenv("MIEN_STORE", "elsewhere")
    assert command("watch", "laptop", DEFAULT_STORE) == f"mien watch laptop --store {DEFAULT_STORE}"
