"""Draw what three commands print, as SVG in docs/pictures: `make pictures`. Each is run in a copy of the example."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHON = 'import overture; p = overture.build("pi", budget=2000); print(p.tokens, p.source_at(0))'
COMMANDS = {
    "terminal-agents": ["overture"],
    "terminal-tap": ["overture tap --demo"],
    "terminal-build": [f"python -c '{PYTHON}'", "overture explain pi --why CLAUDE.md"],
}
MAX_LINES = 18
COLUMNS = 130
WIDTH, LINE = 7.25, 18
"""Of a character and of a line, in pixels."""


def run(command: str, folder: Path) -> list[str]:
    """The first lines that a command prints there."""
    env = {**os.environ, "HOME": str(folder / "home"), "COLUMNS": str(COLUMNS), "NO_COLOR": "1", "TZ": "UTC"}
    env["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), "/usr/bin", "/bin"))
    done = subprocess.run(
        command, shell=True, cwd=folder / "services/berths", env=env, capture_output=True, text=True, check=False
    )
    printed = (done.stdout + done.stderr).replace(str(folder.parent), "").splitlines()
    lines = [part for line in printed for part in (textwrap.wrap(line, COLUMNS) if len(line) > COLUMNS else [line])]
    return lines[:MAX_LINES] + (["…"] if len(lines) > MAX_LINES else [])


def draw(lines: list[str]) -> str:
    """The lines in a window; those that begin with `$ ` are what somebody typed."""
    width, height = round(COLUMNS * WIDTH + 40), len(lines) * LINE + 56
    rows = "".join(_row(number, line) for number, line in enumerate(lines))
    dots = "".join(f'<circle cx="{20 + 18 * i}" cy="18" r="5" fill="#5a6072"/>' for i in range(3))
    label = escape(" ".join(line for line in lines if line.startswith("$ ")), quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{label}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">'
        f'<rect width="{width}" height="{height}" rx="8" fill="#14161f"/>{dots}{rows}</svg>\n'
    )


def _row(number: int, line: str) -> str:
    colour = "#9fe8b8" if line.startswith("$ ") else "#d9dce8"
    length = f' textLength="{len(line) * WIDTH:.0f}"' if line.strip() else ""
    return f'<text x="20" y="{50 + number * LINE}" fill="{colour}" xml:space="preserve"{length}>{escape(line)}</text>'


def main() -> None:
    """Run the commands, and write the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        harbor = Path(folder).resolve() / "harbor"
        shutil.copytree(ROOT / "examples/harbor", harbor)
        (harbor / ".git").mkdir()
        for name, commands in COMMANDS.items():
            lines = [line for each in commands for line in (f"$ {each}", *run(each, harbor), "")][:-1]
            cut = [part for line in lines for part in re.findall(rf".{{1,{COLUMNS}}}|^$", line)]
            (ROOT / f"docs/pictures/{name}.svg").write_text(draw(cut), "utf-8")
            sys.stdout.write(f"docs/pictures/{name}.svg\n")


if __name__ == "__main__":
    main()
