"""Advice says what somebody can do about a problem, at no cost; a fix says it of what it leaves."""

import pytest

from overture.agents.fix.advise import Advice, advise, explain_advice
from overture.agents.table import ask, list_starts, make_table, open_agents_in
from overture.agents.verdicts import Verdicts
from overture.testing import FakeWorld

RULES = "# Rules\n\nUse tabs in all files.\n"
LINE = "Keep to the plan of the harbour, and say so whenever you do not do it.\n"
SKILL = "---\nname: {0}\ndescription: Reads the {0} table.\n---\nSteps.\n"


def advice(files: dict[str, str], *names: str, links: dict[str, str] | None = None) -> list[tuple[Advice, str]]:
    """The advice for some agents, and the sentence of each."""
    placed = {f"/p/{name}": text for name, text in {".git/HEAD": "", **files}.items()}
    world = FakeWorld(placed, links={f"/p/{k}": v for k, v in (links or {}).items()})
    question = ask(open_agents_in(world=world), names)
    table = make_table(question, list_starts(question.files, "/p"))
    found = advise(question, table, Verdicts(table, question.files))
    return [(each, explain_advice(each, table.shorten)) for each in found]


def test_a_file_that_another_hides_wants_a_link() -> None:
    """One for all folders of one cause."""
    files = {"AGENTS.md": RULES, **{f"{n}/AGENTS.md": f"Of the folder {n}.\n" for n in "abc"}}
    [(found, sentence)] = advice(files, "claude-code", links={"CLAUDE.md": "AGENTS.md"})
    assert (found.code, found.paths) == ("link", ("/p/a/AGENTS.md", "/p/b/AGENTS.md", "/p/c/AGENTS.md"))
    assert sentence == "make a CLAUDE.md link beside each"


def test_what_is_too_long_is_said_with_the_users_setting() -> None:
    """By how much, and what the user can set; nothing of the project's settings, which Codex may ignore."""
    found = advice({"AGENTS.md": LINE * 600}, "codex")
    assert [sentence for _, sentence in found] == [
        "shorten AGENTS.md: what is loaded together is 9,832 bytes too long",
        "each user can set `project_doc_max_bytes = 43008` in ~/.codex/config.toml: "
        "a project's settings count only if trusted",
    ]


def test_what_is_paid_twice_wants_a_link_in_place_of_the_import() -> None:
    """The file that imports is named."""
    [(found, sentence)] = advice({"AGENTS.md": RULES, "CLAUDE.md": "@AGENTS.md\n"}, "copilot-cli")
    assert (found.code, found.other) == ("replace-by-link", "/p/CLAUDE.md")
    assert sentence == "make CLAUDE.md a symlink to AGENTS.md, if what else it says can go"


def test_a_link_that_is_not_followed_wants_a_copy() -> None:
    """Factory droid follows none."""
    found = advice({"rules.md": RULES, ".factory/settings.json": "{}"}, "droid", links={"AGENTS.md": "rules.md"})
    assert [(each.code, sentence) for each, sentence in found] == [("copy", "replace the symlink by a copy")]


def test_skills_that_some_folder_lacks_want_links() -> None:
    """Some of them are there."""
    files = {f".agents/skills/{name}/SKILL.md": SKILL.format(name) for name in ("tides", "berths", "cranes")}
    links = {f".claude/skills/{name}": f"../../.agents/skills/{name}" for name in ("tides", "berths")}
    found = advice({"AGENTS.md": RULES, **files}, "claude-code", "codex", "cursor", links=links)
    assert [(each.code, each.agents) for each, _ in found] == [("link-skills", ("claude-code",))]


@pytest.mark.parametrize("files", [{}, {"AGENTS.md": ""}, {"AGENTS.md": RULES}])
def test_where_all_is_well_there_is_no_advice(files: dict[str, str]) -> None:
    """No file, an empty one, or one that both read."""
    assert advice(files, "codex", "claude-code") == []
