"""Advice says what is lost, why, and what brings it back."""

from typing import Any

import pytest

from overture.agents.advice.give_advice import Advice, give_advice
from overture.agents.agent_discovery import resolve_in_folder
from overture.agents.make_reports import report_agents
from overture.agents.show.show_agents import describe_group, group_advice
from overture.testing import FakeWorld
from overture.text.path_printer import make_root_printer

from .places import lines_told, project

RULES = "# Rules\n\nUse tabs.\n"


def advice(world: FakeWorld, *names: str) -> tuple[Advice, ...]:
    """The advice for some agents."""
    return give_advice(report_agents(names, world=world), resolve_in_folder(world=world))


def test_a_file_that_switches_others_off_is_named_with_the_line_that_brings_them_back() -> None:
    """The rule, the file in the way, and the import."""
    (found,) = advice(project({"AGENTS.md": RULES, "CLAUDE.md": "Be brief.\n"}), "claude-code")
    assert found.sentence == (
        "Claude Code skips AGENTS.md because CLAUDE.md exists. Fix: add a line `@AGENTS.md` to CLAUDE.md (+11 tokens)."
    )
    assert (found.agents, found.files) == (("claude-code",), ("/p/AGENTS.md",))
    assert found.tokens > 0
    assert found.change is not None
    assert (found.change.path, found.change.after) == ("/p/CLAUDE.md", "@AGENTS.md\n\nBe brief.\n")


def test_each_advice_names_its_files() -> None:
    """One line speaks of the file at the root, others of those below."""
    names = ["AGENTS.md", "a/AGENTS.md", "b/AGENTS.md", "d/AGENTS.md", "b/c/AGENTS.md"]
    found = advice(project({**{name: f"Of {name}.\n" for name in names}, "CLAUDE.md": "Be brief.\n"}), "claude-code")
    assert "Claude Code skips AGENTS.md because CLAUDE.md exists. " in found[0].sentence
    assert [each.files for each in found[1:]] == [(f"/p/{name}",) for name in names[1:]]
    assert all(
        f"skips {name} because CLAUDE.md exists" in each.sentence for name, each in zip(names, found, strict=True)
    )


def test_a_setting_that_names_further_files_is_named() -> None:
    """The key, and the file in which it is set."""
    (found,) = advice(project({"AGENTS.md": RULES}), "gemini-cli")
    assert (
        found.sentence
        == 'Gemini CLI skips AGENTS.md. Fix: set `context.fileName` = ["AGENTS.md"] in .gemini/settings.json '
        "(+6 tokens)."
    )


PACKAGE = "# Rules\n\n- Use @vscode/prompt-tsx for prompts.\n- Use tabs.\n"


def test_a_line_that_an_import_replaces_is_not_copied() -> None:
    """Gemini CLI has the file, by one of two names or as a copy; a copied line would be replaced, too."""
    copilot, settings = ".github/copilot-instructions.md", '{"context": {"fileName": ["%s", "AGENTS.md"]}}'
    files = {copilot: PACKAGE, ".gemini/settings.json": settings % copilot}
    assert not advice(project(files, links={"AGENTS.md": copilot}), "gemini-cli", "codex")
    (found,) = advice(project({"GEMINI.md": PACKAGE, "AGENTS.md": PACKAGE}), "gemini-cli", "codex")
    assert found.fix == "put backticks around the names with `@` in GEMINI.md by hand"


def test_what_is_copied_by_hand_goes_into_a_file_of_its_folder_or_above() -> None:
    """A link at .github would give Gemini CLI the root's file twice; a file of another folder is not read there."""
    of_workflows = "@../AGENTS.md\n\nOf workflows.\n"
    files = {"AGENTS.md": RULES, ".github/CLAUDE.md": of_workflows, "a/b/AGENTS.md": "Of b.\n"}
    found = advice(project(files), "cursor", "claude-code", "gemini-cli")
    assert [each.fix for each in found if each.agents == ("cursor",)] == [
        "copy what it should know into AGENTS.md by hand"
    ]


def test_one_change_that_helps_several_agents_is_one_advice() -> None:
    """AGENTS.md as a link gives Codex and Cursor what they lack."""
    found = advice(project({".github/copilot-instructions.md": RULES}), "codex", "cursor", "copilot-cli")
    assert [each.sentence for each in found] == [
        "Codex and Cursor skip .github/copilot-instructions.md. Fix: make AGENTS.md a symlink to "
        ".github/copilot-instructions.md (+6 tokens)."
    ]


@pytest.mark.parametrize("name", ["cursor", "devin"])
def test_an_agent_that_opens_the_root_loads_on_the_way_to_its_folder(name: str) -> None:
    """Started in a package, it loads the package's file as it does from the root: on demand, and no fix is needed."""
    files = {"AGENTS.md": RULES, "pkg/AGENTS.md": "Of pkg.\n", "pkg/src/AGENTS.md": "Of src.\n"}
    world = project(files, cwd="/p/pkg/src")
    (report,) = report_agents((name,), world=world)
    loaded = {file.path: file.status for file in report.files}
    assert loaded == {"/p/AGENTS.md": "loaded", "/p/pkg/AGENTS.md": "on_demand", "/p/pkg/src/AGENTS.md": "on_demand"}
    assert lines_told(world, name, ["/p/pkg/src/a.py"])[-2:] == ["Of pkg.", "Of src."]
    assert advice(world, name, "codex") == ()


def test_nobody_is_told_to_copy_from_a_file_that_a_program_writes() -> None:
    """What it is written of is enough for the others."""
    made = f"<!-- Generated by copy.py. Do not edit. -->\n{RULES}\nReview briefly.\n"
    world = project({"AGENTS.md": RULES, ".github/copilot-instructions.md": made})
    assert advice(world, "codex", "copilot-cli") == ()
    (found,) = advice(world, "gemini-cli", "copilot-cli")
    assert found.files == ("/p/AGENTS.md",)


def test_a_file_that_is_dropped_for_want_of_room_says_so() -> None:
    """How much there is room for, and the setting that makes more."""
    world = project({"AGENTS.md": "Long words.\n" * 4000, "pkg/AGENTS.md": "Near.\n"}, cwd="/p/pkg")
    found = advice(world, "codex")
    said = " ".join(each.sentence for each in found)
    assert "Codex skips pkg/AGENTS.md because the files before it use up its 32,768 bytes. Fix: " in said
    assert "set `project_doc_max_bytes` = " in said


def test_an_agent_that_reads_no_such_file_is_told_by_its_settings() -> None:
    """Aider reads what `read` names; its YAML is for its author to edit."""
    (found,) = advice(project({"AGENTS.md": RULES}), "aider")
    assert found.change is None
    assert found.sentence == (
        'Aider skips AGENTS.md. Fix: set `read` in .aider.conf.yml to ["AGENTS.md"] by hand (+6 tokens).'
    )


def test_what_nothing_safe_can_mend_is_left_to_somebody() -> None:
    """Codex imports nothing: what CLAUDE.md says has to be written down."""
    found = advice(project({"AGENTS.md": RULES, "CLAUDE.md": "Be brief.\n"}), "codex", "claude-code")
    left = [each for each in found if each.change is None]
    assert [each.agents for each in left] == [("codex",)]
    assert left[0].sentence == (
        "Codex skips CLAUDE.md. Fix: copy what it should know into AGENTS.md by hand (+3 tokens)."
    )


def test_what_several_agents_lack_alike_is_one_sentence() -> None:
    """None of them imports anything, and all read the same file."""
    world = project({"AGENTS.md": RULES, ".github/copilot-instructions.md": f"{RULES}\nBe brief.\n"})
    left = [each for each in advice(world, "codex", "cline", "copilot-cli") if each.change is None]
    assert [each.agents for each in left] == [("codex", "cline")]
    assert left[0].sentence == (
        "Codex and Cline skip .github/copilot-instructions.md. "
        "Fix: copy the lines they lack into AGENTS.md by hand (+3 tokens)."
    )


@pytest.mark.parametrize("files", [{}, {"AGENTS.md": ""}, {"AGENTS.md": RULES}])
def test_where_all_is_well_there_is_no_advice(files: dict[str, str]) -> None:
    """No file, an empty one, or one that both read."""
    assert advice(project(files), "codex", "claude-code") == ()


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


def test_what_mends_it_is_never_one_persons_own_file() -> None:
    """Copilot would be told a text twice by an import, so it is a link; CLAUDE.local.md stays what it is: private."""
    files = {"AGENTS.md": RULES, "a/AGENTS.md": "Of a.\n", "b/c/AGENTS.md": "Of c.\n"}
    world = project(files, {"CLAUDE.md": "AGENTS.md"})
    found = advice(world, "claude-code", "copilot-cli")
    assert [each.change and (each.change.path, each.change.link) for each in found] == [
        ("/p/a/CLAUDE.md", "AGENTS.md"),
        ("/p/b/c/CLAUDE.md", "AGENTS.md"),
    ]
    assert [(each.agents, each.files) for each in found] == [
        (("claude-code",), ("/p/a/AGENTS.md",)),
        (("claude-code",), ("/p/b/c/AGENTS.md",)),
    ]
    assert "Claude Code skips a/AGENTS.md because CLAUDE.md exists" in found[0].sentence


def test_many_folders_are_mended_with_few_looks() -> None:
    """A folder more is a change more, not a search of all folders more."""

    def looks(folders: int) -> int:
        names = [f"d{number}/AGENTS.md" for number in range(folders)]
        world = project({name: f"Of {name}.\n" for name in names} | {"CLAUDE.md": "Be brief.\n"})
        seen: list[str] = []
        asked = world.look

        def look(path: str) -> Any:
            seen.append(path)
            return asked(path)

        world.look = look  # type: ignore[method-assign]
        assert len(advice(world, "claude-code", "cursor")) == folders
        return len(seen)

    assert looks(16) < looks(4) * 6


def test_one_setting_that_brings_two_files_is_one_sentence() -> None:
    """Both are named; whoever sets it once needs to be told once."""
    world = project({"AGENTS.md": RULES, ".github/copilot-instructions.md": f"{RULES}Be brief.\n"})
    (found,) = advice(world, "gemini-cli", "copilot-cli")
    assert found.sentence.startswith("Gemini CLI skips AGENTS.md and .github/copilot-instructions.md. Fix: ")


def test_that_an_agent_does_not_read_what_it_is_not_told_goes_without_saying() -> None:
    """Once is enough."""
    world = project({"AGENTS.md": RULES, ".github/copilot-instructions.md": "Be brief.\n"})
    (found,) = advice(world, "claude-code", "copilot-cli")
    assert found.sentence.startswith("Claude Code skips .github/copilot-instructions.md. Fix: copy ")


def test_paths_in_advice_are_those_of_the_project() -> None:
    """Also where a rule of the agent's names a file."""
    (found,) = advice(project({"AGENTS.md": RULES, ".rules": "Be brief.\n"}), "zed")
    assert "skips AGENTS.md: hidden by .rules. Fix: " in found.sentence


LOBE = {
    "AGENTS.md": "Write TypeScript with @scope/ui.\nShip small changes.\n",
    "CLAUDE.md": "Claude reads @.cursor/rules/style.mdc first.\nAsk before you push.\n",
    "GEMINI.md": "Gemini reads @.cursor/rules/style.mdc first.\n",
    ".cursor/rules/style.mdc": "---\ndescription: Style\nalwaysApply: false\n---\n\nTabs, two wide.\n",
}
"""Main files that name a rule of Cursor, which only some agents can import."""


def test_a_file_whose_imports_stand_for_a_line_of_it_is_not_skipped() -> None:
    """Gemini CLI puts a text in the place of `@path`: it has the file all the same, and the one that it imports."""
    for each in advice(project(LOBE), "claude-code", "gemini-cli", "cursor"):
        assert not {"/p/GEMINI.md", "/p/.cursor/rules/style.mdc"} & set(each.files) or "gemini-cli" not in each.agents


def test_a_rule_that_waits_is_not_skipped_and_takes_no_other_name() -> None:
    """Cursor tells the model of the rule; no name at which agents look for instructions is made a link to it."""
    found = advice(project(LOBE), "claude-code", "gemini-cli", "cursor")
    assert not [each.sentence for each in found if "cursor" in each.agents and each.files[0].endswith(".mdc")]
    assert not [each.change for each in found if each.change and (each.change.link or "").endswith(".mdc")]
    (rule,) = [each for each in found if each.files == ("/p/.cursor/rules/style.mdc",)]
    assert "`@` in CLAUDE.md names it, but this agent imports no `.mdc` files. Fix: copy " in rule.sentence


def test_lines_that_go_into_one_file_are_named_together() -> None:
    """The advice for one file has every line that it needs."""
    found = advice(project(LOBE), "gemini-cli", "cursor")
    printer = make_root_printer("/p")
    said = [describe_group(group, printer) for group in group_advice(found)]
    (gemini,) = [line for line in said if line.startswith("Gemini CLI")]
    assert gemini.startswith("Gemini CLI skips AGENTS.md and CLAUDE.md. Fix: add the lines `@")
    assert "`@AGENTS.md`" in gemini and "`@CLAUDE.md`" in gemini


def test_a_change_that_needs_another_says_so() -> None:
    """A file that has to import the text first is named, and one token is no tokens."""
    files = {
        "AGENTS.md": "One\nOne b\nOne c\n",
        "GEMINI.md": "Gem uses @x here\n",
        "CLAUDE.md": "---\na: b\n---\n\nTwo\n",
    }
    world = project({**files, ".claude/CLAUDE.md": "Four\n"})
    said = [each.sentence for each in advice(world, "gemini-cli", "claude-code", "cursor", "copilot-cli")]
    assert (
        "Claude Code skips AGENTS.md because CLAUDE.md exists. Fix: add a line `@../GEMINI.md` to .claude/CLAUDE.md "
        "once GEMINI.md imports AGENTS.md (+7 tokens)."
    ) in said
    assert "Gemini CLI skips .claude/CLAUDE.md. Fix: add a line `@.claude/CLAUDE.md` to GEMINI.md (+1 token)." in said


SKILL = "---\nname: {0}\ndescription: Reads the {0} table.\n---\nSteps.\n"


def test_skills_that_most_agents_list_are_linked_for_the_others() -> None:
    """Claude Code looks in .claude/skills alone; the link brings it the skills, and the others list nothing twice."""
    skills = {f".agents/skills/{name}/SKILL.md": SKILL.format(name) for name in ("tides", "moorings")}
    world = project({"AGENTS.md": RULES, **skills})
    (found,) = advice(world, "claude-code", "codex", "cursor", "copilot-cli")
    assert found.sentence == (
        "Claude Code skips 2 skills in .agents/skills. Fix: make .claude/skills a symlink to ../.agents/skills "
        "(+16 tokens)."
    )
    assert found.change is not None
    assert (found.change.path, found.change.link) == ("/p/.claude/skills", "../.agents/skills")
    assert found.change.helps == ("claude-code",)


@pytest.mark.parametrize(
    "files",
    [
        {".opencode/skills/tides/SKILL.md": SKILL.format("tides")},
        {
            ".agents/skills/tides/SKILL.md": SKILL.format("tides"),
            ".claude/skills/moorings/SKILL.md": SKILL.format("moorings"),
        },
        {".agents/skills/tides/SKILL.md": SKILL.format("tides"), ".claude/skills": "A file."},
    ],
    ids=["one agent's own skills", "the folder is taken", "a file stands there"],
)
def test_skills_are_not_linked_where_that_takes_a_place_or_most_do_not_list_them(files: dict[str, str]) -> None:
    """What only one agent lists is its own; a folder or file that exists stays."""
    found = advice(project({"AGENTS.md": RULES, **files}), "claude-code", "codex", "cursor", "opencode")
    assert [each for each in found if each.change and "claude-code" in each.change.helps] == []
