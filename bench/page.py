"""The page, through the routes of the service: what the server does until a browser has the prompt, and for a budget.

What the browser itself does is measured by tests/browser. A step of the budget is one answer of `/page/play`.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from commands import BARE, HARBOR, make_environ
from measure import Options, Row, collect, make_row, run_command

LINK = re.compile(r'(?:src|href)="([^":]+)"')


def rows(options: Options) -> Iterator[Row]:
    """A cold start in the example, and a budget that is dragged over 500 kB."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def cold(number: int) -> dict[str, float]:
            environ = make_environ(HARBOR / "home", str(folder / str(number)))
            with _serve(HARBOR, environ) as (process, port):
                links = [f"/{link.lstrip('./')}" for link in LINK.findall(_ask(port, "GET", "/").decode())]
                assert "/page/sheet" in links, links
                for link in links:
                    _ask(port, "GET", link)
                return {"ours": _used(process), "bare": run_command(BARE, HARBOR, environ)}

        took = collect(cold, options.count(3))
        work = "page: server's work until a browser has page, script and prompt, cold"
        yield make_row("page", work, "ms", took["ours"], ("bare Python", took["bare"]), "above", 1000)
        yield _step(folder, options)


def _step(folder: Path, options: Options) -> Row:
    root = folder / "large"
    (root / ".git").mkdir(parents=True)
    lines = [f"- Berth {number}: ships of up to {number} cm, moored by night and by day." for number in range(8200)]
    (root / "AGENTS.md").write_text("\n".join(lines), "utf-8")
    (folder / "home").mkdir()
    with _serve(root, make_environ(folder / "home", str(folder / "cache"))) as (process, port):
        _ask(port, "GET", "/page/sheet")
        _ask(port, "POST", "/page/play", {"budget": 120_000})

        def step(number: int) -> dict[str, float]:
            before = _used(process)
            assert b"Berth" in _ask(port, "POST", "/page/play", {"budget": 100_000 - 500 * number})
            return {"ours": _used(process) - before}

        took = collect(step, options.count(12))
    return make_row("page", "page: budget step on a prompt of 500 kB (server)", "ms", took["ours"], goal=100)


@contextmanager
def _serve(root: Path, environ: dict[str, str]) -> Iterator[tuple[int, int]]:
    """The service on a folder: its process, and its port."""
    line = [sys.executable, "-m", "overture", "serve", "opal", "--port", "0", "--root", str(root), "--cwd", str(root)]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(line, env=environ, stdout=pipe, stderr=nothing, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.pid, int(server.stdout.readline().strip().strip("/").rpartition(":")[2])
        finally:
            server.terminate()


def _ask(port: int, method: str, path: str, body: object = None) -> bytes:
    line = HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Content-Type": "application/json"} if body is not None else {}
    line.request(method, path, None if body is None else json.dumps(body), headers)
    answer = line.getresponse()
    said = answer.read()
    line.close()
    if answer.status != 200:
        raise SystemExit(f"{method} {path}: {answer.status} {said[:300]!r}")
    return said


def _used(process: int) -> float:
    """Nanoseconds of the processor that all threads of a process have used."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return float(sum(int((task / "schedstat").read_text("ascii").split()[0]) for task in tasks))
