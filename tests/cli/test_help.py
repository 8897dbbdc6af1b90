"""Every command explains itself to a stranger, and every slip is answered with what to do."""

import re
from pathlib import Path

import pytest

from tests.contract.cli.run import assert_refused, run

OURS = re.compile(r"\bpaces?\b|\bblocks?\b|\bprovenance\b|\bdiagnostics?\b|\bframes?\b", re.IGNORECASE)
"""Words that only we use."""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["build", "--recipe", "pi"], ["--recipe", "overture build pi"]),
        (["build", "pi", "house"], ["house", "`overture build --help`"]),
        (["diff", "pi"], ["AFTER", "Pass another"]),
        (["explain", "--why"], ["--why", "`overture explain --help`"]),
        (["help"], ["`overture --help`"]),
        (["version"], ["`overture --version`"]),
        (["-v"], ["-v", "`overture --help`"]),
        (["build", "-c", "foo=1"], ["'foo'", "`overture config`"]),
        (["schema", "foo"], ["foo", "`overture schema --list`"]),
    ],
)
def test_a_slip_is_answered_with_what_to_do(words: list[str], said: list[str]) -> None:
    """One line: what is wrong, and what to write instead or where to read on."""
    assert_refused(run(*words), *said)


def test_a_file_or_a_folder_is_no_recipe(tmp_path: Path) -> None:
    """Whoever names one in place of a recipe is told which option takes it."""
    (tmp_path / "CLAUDE.md").write_text("Use tabs.\n", encoding="utf-8")
    assert_refused(
        run("explain", "CLAUDE.md", cwd=tmp_path), "'CLAUDE.md' is a file", "overture explain --why CLAUDE.md"
    )
    assert_refused(run("build", ".", cwd=tmp_path), "'.' is a directory", "--cwd .")
    assert_refused(run("context", tmp_path, cwd=tmp_path), "is a directory", f"--cwd {tmp_path}")
