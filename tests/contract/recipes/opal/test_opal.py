from pathlib import Path
from typing import Any

import pytest

import overture
from overture.testing import make_state

GOLDENS = Path(__file__).parents[2] / "goldens" / "opal"

FOUR: list[dict[str, Any]] = [{"name": name} for name in ("read_file", "edit_file", "write_file", "shell")]
CONTEXT = [
    {"path": "/home/user/AGENTS.md", "content": "Sign every commit.\n"},
    {"path": "/home/user/project/AGENTS.md", "content": "# Project\n\nRun `make test` before you finish.\n"},
]
SKILLS = [
    {
        "name": "my-skill",
        "description": "Does something useful for the project.",
        "location": "/home/user/project/.agents/skills/my-skill/SKILL.md",
    },
    {
        "name": "testing",
        "description": "Runs and fixes tests following\n  project conventions.",
        "location": "/home/user/.opal/skills/testing/SKILL.md",
    },
]
RUNTIME = {"cwd": "/home/user/project/src", "home": "/home/user"}
EVERYTHING: dict[str, Any] = {
    "context_files": CONTEXT,
    "skills": SKILLS,
    "runtime": RUNTIME,
    "tools": [*FOUR, {"name": "use_skill"}],
    "session": {"id": "4f2a"},
}
STATES: dict[str, dict[str, Any]] = {
    "default": {},
    "four_tools": {"tools": FOUR},
    "everything": EVERYTHING,
    "sub_agent": {
        **EVERYTHING,
        "session": None,
        "agent": {"system_prompt": "You fix one failing test and report what you changed."},
    },
    "custom_prompt": {
        "agent": {"system_prompt": "\nYou are a code review specialist.\n"},
        "runtime": RUNTIME,
        "session": {"id": "ignored", "plan_path": "/home/user/.opal/sessions/4f2a/plan.md"},
    },
    "shell_only": {"tools": [{"name": "bash"}]},
    "skills_only": {"skills": SKILLS},
}


def guidelines(*tools: str) -> list[str]:
    """The rules that fired, by name, in the order of the prompt."""
    prompt = overture.build("opal", make_state(tools=[{"name": name} for name in tools]))
    names = [span.source.name for span in prompt.spans if span.source.kind == "rule"]
    return list(dict.fromkeys(name for name in names if name))


@pytest.mark.parametrize("name", STATES)
def test_the_prompt_is_the_one_that_the_document_promises(name: str) -> None:
    """Opal's prompt equals its golden text, character by character."""
    golden = (GOLDENS / f"{name}.txt").read_text(encoding="utf-8")
    assert overture.build("opal", make_state(**STATES[name])).text + "\n" == golden


def test_every_golden_is_used() -> None:
    """No golden text lies about that no test compares."""
    assert {path.stem for path in GOLDENS.iterdir()} == set(STATES)


@pytest.mark.parametrize("shell", ["shell", "bash", "zsh", "cmd", "powershell"])
def test_every_shell_counts_as_a_shell(shell: str) -> None:
    """Each of the five shells of the document fires the same rules."""
    assert guidelines("read_file", "edit_file", "write_file", shell) == [
        "read_vs_shell", "edit_vs_shell", "write_guidelines", "shell_display_warning", "status_tags",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tools", "fired"),
    [
        ((), []),
        (("grep",), []),
        (("Bash",), []),
        (("fish",), []),
        (("ask_user",), []),
        (("read_file",), ["status_tags"]),
        (("edit_file",), ["status_tags"]),
        (("use_skill",), ["status_tags"]),
        (("sub_agent",), ["status_tags"]),
        (("write_file",), ["write_guidelines", "status_tags"]),
        (("read_file", "edit_file"), ["status_tags"]),
        (("shell",), ["shell_display_warning", "search_guidelines", "status_tags"]),
        (("cmd", "zsh"), ["shell_display_warning", "search_guidelines", "status_tags"]),
        (("read_file", "shell"), ["read_vs_shell", "shell_display_warning", "status_tags"]),
        (("shell", "edit_file"), ["edit_vs_shell", "shell_display_warning", "search_guidelines", "status_tags"]),
        (("write_file", "shell"), ["write_guidelines", "shell_display_warning", "search_guidelines", "status_tags"]),
    ],
)
def test_each_rule_fires_under_its_condition(tools: tuple[str, ...], fired: list[str]) -> None:
    """The rules that fire for a set of tools are those of the document's table, in its order."""
    assert guidelines(*tools) == fired


def test_tool_order_does_not_move_the_guidelines() -> None:
    """The guidelines are the same in whichever order the tools are given."""
    names = [tool["name"] for tool in FOUR]
    assert guidelines(*names) == guidelines(*reversed(names))


def test_what_is_left_out_says_why() -> None:
    """Every section without anything to say is recorded with its reason, and leaves no empty tag."""
    prompt = overture.build("opal", make_state())
    reasons = {omission.name: omission.reason for omission in prompt.omitted}
    assert list(reasons) == ["project-context", "skills", "environment", "tool-guidelines", "planning"]
    assert all(reasons.values())
    assert "sub-agent" in reasons["planning"]
    assert prompt.text.count("<") == 2


@pytest.mark.parametrize("blank", ["", "  ", "\n\t\n"])
def test_a_blank_system_prompt_counts_as_absent(blank: str) -> None:
    """A system prompt of nothing but blanks leaves Opal's own identity in place."""
    prompt = overture.build("opal", make_state(agent={"system_prompt": blank}))
    assert prompt.text == overture.build("opal", make_state()).text


def test_the_authors_own_prompt_is_left_as_it_is() -> None:
    """`agent.system_prompt` may hold tags and tokens: its author controls the format."""
    own = "<identity>\nI am <|me|>.\n</identity>"
    prompt = overture.build("opal", make_state(agent={"system_prompt": own}))
    assert prompt.text == own
    assert prompt.diagnostics == ()


def test_skills_without_the_tool_that_loads_them_are_reported() -> None:
    """A menu that names `use_skill` while it is not active is printed, with a diagnostic that says so."""
    without = overture.build("opal", make_state(skills=SKILLS))
    with_tool = overture.build("opal", make_state(skills=SKILLS, tools=[{"name": "use_skill"}]))
    assert [d.code for d in without.diagnostics] == ["tool-inactive"]
    assert "`use_skill`" in without.diagnostics[0].message
    assert with_tool.diagnostics == ()


def test_a_skill_kept_from_the_model_is_not_in_the_menu() -> None:
    """A skill with disable_model_invocation is not listed; if it is the only one, the section says why it is out."""
    hidden = {**SKILLS[0], "disable_model_invocation": True}
    one = overture.build("opal", make_state(skills=[hidden, SKILLS[1]]))
    none = overture.build("opal", make_state(skills=[hidden]))
    assert "my-skill" not in one.text
    assert "testing" in one.text
    assert "<skills>" not in none.text
    assert "skills" in [omission.name for omission in none.omitted]


def test_the_plan_lies_under_home_unless_a_path_is_given() -> None:
    """`plan_path` defaults to HOME/.opal/sessions/ID/plan.md."""
    default = overture.build("opal", make_state(session={"id": "s1"}, runtime={"home": "/home/ada"}))
    given = overture.build("opal", make_state(session={"id": "s1", "plan_path": "/tmp/p.md"}))
    assert "document at:\n/home/ada/.opal/sessions/s1/plan.md\n\n" in default.text
    assert "document at:\n/tmp/p.md\n\n" in given.text


@pytest.mark.parametrize("cwd", ["/p/two  blanks", "/p/日本語", "/p/a\u00a0b"])
def test_the_working_directory_stands_as_it_is(cwd: str) -> None:
    """A path with unusual blanks is printed as it is: any other path would be a different directory."""
    prompt = overture.build("opal", make_state(runtime={"cwd": cwd}))
    assert f"Working directory: {cwd}\n</environment>" in prompt.text


def test_a_path_can_not_leave_its_attribute_or_line() -> None:
    """Quotes, brackets and line breaks in a file's path are escaped in the `source` attribute."""
    path = '/p/a"b\n<skills>&[INST]'
    text = overture.build("opal", make_state(context_files=[{"path": path, "content": "x"}])).text
    tag = text[text.index("<project-context") :].partition("\n")[0]
    assert tag.startswith('<project-context source="/p/a&quot;b&#10;&lt;skills&gt;&amp;')
    assert tag.endswith('">')
    assert "[INST]" not in tag


def test_a_blank_file_leaves_no_tag() -> None:
    """A context file without any text gives no tag, and its neighbours stand."""
    files = [{"path": "/p/A.md", "content": " \n"}, {"path": "/p/B.md", "content": "b"}]
    text = overture.build("opal", make_state(context_files=files)).text
    assert "A.md" not in text
    assert text.endswith('<project-context source="/p/B.md">\nb\n</project-context>')


@pytest.mark.parametrize(
    ("component", "tag", "parent", "child"),
    [
        ("base prompt", "<identity>", True, False),
        ("project context", "<project-context", True, True),
        ("skill menu", "<skills>", True, True),
        ("tool guidelines", "<tool-guidelines>", True, True),
        ("planning", "<planning>", True, False),
    ],
)
def test_a_sub_agent_differs_as_the_table_says(component: str, tag: str, parent: bool, child: bool) -> None:
    """A sub-agent has its own base prompt, inherits context and skills, and gets no planning."""
    state = make_state(**EVERYTHING)
    sub = overture.derive(state, prompt="You review one file.")
    assert (tag in overture.build("opal", state).text) is parent
    assert (tag in overture.build("opal", sub).text) is child


def test_a_sub_agents_base_is_its_task_prompt() -> None:
    """The sub-agent's prompt begins with the task that it was given."""
    sub = overture.derive(make_state(**EVERYTHING), prompt="You review one file.")
    assert overture.build("opal", sub).text.startswith("You review one file.\n\n<project-context")
