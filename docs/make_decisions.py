"""Write docs/decisions/README.md, the list of decisions, from their headings: `make reference`."""

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "decisions"
LIST = FOLDER / "README.md"
HEADING = re.compile(r"^# (\d{4}): (.+)$", re.MULTILINE)
BEFORE = """\
<!-- Made by docs/make_decisions.py. Add a decision beside this page, then run `make reference`. -->

# Decisions

Each page says in about ten lines what we chose, why, and what else was possible.

"""


def make_list() -> str:
    """The page, with a line for each decision."""
    files = sorted(FOLDER.glob("[0-9]*.md"))
    return BEFORE + "".join(f"- [{_title(file)}]({file.name})\n" for file in files)


def _title(file: Path) -> str:
    found = HEADING.search(file.read_text("utf-8"))
    if found is None:
        sys.exit(f"error: docs/decisions/{file.name} has no heading such as `# 0001: Sections declare …`")
    return f"{found[1]}: {found[2]}"


if __name__ == "__main__":
    LIST.write_text(make_list(), "utf-8")
    sys.stdout.write("docs/decisions/README.md\n")
