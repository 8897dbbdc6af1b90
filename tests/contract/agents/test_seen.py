"""What Overture says that an agent is told is what the real agent sent, in every marked tree in which it was run.

Both are read with the same eyes: which marks stand in the text, in which order, up to which line, below which words.
`differs.toml` names what is known to differ, and why.
"""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import overture
from tests.contract.agents.lab.marked import MarkedFile, marked_files
from tests.contract.agents.lab.seen import SEEN, read_seen
from tests.contract.agents.worlds import WORLDS, World, make_world

from .our_run import our_look, unlike

pytestmark = pytest.mark.slow


DIFFERS: dict[str, dict[str, dict[str, str]]] = tomllib.loads((Path(__file__).parent / "differs.toml").read_text())
RUN = [path.stem for path in sorted(SEEN.glob("*.toml")) if "known" not in tomllib.loads(path.read_text())]


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Each world, written when it is first asked for."""

    @cache
    def written(name: str) -> tuple[World, Path, dict[str, MarkedFile]]:
        folder = tmp_path_factory.mktemp("world")
        return make_world(name, folder), folder, marked_files(folder)

    return written


@pytest.mark.parametrize("agent", RUN)
def test_an_agent_is_told_what_it_sent(agent: str, worlds: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files, order, cuts, frames, skills and what comes later."""
    seen = read_seen(agent)
    moved = []
    for each in seen["world"]:
        if each["name"] in WORLDS and not each.get("refused"):
            world, folder, files = worlds(each["name"])
            with monkeypatch.context() as patch, given(folder, seen.get("given", {})):
                for name, value in world.env.items():
                    patch.setenv(name, value.replace("{folder}", str(folder)))
                ours = our_look(agent, world, folder, files)
            moved += [(each["name"], *move) for move in unlike(each, ours)]
    known = DIFFERS.get(agent, {})
    unknown = [move for move in moved if move[1] not in known.get(move[0], {})]
    assert unknown == [], "\n".join(map(str, unknown))
    found = {(name, what) for name, what, *_ in moved}
    project = [(name, what) for name, keys in known.items() for what in keys if (name, what) not in found]
    assert project == [], "these no longer differ: take them out of differs.toml"


@pytest.mark.parametrize("agent", RUN)
def test_an_agent_was_last_checked_when_it_was_last_run(agent: str) -> None:
    """`overture agents NAME` says version, date and the size of its own prompt: those of the run."""
    seen = read_seen(agent)
    (info,) = overture.agents(agent).agents
    assert (info.version, str(info.checked)) == (seen["version"], seen["checked"])
    assert info.own.characters in (None, seen["own"]["system"])


@contextmanager
def given(folder: Path, files: dict[str, str]) -> Iterator[None]:
    """What the run had in files at home, such as those that name trusted folders; at the end of a file of the world."""
    before: dict[Path, bytes | None] = {}
    for name, text in files.items():
        path = folder / name if name.startswith("home/") else folder / "home" / name
        before[path] = path.read_bytes() if path.exists() else None
        if before[path] is None or path.suffix == ".toml":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((before[path] or b"") + text.replace("{folder}", str(folder)).encode())
    yield
    for path, old in before.items():
        if old is None:
            path.unlink()
        else:
            path.write_bytes(old)
