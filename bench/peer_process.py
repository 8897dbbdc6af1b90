"""Other libraries, each in a process of its own that waits for data: it answers with the nanoseconds that it took."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data import build_plain, make_data

NAMES = ("pi", "jinja2", "banks", "langchain-core", "haystack-ai", "prompt-poet", "priomptipy")
HERE = Path(__file__).parent


class Peer:
    """One of them, running."""

    def __init__(self, name: str, folder: Path) -> None:
        line = [str(folder / "bin" / "python"), str(HERE / "peers.py"), name]
        if name == "pi":
            line = ["node", str(HERE / "pi.mjs"), str(folder)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        first = self._ask(make_data(-1))
        self.version = str(first["version"])
        if name != "pi" and first["text"] != build_plain(make_data(-1)):
            raise SystemExit(f"{name} does not build the text that the plain function builds.")

    def _ask(self, data: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(data), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{' '.join(map(str, self.process.args))} ended: run it by hand to see why.")  # type: ignore[arg-type]
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, data: dict[str, Any]) -> float:
        """Nanoseconds for one build of this data."""
        return float(self._ask(data)["took"])

    def end(self) -> None:
        """Let it go."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@contextmanager
def start_peers(folder: Path, names: tuple[str, ...] = NAMES) -> Iterator[dict[str, Peer]]:
    """Those that are installed, by name."""
    running: dict[str, Peer] = {}
    try:
        for name in names:
            if is_installed(name, folder):
                running[name] = Peer(name, folder)
        yield running
    finally:
        for peer in running.values():
            peer.end()


def is_installed(name: str, folder: Path) -> bool:
    """Whether `make bench-peers` could install it."""
    module = {"langchain-core": "langchain_core", "haystack-ai": "haystack", "prompt-poet": "prompt_poet"}.get(
        name, name
    )
    paths = "node_modules/@*/pi-coding-agent/package.json" if name == "pi" else f"lib/python3*/site-packages/{module}"
    return any(folder.glob(paths))
