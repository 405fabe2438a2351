"""API keys: read from the environment when a client is made, sent in headers, shown nowhere."""

from __future__ import annotations

import ipaddress
import os
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from engine.errors import ConfigError
from engine.writer_config import Endpoint

Provider = Literal["openai", "anthropic"]

USUAL_KEY: dict[Provider, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
OWN_URL: dict[Provider, str] = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com/v1"}
ANTHROPIC_VERSION = "2023-06-01"


def base_url(endpoint: Endpoint, provider: Provider) -> str:
    """Where paths such as /models begin, without a slash at its end."""
    return endpoint.base_url or OWN_URL[provider]


def key_variable(endpoint: Endpoint, provider: Provider) -> str:
    """The environment variable that holds the key."""
    return endpoint.key_env or USUAL_KEY[provider]


def read_key(endpoint: Endpoint, provider: Provider) -> str:
    """The API key; empty only for an address on this machine whose variable is not set. Raises ConfigError naming the variable."""
    variable = key_variable(endpoint, provider)
    key = os.environ.get(variable, "").strip()
    if not key and not is_loopback(base_url(endpoint, provider)):
        raise ConfigError(
            f"The environment variable {variable} is not set, and {urlsplit(base_url(endpoint, provider)).hostname} wants an API key.",
            remedy=f"Set {variable} where the workers run, or name another variable in the writer's endpoint.key_env.",
            code="api-key",
        )
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"{variable} holds characters that no HTTP header can carry.", remedy="Set it again.", code="api-key")
    return key


def headers(provider: Provider, key: str) -> dict[str, str]:
    """The headers that prove who asks."""
    if provider == "anthropic":
        return {"anthropic-version": ANTHROPIC_VERSION} | ({"x-api-key": key} if key else {})
    return {"authorization": f"Bearer {key}"} if key else {}


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def proxy(url: str) -> str | None:
    """The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name for an address; never one for this machine."""
    # Not aiohttp's `trust_env`: that would also take a user and password from ~/.netrc and send them beside the key.
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.netloc):
        return None
    return getproxies().get(parts.scheme)
