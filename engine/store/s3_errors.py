"""What a failed S3 request means: nothing there, taken, worth trying again, or never going to work (STORAGE, rule 2).

Messages hold the error's code and our own words only: servers repeat keys, signed headers and account numbers in theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from engine.errors import Missing, StoreError, StoreUnusable


class Passing(StoreError):
    """A failure that may be over soon: the request is sent again."""


class Refused(Passing):
    """Nothing listens at the server's address: it is wrong, or the server is not up."""


class SlowedDown(Passing):
    """The server is busy: fewer requests at once would help it."""


class Taken(StoreError):
    """Something stands under that name already, perhaps what an earlier try of the same request wrote."""


class EmptyRange(StoreError):
    """No byte lies in the range that was asked for."""


_CREDENTIALS = "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or the profile, or the machine's role); they must belong to this server."
_PERMISSIONS = "Its credentials need s3:ListBucket on the bucket and s3:GetObject, s3:PutObject and s3:DeleteObject on what is in it."
_REGION = "Give the bucket's own region: s3://bucket/prefix?region=..."
_CONDITION = "Choose a server that has PutObject with If-None-Match (Amazon S3, SeaweedFS, MinIO, Ceph, R2), or a folder."
_CHECKSUMS = "If the server does not know the newer checksum headers, add checksums=when_required to the URI."
_FULL = "Free some space or choose another --store, then run the same command again; finished work is kept."

_REMEDIES = {
    "AccessDenied": _PERMISSIONS,
    "AllAccessDisabled": _PERMISSIONS,
    "403": _PERMISSIONS,
    "Forbidden": _PERMISSIONS,
    "401": _CREDENTIALS,
    "InvalidAccessKeyId": _CREDENTIALS,
    "SignatureDoesNotMatch": _CREDENTIALS,
    "InvalidToken": _CREDENTIALS,
    "ExpiredToken": "The credentials have expired: renew them, then run the same command again; finished work is kept.",
    "RequestTimeTooSkewed": "This machine's clock is wrong by more than the server allows: set it (NTP).",
    "NoSuchBucket": "Create the bucket, or correct its name in --store.",
    "InvalidBucketName": "Correct the bucket's name in --store.",
    "PermanentRedirect": _REGION,
    "301": _REGION,
    "AuthorizationHeaderMalformed": _REGION,
    "IllegalLocationConstraintException": _REGION,
    "NotImplemented": _CONDITION,
    "501": _CONDITION,
    "MethodNotAllowed": _CONDITION,
    "InvalidRequest": _CHECKSUMS,
    "InvalidArgument": _CHECKSUMS,
    "MalformedTrailerError": _CHECKSUMS,
    "XAmzContentSHA256Mismatch": _CHECKSUMS,
    "XAmzContentChecksumMismatch": _CHECKSUMS,
    "EntityTooLarge": "Use a smaller shard_size.",
    "QuotaExceeded": _FULL,
    "InsufficientStorage": _FULL,
    "507": _FULL,
}

_SLOWER = frozenset({"SlowDown", "Throttling", "ThrottlingException", "TooManyRequests"})
_PASSING_CODES = frozenset({"RequestTimeout", "BadDigest", "IncompleteBody", "OperationAborted", *_SLOWER})


@contextmanager
def s3_errors(place: str, name: str) -> Iterator[None]:
    """Turn what boto3 raises into Missing, Taken, EmptyRange, Passing or StoreUnusable."""
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError
    from urllib3.exceptions import HTTPError

    try:
        yield
    except ClientError as error:
        raise _refusal(error.response, place, name) from None
    except (ResponseParserError, HTTPError) as error:
        raise Passing(f"its reply was cut off or damaged ({type(error).__name__})") from None
    except BotoCoreError as error:
        raise _without_reply(error, place) from None


def _refusal(response: dict[str, Any], place: str, name: str) -> StoreError:
    """The meaning of an error reply, from its status and code."""
    code = str(response.get("Error", {}).get("Code", ""))[:60]
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    if status == 412:
        return Taken(f"There is a {name} in the store {place} already.")
    if status == 416:
        return EmptyRange(f"{name} has no byte in that range.")
    if code == "NoSuchKey":
        return Missing(f"There is no {name} in the store {place}.")
    # A 404 without that code is the word of something between us and the store: it does not prove that a file is not there.
    if code not in _REMEDIES and (status >= 500 or status in (404, 408, 409, 425, 429) or code in _PASSING_CODES):
        kind = SlowedDown if status in (429, 503) or code in _SLOWER else Passing
        return kind(f"it answered {code or 'nothing readable'} ({status})")
    remedy = _REMEDIES.get(code) or _REMEDIES.get(str(status)) or "Check the URI of --store, and the server's own log."
    return StoreUnusable(f"The store {place} refused {name}: {code} ({status}).", remedy=remedy)


def _without_reply(error: Exception, place: str) -> StoreError:
    """The meaning of a request that got no whole reply, or was never sent."""
    from botocore import exceptions

    kind = type(error).__name__
    if isinstance(error, (exceptions.NoCredentialsError, exceptions.PartialCredentialsError, exceptions.NoAuthTokenError)):
        return StoreUnusable(
            f"No credentials were found for the store {place}.",
            remedy="Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the machine a role.",
        )
    if isinstance(error, exceptions.SSLError) and "CERTIFICATE_VERIFY_FAILED" in str(error):
        return StoreUnusable(
            f"The certificate of the store {place} is not trusted.", remedy="Set AWS_CA_BUNDLE to the file of its authority."
        )
    if isinstance(error, (exceptions.EndpointConnectionError, exceptions.ConnectTimeoutError)):
        return _unreachable(error)
    passing = (
        exceptions.HTTPClientError,  # closed connections, read timeouts, streams cut off
        exceptions.ConnectionError,
        exceptions.IncompleteReadError,
        exceptions.ChecksumError,
        exceptions.FlexibleChecksumError,
        exceptions.CredentialRetrievalError,
        exceptions.MetadataRetrievalError,
    )
    if isinstance(error, passing):
        return Passing(f"it gave no whole reply ({kind})")
    return StoreUnusable(f"The store {place} cannot be used: {kind}.", remedy=_CREDENTIALS if "Token" in kind or "SSO" in kind else _REGION)


def _unreachable(error: Any) -> Passing:
    """The meaning of a connection that could not be made."""
    parts = urlsplit(str(error.kwargs.get("endpoint_url", "")))
    server = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"  # not the key that was asked for, nor a user
    cause: BaseException | None = error.kwargs.get("error")
    while cause is not None and not isinstance(cause, ConnectionRefusedError):
        cause = cause.__cause__
    return (Refused if cause else Passing)(f"it cannot be reached at {server}")
