"""Words of foreign errors without credentials and without what differs from machine to machine (STORAGE, rule 10)."""

from __future__ import annotations

import re

_READ = 10_000
"""Characters that are looked at: some errors hold a whole request."""

_SECRETS = re.compile(
    r"""
    (?<=://) [^/\s]+ (?=@)                                          # user:password in a URL
    | \b (?: hf_ | api_org_ | gh[pousr]_ ) [A-Za-z0-9]{10,}         # Hugging Face, GitHub
    | \b (?: github_pat_ | glpat- | xox[abps]- ) [\w-]{10,}
    | \b sk- [\w-]{10,}                                             # OpenAI, Anthropic and servers that speak their protocol
    | \b (?: AKIA | ASIA ) [A-Z0-9]{12,}
    | \b AIza [\w-]{20,}
    | \b eyJ [\w-]{10,300} \. [\w.-]+                               # JSON web tokens
    | (?<= \b bearer \s ) [\w.~+/=-]{16,}
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NAMED = re.compile(
    r"""
    ( (?: api | access | secret | private ) [_-]? key (?: [_-]? id )?
      | password | passwd | secret | authorization
      | (?: access | auth | api | session | security ) [_-]? token
      | x-amz- (?: signature | credential ) )
    ( ["']? \s* [=:] \s* ["']? (?: (?: bearer | basic | token ) \s+ )? )
    [^\s"'&,;]+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LOCAL = re.compile(r"(?:/[\w.~-]+){2,}|0x[0-9a-fA-F]+|\bpid[ =:]*\d+")


def without_secrets(text: str) -> str:
    """`text` with *** for what looks like a credential."""
    return _NAMED.sub(r"\1\2***", _SECRETS.sub("***", text))


def masked(text: str, limit: int = 500) -> str:
    """At most `limit` characters of `text`; credentials become ***, and paths, addresses and process numbers "..."."""
    # Masked before it is cut: half of a secret looks like none.
    return _LOCAL.sub("...", without_secrets(text[:_READ]))[:limit]
