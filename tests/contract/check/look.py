"""A small project -> what is found in it: the whole way, from the files to the findings."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

import overture


def findings(
    code: str,
    files: Mapping[str, str],
    *,
    cwd: str = "/p",
    agents: str | None = None,
    links: Mapping[str, str] | None = None,
) -> list[overture.Finding]:
    """What is found of one code in the project /p, whose files are named below it."""
    with TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        (top / "p/.git").mkdir(parents=True)
        (top / "home/user").mkdir(parents=True)
        (top / cwd.removeprefix("/")).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            path = top / (name.removeprefix("/") if name.startswith("/") else f"p/{name}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        for name, target in (links or {}).items():
            path = top / f"p/{name}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)
        result = overture.check(agents, select=[code], cwd=top / cwd.removeprefix("/"), home=top / "home/user")
        found = [each for each in result.findings if each.code == code]
        return [
            replace(
                each, path=each.path and each.path.replace(str(top), ""), message=each.message.replace(str(top), "")
            )
            for each in found
        ]


def places(code: str, files: Mapping[str, str], *, cwd: str = "/p") -> list[tuple[str, int | None]]:
    """Where something is found: the file below /p, and the line."""
    found = findings(code, files, cwd=cwd)
    return [((each.path or "").partition("/p/")[2] or each.path or "", each.line) for each in found]
