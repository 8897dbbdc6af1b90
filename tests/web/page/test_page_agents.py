"""`GET /page/agents`: who loads, truncates or skips which instruction file; what is touched changes it."""

from collections.abc import Iterator

import pytest

from overture.agents.advice.give_advice import give_advice
from overture.agents.agent_discovery import resolve_in_folder
from overture.agents.agent_report import reports_to_data
from overture.agents.make_reports import report_agents
from overture.known_agents import AGENTS
from overture.session.session import get_parts

from .asking import Asking, page_of

FILES: dict[str, str | bytes] = {
    "/p/AGENTS.md": "Run `make test` before each commit.\n" + "Keep to the plan of the harbour.\n" * 1_200,
    "/p/CLAUDE.md": "Use tabs.\n",
    "/p/.codex/config.toml": "",
    "/p/.claude/rules/api.md": '---\npaths: ["src/api/**"]\n---\nName routes in English.\n',
    "/p/src/api/routes.py": "SECRET_TEXT = 1\n",
    "/home/user/.codex/AGENTS.md": "Be brief.\n",
}


@pytest.fixture(scope="module")
def page() -> Iterator[Asking]:
    with page_of(FILES) as asked:
        yield asked


def test_the_grid_has_the_agents_that_are_used_here(page: Asking) -> None:
    """Those of which the project, home or the PATH has a sign, with what is known of each."""
    found, said = page.data("agents"), report_agents(cwd="/p", world=get_parts(page.session).setup.settings.world)
    assert [each["name"] for each in found["agents"]] == [each.name for each in said]
    assert {"codex", "claude-code"} <= {each["name"] for each in found["agents"]} < set(AGENTS)
    codex = next(each for each in found["agents"] if each["name"] == "codex")
    told = next(each for each in said if each.name == "codex")
    assert codex == {
        "name": "codex", "title": told.title, "version": told.version, "checked": told.checked.isoformat(),
        "known": told.known, "tokens": told.tokens, "exact": True,
    }  # fmt: skip


def test_all_asks_for_everyone(page: Asking) -> None:
    """Every agent that is known has a column."""
    assert {each["name"] for each in page.data("agents?all=1")["agents"]} == set(AGENTS)


def test_each_cell_says_what_becomes_of_a_file(page: Asking) -> None:
    """Every file has a cell for every agent, with its status, tokens, and why."""
    found = page.data("agents")
    names = {each["name"] for each in found["agents"]}
    assert [each["path"] for each in found["files"]] == list(found["cells"])
    assert all(set(cells) == names for cells in found["cells"].values())
    assert all(cell["why"] for cells in found["cells"].values() for cell in cells.values())
    shown = {each["path"]: each["shown"] for each in found["files"]}
    assert shown["/p/CLAUDE.md"] == "CLAUDE.md"
    assert shown["/home/user/.codex/AGENTS.md"] == "~/.codex/AGENTS.md"
    claude = found["cells"]["/p/CLAUDE.md"]["claude-code"]
    assert (claude["status"], claude["how"]) == ("loaded", "loaded")
    assert claude["tokens"] > 0
    assert found["cells"]["/home/user/.codex/AGENTS.md"]["claude-code"]["status"] == "skipped"


def test_a_status_is_that_of_the_command() -> None:
    """The page has the word that `agents --json` has, also for a skill, of which only name and description are sent."""
    skill = {"/p/.claude/skills/tide/SKILL.md": "---\nname: tide\ndescription: Reads tides.\n---\nLook.\n"}
    with page_of({**FILES, **skill}) as page:
        cells = page.data("agents")["cells"]
        said = report_agents(cwd="/p", world=get_parts(page.session).setup.settings.world)
        for agent in reports_to_data(said)["agents"]:
            files = {each["path"]: each["status"] for each in agent["files"] if each["kind"] != "settings"}
            assert files == {path: cells[path][agent["name"]]["status"] for path in files}
        assert cells["/p/.claude/skills/tide/SKILL.md"]["claude-code"]["status"] == "listed"


def test_a_cut_is_named_by_its_line(page: Asking) -> None:
    """Codex reads 32 KiB: the cell says up to which line, of how many."""
    cell = page.data("agents")["cells"]["/p/AGENTS.md"]["codex"]
    assert cell["status"] == "truncated"
    assert 0 < cell["last_line"] < cell["lines"] == 1_201
    assert cell["how"] == f"truncated after line {cell['last_line']:,}"


def test_notes_and_advice_are_there(page: Asking) -> None:
    """Who misses AGENTS.md is told how to mend it, with the change as a diff; each problem names its agents."""
    found = page.data("agents")
    assert any("claude-code" in each["agents"] and "AGENTS.md" in each["files"] for each in found["changes"])
    change = next(each["change"] for each in found["changes"] if each["change"])
    assert change["diff"][0] == f"--- a/{change['shown']}"
    assert any(each["path"] == "/p/AGENTS.md" and "codex" in each["agents"] for each in found["findings"])


def test_advice_is_that_of_the_command() -> None:
    """Agents that are likely here, and have left no sign, are advised too: as `overture agents` does."""
    files: dict[str, str | bytes] = {"/p/AGENTS.md": "Run `make test`.\n", "/p/CLAUDE.md": "Use tabs.\n"}
    with page_of(files) as page:
        world = get_parts(page.session).setup.settings.world
        base = resolve_in_folder("/p", world=world)
        said = give_advice(report_agents(cwd="/p", world=world), base)
        found = page.data("agents")
        assert [each["sentence"] for each in found["changes"]] == [each.sentence for each in said]
        assert any(each["sentence"].startswith("Codex skips CLAUDE.md") for each in found["changes"])
        assert page.data("agents?all=1")["changes"] == found["changes"]


def test_touching_a_path_changes_the_grid(page: Asking) -> None:
    """A rule for some files is read later, and at once for an agent that works on one of them."""
    rule = "/p/.claude/rules/api.md"
    assert page.data("agents")["cells"][rule]["claude-code"]["status"] == "on_demand"
    found = page.data("agents?touching=src/api/routes.py")
    assert found["cells"][rule]["claude-code"]["status"] == "loaded"
    assert found["touching"] == "src/api/routes.py"
    assert page.data("agents?touching=src/../src/api/./routes.py")["touching"] == "src/api/routes.py"


def test_a_path_begins_at_the_working_directory() -> None:
    """From a folder of the project one may go up, as far as the project goes."""
    with page_of({**FILES, "/p/web/a.js": ""}, cwd="/p/web") as page:
        found = page.data("agents?touching=../src/api/routes.py")
        assert found["cells"]["/p/.claude/rules/api.md"]["claude-code"]["status"] == "loaded"
        assert page.get("agents?touching=../../etc/passwd").status_code == 422


def test_a_file_need_not_be_there_to_be_touched(page: Asking) -> None:
    """It is a path that is matched, and nothing else."""
    found = page.data("agents?touching=src/api/new.py")
    assert found["cells"]["/p/.claude/rules/api.md"]["claude-code"]["status"] == "loaded"


def test_what_is_touched_is_never_shown(page: Asking) -> None:
    """No word of the file is in the answer, and it is no row."""
    answer = page.get("agents?touching=src/api/routes.py")
    assert "SECRET_TEXT" not in answer.text
    assert "/p/src/api/routes.py" not in answer.json()["cells"]
    assert page.file("/p/src/api/routes.py").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "..", "../x", "src/../../x", "/etc/passwd", "/p/src/a.py", "%2e%2e%2fx", "%252e%252e%252fx", "%2Fetc%2Fpasswd",
        "%252Fetc", "..%5Cx", "%255c..", "a%00b", "x" * 5_000,
    ],
)  # fmt: skip
def test_a_path_that_leaves_the_project_is_a_problem(page: Asking, path: str) -> None:
    """However it is written, it is refused with the name of the parameter."""
    answer = page.get(f"agents?touching={path}")
    assert answer.status_code == 422
    assert answer.json()["path"] == "touching"
    assert answer.json()["detail"].startswith("touching: ")


@pytest.mark.slow(unless=("%E2%80%AE", "src/"))
@pytest.mark.parametrize("path", ["~/x", "~", "...", "a b", "ä/ö.py", "%E2%80%AE", "*", "src/", "x?y", "%0A"])
def test_odd_names_are_only_names(page: Asking, path: str) -> None:
    """What only looks like something is a path in the project that nobody knows."""
    assert page.get(f"agents?touching={path}").status_code == 200


def test_no_path_is_none(page: Asking) -> None:
    """An empty field touches nothing."""
    assert page.data("agents?touching=") == page.data("agents")


def test_a_switch_that_is_neither_is_a_problem(page: Asking) -> None:
    """`all` is 0 or 1."""
    answer = page.get("agents?all=yes")
    assert (answer.status_code, answer.json()["path"]) == (422, "all")


def test_where_no_agent_is_used_the_grid_is_empty() -> None:
    """A project with a sign of none has no columns, and that is no error."""
    with page_of({"/p/notes.txt": ""}) as page:
        assert page.data("agents") == {
            "agents": [], "files": [], "cells": {}, "findings": [], "changes": [], "touching": None,
        }  # fmt: skip
