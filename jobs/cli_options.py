"""Options that commands of several groups have."""

from __future__ import annotations

from typing import Annotated

import typer

Store = Annotated[str, typer.Option("--store", envvar="MIEN_STORE", help="Root of all results: a folder or s3://bucket/prefix.")]
Json = Annotated[bool, typer.Option("--json", help="Only JSON lines on stdout; text goes to stderr.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
