"""The page on Moltis, its command line, and how given values and files go together."""

import re
from pathlib import Path

from overture.recipes import builtin
from tests.contract.cli.forked import run_line

PAGE = Path(__file__).parents[3] / "docs" / "moltis.md"


def commands() -> list[tuple[str, str]]:
    """Each command of the page, and what the page shows under it."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.splitlines()
            while lines and lines[0].startswith("> "):
                command += "\n" + lines.pop(0).removeprefix("> ")
            found.append((command, "".join(f"{line}\n" for line in lines)))
    return found


def run(command: str, folder: Path) -> str:
    """What a command prints in `folder`, on either stream."""
    return run_line(command, folder, HOME=str(folder / "home"))


def test_the_page_shows_what_comes_out(tmp_path: Path) -> None:
    """Every command of the page prints what stands under it; a line `…` stands for any lines."""
    for command, expected in commands():
        lines = [r"(?:.*\n)*" if line == "…" else re.escape(line) + r"\n" for line in expected.splitlines()]
        printed = run(command, tmp_path)
        assert re.fullmatch("".join(lines), printed), printed


def test_the_page_names_every_section() -> None:
    """No section of the recipe is missing from the page."""
    text = PAGE.read_text(encoding="utf-8")
    assert [s.name for s in builtin("moltis").sections if f"`{s.name}`" not in text] == []


def test_recipes_shows_the_files(tmp_path: Path) -> None:
    """`overture recipes moltis` lists every file, with the folder filled in."""
    listed = run("overture recipes moltis", tmp_path)
    names = ("IDENTITY.md", "SOUL.md", "USER.md", "AGENTS.md", "TOOLS.md")
    assert [name for name in names if f"~/.moltis/{name}" not in listed] == []


def test_a_value_that_is_given_is_not_from_its_file(tmp_path: Path) -> None:
    """`--set` wins over a persona file field by field, and what it gives is not said to come from the file."""
    folder = tmp_path / "home/.moltis"
    folder.mkdir(parents=True)
    (folder / "IDENTITY.md").write_text("---\nname: Molty\nvibe: calm\n---\n")
    (folder / "SOUL.md").write_text("Speak plainly.\n")
    told = run("overture explain moltis --all --root . --set agent.name=Ada --set agent.soul=Loudly.", tmp_path)
    assert re.search(r"\d +state agent\.name  user\n", told)
    assert re.search(r"\d +\S*/IDENTITY\.md:3  project\n", told)
    assert re.search(r"\d +state agent\.soul  user\n", told)
    assert re.search(r"hidden +\S*/SOUL\.md +by the state that was given", told)
