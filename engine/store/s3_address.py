"""The URI of an S3 store: where it is, never who may use it (STORAGE, rule 10).

    s3://bucket[/prefix][?endpoint_url=http://127.0.0.1:8333&region=us-east-1&checksums=when_required&addressing=path]

Credentials come from where boto3 finds them: environment, profile, or the role of the machine.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from engine.errors import UsageError
from engine.nearest import did_you_mean

CHECKSUMS = ("when_supported", "when_required")
ADDRESSING = ("path", "virtual", "auto")
OPTIONS = ("endpoint_url", "region", "checksums", "addressing")

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._=@+-]*")
_REGION = re.compile(r"[a-z0-9-]{1,40}")
_KEY = re.compile(r"[a-z_]{1,24}")
_EXAMPLE = "Write s3://bucket/prefix, for another server s3://bucket/prefix?endpoint_url=https://host:port"
_NO_CREDENTIALS = "Take them out of the URI and give them as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the machine's role."


@dataclass(frozen=True)
class S3Address:
    """A bucket, a prefix in it ("" or without slashes at its ends), and the server that holds it ("" for Amazon's own)."""

    bucket: str
    prefix: str = ""
    endpoint_url: str = ""
    region: str = ""
    checksums: str = CHECKSUMS[0]
    addressing: str = ""

    @classmethod
    def parse(cls, uri: str) -> S3Address:
        """Read a URI. Raises UsageError, which never repeats a credential."""
        try:
            parts = urlsplit(uri)
        except ValueError:
            raise UsageError("The s3:// store URI cannot be read.", remedy=f"{_EXAMPLE}.") from None
        if "@" in parts.netloc:
            raise UsageError("The s3:// store URI holds credentials.", remedy=_NO_CREDENTIALS)
        if parts.fragment or ":" in parts.netloc:
            raise UsageError(f"The store s3://{parts.netloc} is no bucket with a prefix.", remedy=f"{_EXAMPLE}.")
        return cls(_checked_bucket(parts.netloc), _checked_prefix(parts.path), **_options(parts.query))

    @property
    def uri(self) -> str:
        """The URI that names the same store on any node."""
        given = [(name, getattr(self, name)) for name in OPTIONS]
        usual = {"checksums": CHECKSUMS[0], "addressing": self._usual_addressing}
        query = urlencode([(name, value) for name, value in given if value and value != usual.get(name)], safe=":/")
        return self.place + (f"?{query}" if query else "")

    @property
    def _usual_addressing(self) -> str:
        """Names of buckets rarely resolve on servers other than Amazon's."""
        return "path" if self.endpoint_url else "auto"

    @property
    def place(self) -> str:
        """s3://bucket/prefix, for people."""
        return f"s3://{self.bucket}" + (f"/{self.prefix}" if self.prefix else "")

    def located(self) -> S3Address:
        """The same with the endpoint and region that boto3 finds in the environment or profile, so that every node opens the same store."""
        configured = "" if self.endpoint_url else _configured_endpoint()
        endpoint = self.endpoint_url or (_checked_endpoint(configured) if configured else "")
        region = self.region or _configured_region() or ("us-east-1" if endpoint else "")
        located = replace(self, endpoint_url=endpoint, region=region)
        return replace(located, addressing=self.addressing or located._usual_addressing)


def _options(query: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if re.search(r"key|secret|token|password|credential|signature", key, re.IGNORECASE):
            raise UsageError("The s3:// store URI holds credentials.", remedy=_NO_CREDENTIALS)
        if key not in OPTIONS:
            shown = key if _KEY.fullmatch(key) else "?"
            raise UsageError(f"The s3:// store URI has no option '{shown}'{did_you_mean(shown, OPTIONS)}.")
        if key in options:
            raise UsageError(f"The s3:// store URI gives {key} twice.")
        options[key] = value
    for key, allowed in (("checksums", CHECKSUMS), ("addressing", ADDRESSING)):
        if key in options and options[key] not in allowed:
            raise UsageError(f"The s3:// store URI gives an unknown {key}{did_you_mean(options[key][:24], allowed)}.")
    if "region" in options and not _REGION.fullmatch(options["region"]):
        raise UsageError("The region in the s3:// store URI is none.", remedy="Give one such as region=us-east-1.")
    if "endpoint_url" in options:
        options["endpoint_url"] = _checked_endpoint(options["endpoint_url"])
    return options


def _checked_bucket(bucket: str) -> str:
    if not _BUCKET.fullmatch(bucket) or ".." in bucket:
        raise UsageError(
            f"'{bucket[:64]}' cannot be an S3 bucket.",
            remedy=f"Names have 3 to 63 lower-case letters, digits, dots and dashes. {_EXAMPLE}.",
        )
    return bucket


def _checked_prefix(path: str) -> str:
    prefix = path.strip("/")
    if prefix and not all(_PREFIX_PART.fullmatch(part) for part in prefix.split("/")):
        raise UsageError(
            "The prefix in the s3:// store URI has unsafe characters.", remedy="Use letters, digits and any of . _ = @ + - in it."
        )
    if len(prefix) > 512:
        raise UsageError("The prefix in the s3:// store URI is longer than 512 characters.", remedy="Use a shorter one.")
    return prefix


def _checked_endpoint(url: str) -> str:
    remedy = "Give one such as endpoint_url=https://host:port."
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise UsageError("The endpoint of the S3 store cannot be read.", remedy=remedy) from None
    if "@" in parts.netloc:
        raise UsageError("The endpoint of the S3 store holds credentials.", remedy=_NO_CREDENTIALS)
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise UsageError("The endpoint of the S3 store is no http(s) address.", remedy=remedy)
    return url.rstrip("/")


def _configured_endpoint() -> str:
    """What boto3 would use instead of Amazon's own address; "" if nothing is configured.

    Asked by comparing two clients: boto3 has no public call for it.
    """
    from botocore.config import Config

    mine = session()
    region = _configured_region() or "us-east-1"

    def address(ignore: bool) -> str:
        client: Any = mine.create_client("s3", region_name=region, config=Config(ignore_configured_endpoint_urls=ignore))
        try:
            return str(client.meta.endpoint_url)
        finally:
            client.close()

    configured = address(False)
    return "" if configured == address(True) else configured


def _configured_region() -> str:
    """boto3 itself heeds only AWS_DEFAULT_REGION; other tools of Amazon set AWS_REGION."""
    region = os.environ.get("AWS_REGION") or session().get_config_variable("region") or ""
    return region if _REGION.fullmatch(region) else ""


def session() -> Any:
    """A session of boto3's core for the caller alone: the shared one is not thread-safe. Raises UsageError.

    What AWS's services look like is read once: with that a further client costs 13 ms, not 80.
    """
    from botocore.exceptions import BotoCoreError
    from botocore.session import Session

    mine = Session()
    mine.register_component("data_loader", _loader())
    try:
        mine.get_scoped_config()
    except BotoCoreError as error:
        raise UsageError(
            f"The AWS configuration cannot be used: {type(error).__name__}.", remedy="Check AWS_PROFILE and ~/.aws/config."
        ) from None
    return mine


@lru_cache(maxsize=1)
def _loader() -> Any:
    from botocore.loaders import create_loader

    return create_loader(os.environ.get("AWS_DATA_PATH"))
