"""Small trees as data, and what an agent must read in each."""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

EXPECTED = Path(__file__).parent / "expected"


class Tree(NamedTuple):
    """One tree, and what is expected there."""

    agent: str
    question: str
    table: dict[str, Any]

    def __repr__(self) -> str:
        """`codex: an override hides`."""
        return f"{self.agent}: {self.question}"

    def build(self, folder: Path) -> None:
        """Write it down."""
        (folder / "home").mkdir()
        for place in self.table.get("git", ["repo"]):
            (folder / place / ".git").mkdir(parents=True)
        for name, what in self.table["files"].items():
            _write(folder / name, what)
        (folder / self.cwd).mkdir(parents=True, exist_ok=True)

    @property
    def cwd(self) -> str:
        """Where the agent starts."""
        return str(self.table.get("cwd", "repo"))


def _write(path: Path, what: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(what, str):
        path.write_text(what)
    elif "link" in what:
        path.symlink_to(what["link"])
    elif "folder" in what:
        path.mkdir(exist_ok=True)
    elif "bytes" in what:
        path.write_bytes(bytes.fromhex(what["bytes"]))
    else:
        width = what.get("width", 63)
        path.write_text("".join(f"{number:0{width}d}\n" for number in range(1, what["lines"] + 1)))


def trees() -> list[Tree]:
    """All of them, of all agents."""
    found = []
    for path in sorted(EXPECTED.glob("*.toml")):
        table = tomllib.loads(path.read_text())
        found += [Tree(path.stem, each["question"], each) for each in table["tree"]]
    return found
