"""From a URI to a backend: what would make a folder by mistake is refused."""

import pytest

from engine.errors import UsageError
from engine.store.folder import FolderBackend
from engine.store.opening import open_backend


@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("s3:/mien/lab", r"did you mean s3://mien/lab\?"),
        ("file:/data/store", r"did you mean file:///data/store\?"),
        ("s3:/", "cannot be an S3 bucket"),
        ("gs:/bucket/lab", "unknown scheme 'gs'"),
        ("~nobody-has-this-name/store", "no home folder"),
        (" ", "--store is empty"),
    ],
)
def test_what_was_meant_otherwise_makes_no_folder(uri, says):
    with pytest.raises(UsageError, match=says):
        open_backend(uri)


def test_a_credential_is_not_repeated_in_what_was_meant():
    with pytest.raises(UsageError) as caught:
        open_backend("s3:/AKIAHIDDEN:hidden@bucket/lab")
    assert "hidden" not in str(caught.value).lower()


@pytest.mark.parametrize("path", ["C:/mien/lab", "c:/mien/lab", "./s3:/mien/lab", "a:b", "store"])
def test_a_folder_may_be_on_a_drive_and_have_a_colon(path):
    assert isinstance(open_backend(path), FolderBackend)
