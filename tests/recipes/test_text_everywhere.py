"""Whatever text a state holds, wherever it holds it: no recipe passes on a control character or an open code block."""

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import overture
from overture import Prompt, State
from overture.errors import StateError
from overture.recipes import BUILTIN
from overture.text.fences_and_headings import closing_fence
from tests.contract.effort import examples
from tests.contract.recipes.full_state import FULL

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
SIGNS = "\x00\x07\x08\x0b\x0c\x1b\x1c\x1f\x7f\x80\x85\x9b"
FIXED = ("now", "timezone", "signature", "output_signature", "capabilities", "conventions", "prompt")
"""What has a form of its own, and is refused or reported where it has another."""
AUTHORS = ("agent.system_prompt", "agent.identity", "agent.instructions", "agent.role", "overrides.append")
MORE = {"agent": {"system_prompt": "You are Bo."}, "overrides": {"system": "Be {{tools}}."}}
TASK = {"description": "Take a wrench."}


def full() -> dict[str, Any]:
    """A state that gives every field, with text in each."""
    data = copy.deepcopy(FULL)
    data["task"] |= TASK
    data["runtime"] |= {"shell": "zsh", "model": "m", "docs": {"main": "/docs", "examples": "/examples"}}
    data["runtime"]["sandbox"] |= {"image": "i"}
    data["session"] |= {"plan_path": "/p/plan.md"}
    data["skills"][0] |= {"source": "project"}
    data["tools"][0] |= {"snippet": "Reads"}
    data["tools"][0]["parameters"]["properties"] = {"path": {"type": "string", "description": "which"}}
    return data


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every text."""
    if isinstance(value, str):
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        if key not in FIXED:
            yield from leaves(inner, (*path, key))


def replaced(path: tuple[Any, ...], text: str) -> dict[str, Any]:
    """The full state with another text in one place, or one more text."""
    data = full()
    *steps, last = path
    here: Any = data
    for step in steps:
        here = here.setdefault(step, {}) if isinstance(here, dict) else here[step]
    here[last] = text
    return data


PATHS = [*leaves(full()), *leaves(MORE)]


def built(recipe: str, data: dict[str, Any]) -> Prompt | None:
    """The prompt; None where the state is refused with an error of its own, e.g. for a tool's type."""
    try:
        return overture.build(recipe, State.from_dict(data))
    except StateError as problem:
        assert not RAW.search(str(problem))
        return None


def all_text(prompt: Prompt) -> str:
    """What the model gets: the system prompt, and what goes into the user's message."""
    return "\n\n".join([prompt.text, *(block.text for block in prompt.messages)])


@pytest.mark.slow(unless=("U+001B-house",))
@pytest.mark.parametrize("recipe", BUILTIN)
@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: f"U+{ord(sign):04X}")
def test_a_control_character_is_shown_and_reported(recipe: str, sign: str) -> None:
    r"""In every text of a state, each recipe writes `\u{001B}` for it, and says so; nothing vanishes."""
    for path in PATHS:
        prompt = built(recipe, replaced(path, f"qx{sign}xq"))
        if prompt is None:
            continue
        text = all_text(prompt)
        assert not RAW.search(text), path
        assert "qxxq" not in text and "qx xq" not in text, path
        assert not any(RAW.search(str(note)) or "\n" in str(note) for note in prompt.diagnostics), path
        if f"qx\\u{{{ord(sign):04X}}}xq" in text:
            assert "control-character" in [note.code for note in prompt.diagnostics], path


@pytest.mark.slow(unless=("pi", "house"))
@pytest.mark.parametrize("recipe", BUILTIN)
def test_every_text_that_is_said_is_among_them(recipe: str) -> None:
    """The paths of this test reach the texts that a recipe says: it would not pass by saying nothing."""
    said = [path for path in PATHS if (p := built(recipe, replaced(path, "qxxq"))) and "qxxq" in all_text(p)]
    least = {"opal": 9, "pi": 12, "moltis": 20, "nova": 12, "ptc": 9, "house": 35}
    assert len(said) >= least[recipe], said


@pytest.mark.slow(unless=("\\r-house",))
@pytest.mark.parametrize("recipe", BUILTIN)
@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_a_carriage_return_is_a_line_end(recipe: str, end: str) -> None:
    """In every text it is what a newline would be there, or a character that is shown where only one line is."""
    for path in PATHS:
        prompt, plain = built(recipe, replaced(path, f"qx{end}xq")), built(recipe, replaced(path, "qx\nxq"))
        if prompt is None or plain is None:
            continue
        text = re.sub(r"(?:\\u\{000D\})?\\u\{000A\}|\\u\{000D\}", "\\\\u{000A}", all_text(prompt))
        text = re.sub(r"&#13;(&#10;)?", "&#10;", text)
        text = re.sub(r"\\r(\\n)?", r"\\n", text)
        assert text == all_text(plain), path


@pytest.mark.slow(unless=("```sh\\nls-house",))
@pytest.mark.parametrize("recipe", BUILTIN)
@pytest.mark.parametrize("text", ["```sh\nls", "x\n~~~~\nls\n~~~", "- a\n\n  ```\n  b", "> ```\n> b", "```", "a\n```x"])
def test_a_code_block_that_is_left_open_is_closed(recipe: str, text: str) -> None:
    """In every text that is not the author's, so that the rest of the prompt is no code; and a diagnostic says so."""
    for path in PATHS:
        prompt = built(recipe, replaced(path, text))
        if prompt is None or ".".join(map(str, path)) in (*AUTHORS, *(".".join(p) for p in leaves(MORE))):
            continue
        for block in (*prompt.blocks, *prompt.messages):
            assert closing_fence(block.text) == "", (path, block.name)


@pytest.mark.slow(unless=("pi", "house"))
@pytest.mark.parametrize("recipe", BUILTIN)
def test_closing_is_reported_with_the_field(recipe: str) -> None:
    """Where a recipe closes a code block it names the field, or the file and the line of the fence that opens it."""
    for path in PATHS:
        prompt = built(recipe, replaced(path, "qx\n```sh\nls"))
        if prompt is None or ".".join(map(str, path)) in AUTHORS or path[0] == "overrides":
            continue
        notes = [note for note in prompt.diagnostics if note.code == "open-fence"]
        assert bool(notes) == bool(re.search("^ *```sh$", all_text(prompt), re.MULTILINE)), path
        if notes and path[0] in ("context_files", "workspace_files"):
            assert [(note.path, note.line) for note in notes] == [(full()[path[0]][path[1]]["path"], 2)]
        elif notes and path[0] == "skills":
            assert [(note.path, note.line) for note in notes] == [(full()["skills"][0]["location"], 1)]
        else:
            assert all(note.message.startswith(str(path[0])) for note in notes)


PIECES = st.sampled_from(
    (
        "```",
        "~~~",
        "````",
        "```sh",
        "\n",
        "\n\n",
        "\r",
        " ",
        "    ",
        "- ",
        "> ",
        "1. ",
        "x",
        "`",
        "\x1b",
        "\x0c",
        "</Task>",
    )
)
HOSTILE = st.lists(PIECES, max_size=9).map("".join)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(BUILTIN)), st.lists(st.sampled_from(PATHS), min_size=1, max_size=6, unique=True), HOSTILE)
def test_no_text_leaves_a_code_block_open_or_a_control_character_raw(
    recipe: str, paths: list[tuple[Any, ...]], text: str
) -> None:
    """Wherever fences, list marks, quotes, line ends and control characters stand, in several fields at once."""
    data = full()
    for path in paths:
        if ".".join(map(str, path)) in AUTHORS or path[0] == "overrides" or path == ("agent", "system_prompt"):
            continue
        here: Any = data
        for step in path[:-1]:
            here = here[step]
        here[path[-1]] = f"x{text}"
    prompt = built(recipe, data)
    if prompt is None:
        return
    assert not RAW.search(all_text(prompt))
    for block in (*prompt.blocks, *prompt.messages):
        assert closing_fence(block.text) == "", block.name
    assert [s.start for s in prompt.spans] == [0, *(s.end for s in prompt.spans)][:-1]
    assert prompt.spans[-1].end == len(prompt.text)


@pytest.mark.parametrize("recipe", BUILTIN)
def test_the_recipes_own_words_leave_no_code_block_open(recipe: str) -> None:
    """Each block of a recipe ends where no code block is open."""
    prompt = overture.build(recipe, State.from_dict(full()))
    for block in (*prompt.blocks, *prompt.messages):
        assert closing_fence(block.text) == "", block.name


@pytest.mark.parametrize(
    ("recipe", "field", "data"),
    [
        ("opal", "agent.system_prompt", {"agent": {"system_prompt": "Be.\n```\n\x1b"}}),
        ("pi", "overrides.system", {"overrides": {"system": "Be.\n```\n{{tools}}\x1b"}}),
        ("pi", "overrides.append", {"overrides": {"append": "Be.\n```\n\x1b"}}),
        ("nova", "agent.identity", {"agent": {"identity": "Be.\n```\n\x1b"}}),
        ("nova", "agent.instructions", {"agent": {"identity": "Be.", "instructions": "Be.\n```\n\x1b"}}),
        ("house", "overrides.system", {"overrides": {"system": "Be.\n```\n\x1b"}}),
        ("ptc", "mission.prompt", {"mission": {"prompt": "Be.\n```\n\x1b"}}),
    ],
)
def test_the_authors_own_code_block_is_left_and_reported(recipe: str, field: str, data: dict[str, Any]) -> None:
    """What the agent's author wrote stays as it is, but for control characters; what it does to the rest is said."""
    origins = {field: {"path": "/p/f.md", "line": 3}} if field.startswith("overrides") else {}
    prompt = overture.build(recipe, State.from_dict({**data, "origins": origins}))
    assert closing_fence(prompt.text) == "\n```"
    found = {note.code: note for note in prompt.diagnostics if note.code in ("unclosed-fence", "control-character")}
    assert sorted(found) == ["control-character", "unclosed-fence"]
    if origins:
        assert [(note.path, note.line) for _, note in sorted(found.items())] == [("/p/f.md", 5), ("/p/f.md", 4)]
    else:
        assert all(note.message.startswith(f"{field}: ") for note in found.values())
