"""Files that are broken, missing or where nobody expects them: one line each, and the answer goes on."""

import errno
import json
import os
from pathlib import Path

import pytest

import overture
from overture.agents.make_reports import report_agents
from overture.discovery.files import DiskFiles, EntryKind, FileEntry
from overture.discovery.world import World
from overture.errors import RecipeError
from overture.known_agents import AGENTS
from tests.contract.cli.run import assert_refused, run


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with an AGENTS.md, and an empty home beside it."""
    (tmp_path / "home").mkdir()
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "AGENTS.md").write_text("Moor at the north quay.\n")
    return tmp_path / "repo"


def asked(repo: Path, name: str, **more: object) -> overture.AgentReport:
    """What one agent reads there."""
    (report,) = overture.agents(name, cwd=repo, home=repo.parent / "home", **more)  # type: ignore[arg-type]
    return report


def shown(repo: Path, *words: str) -> str:
    """What the command line says; it does not fail, and no traceback is printed."""
    done = run("agents", *words, "--cwd", repo, "--home", repo.parent / "home")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def write(repo: Path, name: str, text: str) -> None:
    """A file of the repository."""
    (repo / name).parent.mkdir(parents=True, exist_ok=True)
    (repo / name).write_text(text)


def told(report: overture.AgentReport) -> list[str]:
    """The names of the files that it is told."""
    return [Path(file.path).name for file in report.of("loaded", "truncated") if file.kind in ("instructions", "rule")]


def test_a_rule_with_broken_frontmatter_is_one_line_with_its_place(repo: Path) -> None:
    """Frontmatter that is no YAML is a finding with path and line; other files are read as always."""
    write(repo, ".claude/rules/a.md", "---\npaths: [unclosed\n---\nRule A.\n")
    report = asked(repo, "claude-code")
    (finding,) = [note for note in report.findings if note.path and note.path.endswith("rules/a.md")]
    assert finding.line is not None and "\n" not in str(finding)
    assert "AGENTS.md" in told(report)
    assert ".claude/rules/a.md: line" in shown(repo, "claude-code")


def test_a_glob_that_is_none_is_one_line_with_its_place(repo: Path) -> None:
    """A pattern that can't be one is a finding, and no file matches it."""
    write(repo, ".claude/rules/a.md", "---\npaths: 'src/[b.py'\n---\nRule A.\n")
    report = asked(repo, "claude-code", touching=[repo / "src" / "b.py"])
    assert "a.md" not in told(report)
    assert any("is not a valid pattern" in note.message for note in report.findings), report.findings
    (rule,) = [file for file in asked(repo, "claude-code").files if file.path.endswith("a.md")]
    assert (rule.status, rule.why) == ("skipped", "no file matches src/[b.py")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("@docs", "import-missing"),
        ("@missing.md", "import-missing"),
        ("@vscode/prompt-tsx", "import-replaced"),
        ("@CLAUDE.md", "import-cycle"),
        ("@../outside.md", "import-outside"),
    ],
)
def test_an_import_that_brings_nothing_is_one_line_with_its_place(repo: Path, line: str, code: str) -> None:
    """A folder, a missing file, the file itself, a file outside: a finding with the line that names it."""
    write(repo, "docs/page.md", "A page.\n")
    write(repo.parent, "outside.md", "Outside.\n")
    write(repo, "GEMINI.md", f"First.\n\n{line.replace('CLAUDE', 'GEMINI')}\n")
    report = asked(repo, "gemini-cli")
    found = [(note.code, note.line) for note in report.findings]
    assert (code, 3) in found, report.findings
    assert told(report) == ["GEMINI.md"]
    assert "GEMINI.md: line 3: " in shown(repo, "gemini-cli")


def test_settings_with_an_error_are_one_line_and_count_for_nothing(repo: Path) -> None:
    """Settings that are no JSON are a finding with their path; the agent's defaults count."""
    write(repo, ".gemini/settings.json", '{"context": {"fileName": ')
    report = asked(repo, "gemini-cli")
    assert told(report) == []
    (finding,) = report.findings
    assert finding.path == str(repo / ".gemini" / "settings.json") and "\n" not in str(finding)
    assert ".gemini/settings.json" in shown(repo, "gemini-cli")


def test_an_agent_that_is_not_known_is_refused_with_the_nearest(repo: Path) -> None:
    """A slip in a name is one line with the name that was meant, and exit code 2; for recipes as well."""
    with pytest.raises(RecipeError, match="Did you mean 'codex'"):
        overture.agents("codx", cwd=repo)
    assert_refused(run("agents", "codx", "--cwd", repo), "No agent named `codx`", "exists: `codex`")
    assert_refused(run("build", "claude-cod", "--cwd", repo), "exists: `claude-code`")


class LockedHome(DiskFiles):
    """The files of a user who may not look into home."""

    def __init__(self, locked: Path) -> None:
        self.locked = str(locked)

    def _check(self, path: str) -> str:
        if path.startswith(self.locked):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return path

    def look(self, path: str) -> FileEntry | None:
        return super().look(self._check(path))

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        return super().names(self._check(path))

    def real(self, path: str) -> str:
        return super().real(self._check(path))


@pytest.mark.slow(unless=("claude-code", "codex"))
@pytest.mark.parametrize("name", AGENTS)
def test_a_home_that_cannot_be_read_is_passed_over(repo: Path, name: str) -> None:
    """Where home may not be entered, no agent fails: the project's files count."""
    home = repo.parent / "home"
    (report,) = report_agents([name], cwd=repo, home=home, world=World(LockedHome(home)))
    (other,) = report_agents([name], cwd=repo, home=home)
    assert told(report) == told(other)
    assert [(note.code, note.path) for note in report.findings if note.path == str(home)] == [
        ("home-unreadable", str(home))
    ]


def test_a_home_that_is_a_file_is_passed_over_by_the_library_and_refused_by_the_command(repo: Path) -> None:
    """A home that is no folder holds nothing; whoever names one on the command line is told so."""
    home = repo.parent / "home.txt"
    home.write_text("no folder")
    (report,) = overture.agents("codex", cwd=repo, home=home)
    assert told(report) == ["AGENTS.md"]
    assert_refused(run("agents", "codex", "--cwd", repo, "--home", home), "is not a directory", "--home")
    assert_refused(run("agents", "codex", "--cwd", repo, "--home", repo / "none"), "is not a directory")


def test_names_of_files_cannot_play_with_the_terminal_or_the_markdown(repo: Path) -> None:
    """Control characters in a path are made visible, and a stroke or a backtick ends no cell."""
    write(repo, ".claude/rules/a|b`\x1b[31m.md", "Rule.\n")
    assert "\x1b" not in shown(repo, "claude-code", "--all")
    lines = shown(repo, "claude-code", "--markdown").splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    cells = {len(line.replace("\\|", "").split("|")) for line in rows}
    assert cells == {6}, rows
    assert json.loads(shown(repo, "claude-code", "--json"))["agents"][0]["files"]


def test_a_link_in_a_circle_and_a_folder_by_the_name_of_a_file(repo: Path) -> None:
    """A folder called CLAUDE.md and a link to itself are no files: they are not read, and nothing fails."""
    (repo / "CLAUDE.md").mkdir()
    (repo / "sub").mkdir()
    (repo / "sub" / "loop").symlink_to(repo)
    (repo / "sub" / "AGENTS.md").symlink_to("AGENTS.md")
    report = asked(repo, "codex")
    assert told(report) == ["AGENTS.md"]
    shown(repo, "--all")
