"""Advice says what is lost, why, and what brings it back."""

import pytest

from overture.project.agents.advice.advice import Advice
from overture.project.agents.advice.advice_for import advice_for
from overture.project.agents.report_agents import report_agents
from overture.testing import FakeWorld

from .places import project

RULES = "# Rules\n\nUse tabs.\n"


def advice(world: FakeWorld, *names: str) -> tuple[Advice, ...]:
    """The advice for some agents."""
    return advice_for(report_agents(names, world=world), world=world)


def test_a_file_that_switches_others_off_is_named_with_the_line_that_brings_them_back() -> None:
    """The rule, the file in the way, and the import."""
    (found,) = advice(project({"AGENTS.md": RULES, "CLAUDE.md": "Be brief.\n"}), "claude-code")
    assert found.sentence == (
        "Claude Code reads AGENTS.md only where no CLAUDE.md lies anywhere above; the one at CLAUDE.md switches off "
        "AGENTS.md: a line `@AGENTS.md` in it brings the text back."
    )
    assert (found.agents, found.files) == (("claude-code",), ("/p/AGENTS.md",))
    assert found.tokens > 0
    assert found.change is not None
    assert (found.change.path, found.change.after) == ("/p/CLAUDE.md", "@AGENTS.md\n\nBe brief.\n")


def test_several_that_are_switched_off_are_counted() -> None:
    """All of yours, also those further down."""
    names = ["AGENTS.md", "a/AGENTS.md", "b/AGENTS.md", "b/c/AGENTS.md", "d/AGENTS.md"]
    found = advice(project({**dict.fromkeys(names, RULES), "CLAUDE.md": "Be brief.\n"}), "claude-code")
    assert "switches off 5 of yours" in found[0].sentence


def test_a_setting_that_names_further_files_is_named() -> None:
    """The key, and the file in which it is set."""
    (found,) = advice(project({"AGENTS.md": RULES}), "gemini-cli")
    assert (
        found.sentence == "Gemini CLI reads AGENTS.md once `context.fileName` in .gemini/settings.json names AGENTS.md."
    )


def test_a_file_that_is_dropped_for_want_of_room_says_so() -> None:
    """How much there is room for, and the setting that makes more."""
    world = project({"AGENTS.md": "Long words.\n" * 4000, "pkg/AGENTS.md": "Near.\n"}, cwd="/p/pkg")
    found = advice(world, "codex")
    said = " ".join(each.sentence for each in found)
    assert "Codex drops pkg/AGENTS.md, because the files before it use up its 32,768 bytes" in said
    assert "`project_doc_max_bytes` = " in said
    assert ".codex/config.toml makes room" in said


def test_an_agent_that_reads_no_such_file_is_told_by_its_settings() -> None:
    """Aider reads what `read` names."""
    (found,) = advice(project({"AGENTS.md": RULES}), "aider")
    assert found.sentence == "Aider reads AGENTS.md once `read` in .aider.conf.yml names AGENTS.md."


def test_what_nothing_safe_can_mend_is_left_to_somebody() -> None:
    """Codex imports nothing: what CLAUDE.md says has to be written down."""
    found = advice(project({"AGENTS.md": RULES, "CLAUDE.md": "Be brief.\n"}), "codex", "claude-code")
    left = [each for each in found if each.change is None]
    assert [each.agents for each in left] == [("codex",)]
    assert left[0].sentence.startswith("Codex is not told CLAUDE.md")
    assert left[0].sentence.endswith("has to be written into AGENTS.md by hand.")


@pytest.mark.parametrize("files", [{}, {"AGENTS.md": ""}, {"AGENTS.md": RULES}])
def test_where_all_is_well_there_is_no_advice(files: dict[str, str]) -> None:
    """No file, an empty one, or one that both read."""
    assert advice(project(files), "codex", "claude-code") == ()


def test_a_settings_file_that_is_broken_is_left_alone() -> None:
    """The advice says what to set, and why it is not written."""
    world = project({"AGENTS.md": RULES, "GEMINI.md": "Old.\n", ".gemini/settings.json": '{"context": '})
    found = advice(world, "gemini-cli")
    assert all(each.change is None or each.change.path != "/p/.gemini/settings.json" for each in found)


def test_files_below_that_are_switched_off_are_brought_back_too() -> None:
    """Each in its own folder: the text reaches no further than before."""
    names = ["AGENTS.md", "a/AGENTS.md", "b/AGENTS.md"]
    world = project({**{name: f"In {name}.\n" for name in names}, "CLAUDE.md": "Be brief.\n"})
    changes = [each.change for each in advice(world, "claude-code") if each.change]
    assert [(each.path, each.after) for each in changes] == [
        ("/p/CLAUDE.md", "@AGENTS.md\n\nBe brief.\n"),
        ("/p/a/CLAUDE.md", "@AGENTS.md\n"),
        ("/p/b/CLAUDE.md", "@AGENTS.md\n"),
    ]
