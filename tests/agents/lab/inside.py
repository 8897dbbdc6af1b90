"""The inner half of the sandbox: hides the caller's home, starts the upstream, runs the agent, and ends with it."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.contract.agents.lab.upstream import PORT, Upstream

STOPPED = "stopped"
"""How the complaint begins about an agent that did not end by itself."""

GRACE = 10
"""Seconds in which an agent that is asked to end may do so."""


def mount(*arguments: str) -> None:
    """Mount something in this namespace."""
    subprocess.run(["mount", *arguments], check=True)


def hide_home(home: str, keep: Sequence[str]) -> None:
    """Put an empty folder over the home; what has to stay is laid aside and put back, not to be written."""
    mount("--make-rprivate", "/")
    aside = Path(tempfile.mkdtemp(prefix="overture-aside-"))
    mount("-t", "tmpfs", "aside", str(aside))
    for number, path in enumerate(keep):
        (aside / str(number)).mkdir()
        mount("--bind", path, str(aside / str(number)))
    mount("-t", "tmpfs", "home", home)
    for number, path in enumerate(keep):
        Path(path).mkdir(parents=True, exist_ok=True)
        mount("--bind", str(aside / str(number)), path)


def run(job: dict[str, Any]) -> int:
    """Run the job's command until it ends or has nothing more to say; its output goes beside the log."""
    upstream = _upstream(job)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    with Path(job["log"]).with_suffix(".said").open("wb") as said:
        command, cwd, env = job["command"], job["cwd"], job["env"]
        agent = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        return _ended(agent, upstream, job["seconds"], patient=bool(job.get("caching")))


def _upstream(job: dict[str, Any]) -> Upstream:
    """What the agent speaks with: it understands nothing, or it caches as providers do."""
    log = Path(job["log"])
    if not job.get("caching"):
        return Upstream(log, job["reads"])
    from tests.contract.tap.caching_provider.provider import CachingProvider, ProviderServer

    return ProviderServer(log, CachingProvider(folder=Path(job["caching"])), tuple(job["reads"]), PORT)


def _ended(agent: "subprocess.Popen[bytes]", upstream: Upstream, seconds: int, *, patient: bool) -> int:
    """How the agent ended; one that lingers after its answer is not waited for."""
    for _ in range(seconds):
        try:
            return agent.wait(1)
        except subprocess.TimeoutExpired:
            if upstream.answered.is_set() and not patient:
                return _stop(agent)
    sys.stderr.write(f"{STOPPED} after {seconds} seconds\n")
    return 1


def _stop(agent: "subprocess.Popen[bytes]") -> int:
    """Ask it to end, so that what it has in hand is written; one that goes on nevertheless is ended."""
    agent.terminate()
    try:
        agent.wait(GRACE)
    except subprocess.TimeoutExpired:
        agent.kill()
    return 0


def main() -> int:
    """Take the job from standard input."""
    job = json.load(sys.stdin)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    hide_home(os.path.expanduser("~"), job["keep"])
    return run(job)


if __name__ == "__main__":
    # The namespace ends with this process, and so does whatever the agent has left behind.
    status = main()
    sys.stderr.flush()
    os._exit(status)
