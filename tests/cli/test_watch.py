"""`overture watch` shows which lines changed, in which file, and what that does to a cached prefix."""

import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

LONG = "".join(f"Rule {n}.\n" for n in range(30))


def project(top: Path) -> Path:
    folder = top / "p"
    (folder / ".agents/skills/tides").mkdir(parents=True)
    (folder / "AGENTS.md").write_text("One.\nTwo.\nThree.\n", encoding="utf-8")
    skill = "---\nname: tides\ndescription: Looks up tides.\n---\nBody.\n"
    (folder / ".agents/skills/tides/SKILL.md").write_text(skill, encoding="utf-8")
    return folder


def watched(folder: Path, path: str, text: str, *options: str) -> str:
    """What one change of a file makes the command print, after its start."""
    line = ["watch", "opal", "--cwd", str(folder), "--home", str(folder.parent), "--root", str(folder), "--times", "1"]
    command = [sys.executable, "-m", "overture", *line, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(1 if "--json" in options else 3):
            process.stdout.readline()
        stop = threading.Event()

        def edit() -> None:
            target = folder / path
            before = target.read_text(encoding="utf-8")
            while not stop.wait(0.7):  # until the watch is set up, changes go unseen
                for each in (before, text):
                    # In one go, as editors do: nobody may see the file while it is empty.
                    (folder.parent / "next").write_text(each, encoding="utf-8")
                    (folder.parent / "next").replace(target)

        editor = threading.Thread(target=edit)
        editor.start()
        try:
            out, errors = process.communicate(timeout=60)
        finally:
            stop.set()
            editor.join()
        assert (process.returncode, errors) == (0, "")
        return out


def test_the_changed_lines_are_shown_with_file_and_line(tmp_path: Path) -> None:
    """A rewritten line is shown under its file, from the working directory, and its line; the sums are below."""
    folder = project(tmp_path)
    out = watched(folder, "AGENTS.md", "One.\n2.\nThree.\n")
    lines = [line.strip() for line in out.splitlines()]
    at = lines.index("AGENTS.md:2")
    assert lines[at - 1] == "rewritten project-context  because context_files changed"
    assert lines[at + 1 : at + 3] == ["- Two.", "+ 2."]
    assert re.match(r"~?\d+ → ~?\d+ tokens \([+-]\d+\); cached prefix: ~?\d+ tokens stay", lines[-1])
    assert "tokens (" in lines[-1]
    assert "are sent again" in lines[-1]


@pytest.mark.slow
def test_of_many_lines_a_few_are_shown(tmp_path: Path) -> None:
    """The others are counted."""
    out = watched(project(tmp_path), "AGENTS.md", LONG)
    assert out.count("+ Rule") < 10
    assert "more lines" in out


@pytest.mark.slow
def test_a_skill_is_named_with_its_file(tmp_path: Path) -> None:
    """A description that changes is a line of its SKILL.md."""
    folder = project(tmp_path)
    text = "---\nname: tides\ndescription: Looks up every tide.\n---\nBody.\n"
    out = watched(folder, ".agents/skills/tides/SKILL.md", text)
    assert "\n    .agents/skills/tides/SKILL.md:3" in out
    assert "Looks up every tide." in out


@pytest.mark.slow
def test_the_lines_are_in_the_json_too(tmp_path: Path) -> None:
    """An entry on a line of JSON has the changed lines by block, beside all that it had."""
    folder = project(tmp_path)
    entry = json.loads(watched(folder, "AGENTS.md", "One.\n2.\nThree.\n", "--json").splitlines()[-1])
    assert entry["lines"] == {
        "project-context": [
            {"how": "removed", "text": "Two.", "path": f"{folder}/AGENTS.md", "line": 2},
            {"how": "added", "text": "2.", "path": f"{folder}/AGENTS.md", "line": 2},
        ]
    }
    assert {"turn", "triggers", "changed", "stayed", "tokens", "first"} <= set(entry)


@pytest.mark.slow
@pytest.mark.parametrize("times", ["0"])
def test_the_start_is_three_lines(times: str, tmp_path: Path) -> None:
    """What begins it, which sections there are, and how long the prompt is."""
    folder = project(tmp_path)
    line = ["watch", "opal", "--cwd", str(folder), "--home", str(tmp_path), "--root", str(folder), "--times", times]
    done = subprocess.run([sys.executable, "-m", "overture", *line], capture_output=True, text=True, check=True)
    first, second, third = done.stdout.splitlines()
    assert first.startswith("start  ")
    assert second.strip().startswith("6 sections: identity, project-context, skills, ")
    assert third.endswith(" tokens")
