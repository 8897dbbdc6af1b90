"""What `check` finds in folders of other people's files, one JSON line a finding: `python bench/check_corpus.py DIR`.

Each file is looked at alone, as the AGENTS.md of a project (or as its own kind), so that links to other files are not
judged. The figures in docs/check.md are counts of these lines, each of which somebody judged.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from overture.check.engine import RuleSelection, run_rules
from overture.check.input import CheckedFile, CheckInput

CHOICE = RuleSelection(comments=False)


def check_file(path: Path) -> list[dict[str, object]]:
    """What is found in one file, with the line that it is found on."""
    text = path.read_bytes().decode("utf-8", "replace")
    name = f"/p/{path.parent.name}/{path.name}"
    is_skill = path.name == "SKILL.md"
    page = CheckedFile(name, text, "skill" if is_skill else "instructions")
    found = run_rules(CheckInput((page,), root="/p"), CHOICE).findings
    lines = text.split("\n")
    shown = [lines[each.line - 1][:400] if each.line and each.line <= len(lines) else "" for each in found]
    return [{**each.to_dict(), "path": str(path), "shown": line} for each, line in zip(found, shown, strict=True)]


def main() -> None:
    """Write the findings to standard output, and how many there are of each code to standard error."""
    counts: Counter[tuple[object, object]] = Counter()
    files = sorted(path for folder in sys.argv[1:] for path in Path(folder).rglob("*") if path.is_file())
    for path in files:
        for finding in check_file(path):
            counts[finding["code"], finding["severity"]] += 1
            print(json.dumps(finding))
    print(
        f"{len(files)} files",
        *(f"{code} {level}: {n}" for (code, level), n in sorted(counts.items())),
        sep="\n",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
