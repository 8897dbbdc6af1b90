"""Files that agents truncate or skip for their size."""

from collections.abc import Mapping

import pytest

from overture.agents.make_reports import report_agents
from overture.testing import FakeWorld

from ..look import findings, places

LINE = "x" * 63 + "\n"


def agents_say(name: str, files: Mapping[str, str], cwd: str = "/p") -> dict[str, int | None]:
    """By file, the last line that `overture agents` says an agent loads, where it does not load all."""
    world = FakeWorld({"/p/.git/HEAD": "", **{_place(path): text for path, text in files.items()}}, cwd=cwd)
    [report] = report_agents([name], cwd=cwd, home="/home/user", world=world)
    return {file.path: file.last_line for file in report.files if file.last_line is not None}


def _place(path: str) -> str:
    return path if path.startswith("/") else f"/p/{path}"


def test_the_last_line_that_codex_reads_is_named() -> None:
    """32,768 bytes are 512 lines of 64."""
    [found] = findings("truncated-instructions", {"AGENTS.md": LINE * 600})
    assert (found.path, found.line, found.severity) == ("/p/AGENTS.md", 512, "warning")
    assert "Codex 0.166.0" in found.message and "38,400" in found.message and "line 512 of 600" in found.message


def test_all_files_on_the_way_share_what_codex_takes() -> None:
    """The root is served first, so the nearest file is cut; bytes count, not characters."""
    files = {"AGENTS.md": LINE * 400, "a/AGENTS.md": "ä" * 31 + "é\n" + LINE * 200}
    [found] = findings("truncated-instructions", files, cwd="/p/a")
    assert (found.path, found.line) == ("/p/a/AGENTS.md", 2 + (32_768 - 400 * 64 - 65) // 64)


@pytest.mark.parametrize("place", ["/home/user/.codex/config.toml"])
@pytest.mark.parametrize("limit", [640, 200_000])
def test_a_limit_that_the_agents_settings_change_is_the_one_that_counts(place: str, limit: int) -> None:
    """`check` names a file where `agents` does, up to the same line, whether the setting takes more or less."""
    files = {"AGENTS.md": LINE * 600, place: f"project_doc_max_bytes = {limit}\n"}
    found = {each.path: each.line for each in findings("truncated-instructions", files) if "Codex" in each.message}
    assert found == agents_say("codex", files) == ({"/p/AGENTS.md": 10} if limit == 640 else {})


def test_a_skill_over_the_limit_of_an_agent_is_found() -> None:
    """Zed lists no SKILL.md of more than 102,400 bytes, and `agents` says the same."""
    text = f"---\nname: big\ndescription: Much.\n---\n{LINE * 1700}"
    [found] = [each for each in findings("truncated-instructions", {".agents/skills/big/SKILL.md": text})]
    assert found.message.startswith("Zed does not list skills over 102,400 bytes")
    world = FakeWorld({"/p/.git/HEAD": "", "/p/.agents/skills/big/SKILL.md": text}, cwd="/p")
    [report] = report_agents(["zed"], cwd="/p", home="/home/user", world=world)
    assert [(file.status, "102,400" in file.why) for file in report.files] == [("skipped", True)]


def test_a_file_within_every_limit_is_not_found() -> None:
    """Codex takes 32,768 bytes, and that many are fine; an override counts in place of the file beside it."""
    assert not places("truncated-instructions", {"AGENTS.md": LINE * 512, "GEMINI.md": LINE * 900})
    assert not places("truncated-instructions", {"AGENTS.md": LINE * 600, "AGENTS.override.md": "Short."})
