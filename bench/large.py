"""`overture agents --all` in a tree of 100,000 files with 3,000 rules and 1,500 skills: it takes minutes."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from commands import BARE, OVERTURE
from measure import Options, Row, collect, make_row, run_command

FILES, RULES, SKILLS = 95_000, 3000, 1500


def rows(options: Options) -> Iterator[Row]:
    """The first time."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name, "large")
        _write(root)

        def one_round(number: int) -> dict[str, float]:
            environ = {"PATH": os.environ["PATH"], "HOME": name, "XDG_CACHE_HOME": f"{name}/cache-{number}"}
            ours = run_command((OVERTURE, "agents", "--all"), root, environ)
            return {"bare": run_command(BARE, root, environ), "ours": ours}

        took = collect(one_round, options.count(2))
    work = "`overture agents --all`, 100,000 files, 3,000 rules, 1,500 skills"
    yield make_row("large", work, "s", took["ours"], ("bare Python", took["bare"]), "above", 5)


def _write(root: Path) -> None:
    """Source files in folders of a hundred, rules of Cursor, skills of all agents, and an AGENTS.md now and then."""
    (root / ".git").mkdir(parents=True)
    for number in range(FILES // 100):
        folder = root / f"part-{number // 50}" / f"unit-{number}"
        folder.mkdir(parents=True)
        for file in range(100):
            (folder / f"file-{file}.py").write_text("pass\n", encoding="utf-8")
        if number % 2:
            (folder / "AGENTS.md").write_text(f"# Unit {number}\n\nRun `make unit-{number}`.\n", encoding="utf-8")
    (root / ".cursor" / "rules").mkdir(parents=True)
    for number in range(RULES):
        front = f"---\ndescription: Rule {number}\nglobs: part-{number % 19}/**\nalwaysApply: false\n---\n"
        (root / ".cursor" / "rules" / f"rule-{number}.mdc").write_text(f"{front}Do {number}.\n", encoding="utf-8")
    for number in range(SKILLS):
        skill = root / ".agents" / "skills" / f"skill-{number}"
        skill.mkdir(parents=True)
        front = f"---\nname: {skill.name}\ndescription: Use it for form {number}.\n---\n"
        (skill / "SKILL.md").write_text(f"{front}Fill in form {number}.\n", encoding="utf-8")
