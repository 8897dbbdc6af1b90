"""What advice says of its effect is what an agent then loads: how much, when, and in which folder."""

from overture.agents.show.show_agents import describe_group, group_advice
from overture.text.path_printer import make_root_printer

from .places import project
from .test_advice import RULES, SKILL, advice


def test_tokens_that_a_fix_adds_on_demand_are_called_so() -> None:
    """Without these words, tokens are those of the start."""
    files = {"AGENTS.md": RULES, "CLAUDE.md": "@AGENTS.md\n", "web/AGENTS.md": "Use the hooks.\n"}
    (found,) = advice(project(files), "claude-code")
    assert found.on_demand
    assert found.sentence == (
        "Claude Code skips web/AGENTS.md because CLAUDE.md exists. Fix: create web/CLAUDE.md with a line "
        "`@AGENTS.md` (+8 tokens on demand)."
    )


def test_a_setting_for_folders_below_does_not_load_the_root_twice() -> None:
    """Gemini CLI follows the import in CLAUDE.md at the root: that name would bring AGENTS.md once more."""
    files = {"AGENTS.md": RULES, "CLAUDE.md": "@AGENTS.md\n", "web/CLAUDE.md": "Use the hooks.\n"}
    found = advice(project(files), "claude-code", "gemini-cli")
    settings = [each.change.after or "" for each in found if each.change and each.change.kind == "setting"]
    assert settings
    assert [text for text in settings if "CLAUDE.md" in text] == []  # web/CLAUDE.md would be loaded at the start, too


def test_a_link_that_brings_some_of_the_skills_says_how_many() -> None:
    """Codex does not find a SKILL.md that is a symlink itself."""
    skills = {f".cursor/skills/{name}/SKILL.md": SKILL.format(name) for name in ("tides", "moorings")}
    links = {".claude/skills": "../.cursor/skills", ".cursor/skills/cli/SKILL.md": "../../../cli/SKILL.md"}
    world = project({"AGENTS.md": RULES, **skills, "cli/SKILL.md": SKILL.format("cli")}, links=links)
    (found,) = advice(world, "codex", "cursor", "copilot-cli")
    assert found.sentence == (
        "Codex skips 3 skills in .cursor/skills. Fix: make .codex/skills a symlink to ../.cursor/skills, "
        "which lists 2 of them (+16 tokens)."
    )


def test_what_is_copied_by_hand_below_stays_in_its_folder() -> None:
    """One line names both folders, and each piece of advice its own."""
    below = {f"{folder}/{name}": f"{name} of {folder}.\n" for folder in "ab" for name in ("AGENTS.md", "CLAUDE.md")}
    found = advice(project({"AGENTS.md": RULES, "CLAUDE.md": "@AGENTS.md\n", **below}), "claude-code", "cursor")
    by_hand = [each for each in found if each.agents == ("cursor",)]
    assert [each.fix for each in by_hand] == [
        f"copy what it should know into {each}/AGENTS.md by hand" for each in "ab"
    ]
    (group,) = group_advice(by_hand)
    assert "into a/AGENTS.md by hand, and likewise in 1 more folder (" in describe_group(group, make_root_printer("/p"))


def test_what_is_copied_by_hand_goes_into_the_file_that_most_read() -> None:
    """Cursor reads CLAUDE.md, too, which here only imports AGENTS.md."""
    files = {"AGENTS.md": "See @notes/tide.md\n", "CLAUDE.md": "@AGENTS.md\n", "notes/tide.md": "Look up the tide.\n"}
    found = advice(project(files), "claude-code", "cursor")
    assert [each.fix for each in found] == ["copy what it should know into AGENTS.md by hand"]
