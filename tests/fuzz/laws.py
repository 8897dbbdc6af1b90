"""Laws, as targets: of the gate, of whole prompts in which every field is hostile, of messages and requests."""

import copy
import re
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import overture
from overture import OvertureError, Prompt, Session, State
from overture.assemble.sanitize.forbidden_frames import Guard, make_guard
from overture.assemble.sanitize.sanitize import apply_edits, contain, find_edits
from overture.recipes import BUILTIN
from overture.recipes.toml.make_recipe import make_recipe
from overture.testing import FakeWorld
from overture.text.escape import find_control_tokens
from overture.text.fences_and_headings import closing_fence, plain_heading
from tests.contract.corpus.reader import headings_in, tags_in

from ..recipes.test_text_everywhere import AUTHORS, PATHS, full
from .inputs import Choices, text_of
from .parsers import Target

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
NAMES = ("identity", "project-context", "équipe", "правила", "規則", "team rules", "1rules", "Task")
HEADINGS = ("# Project Context", "## Runtime")
GUARD = make_guard(frozenset(NAMES), frozenset(map(plain_heading, HEADINGS)))
PROVIDERS = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama")
FOREIGN = tuple(
    p for p in PATHS if ".".join(map(str, p)) not in (*AUTHORS, "agent.system_prompt") and p[0] != "overrides"
)
OWN = {
    "sections": [
        {"name": "team", "tag": "équipe", "text": "{{ memories }}"},
        {"name": "place", "tag": "правила", "text": "It lives in {{ user.location }}."},
        {"name": "menu", "tag": "team rules", "text": "{{ skills }}"},
        {"name": "who", "heading": "## Who is who", "text": "{{ user.name }} at {{ runtime.cwd }}."},
        {"name": "more", "tag": "1rules", "text": "<{{ user.name }}>{{ runtime.host }}"},
    ]
}


@cache
def own() -> overture.Recipe:
    """A user's recipe, in tags and headings of all kinds."""
    return make_recipe(OWN, "own", lambda _: overture.load_recipe("house"))


def recipe_at(at: int) -> str | overture.Recipe:
    """One of the built-in recipes, or a user's."""
    names = sorted(BUILTIN)
    return names[at] if at < len(names) else own()


def gate(data: bytes) -> None:
    """What came through comes through again; with the edits the original is there again; no frame, no token is left."""
    text, single = text_of(data), len(data) % 3 == 0
    once = contain(text, GUARD, single)[0]
    assert contain(once, GUARD, single)[0] == once, "the gate is not idempotent"
    assert restored(text, GUARD, single) == text, "the original can't be restored"
    assert not find_control_tokens(once), "a control token is left"
    assert not RAW.search(once), "a control character is left"
    assert not tags_in(once, NAMES), "a tag is left"
    assert not headings_in(once, HEADINGS), "a heading is left"
    assert not single or "\n" not in once, "a line is broken"


def restored(text: str, guard: Guard, single: bool) -> str:
    """The text that went in, from the text that came out and the edits."""
    edits = find_edits(text, guard, single)
    said, out, at, done = apply_edits(text, edits), [], 0, 0
    for edit in edits:
        out.append(said[at : at + edit.at - done])
        at += edit.at - done
        assert said.startswith(edit.text, at), "an edit is not where it says"
        out.append(text[edit.at])
        at, done = at + len(edit.text), edit.at + 1
    return "".join([*out, said[at:]])


def put(data: dict[str, Any], path: Iterable[Any], text: str) -> None:
    """A text at a place of a state."""
    *steps, last = path
    here: Any = data
    for step in steps:
        here = here[step]
    here[last] = text


def states(data: bytes) -> None:
    """However hostile the fields of a state: the frames of its prompt are those of a harmless one."""
    choices = Choices(data)
    recipe = recipe_at(choices.below(len(BUILTIN) + 1))
    hostile, plain = full(), full()
    for _ in range(1 + choices.byte() % 4):
        path = FOREIGN[choices.below(len(FOREIGN))]
        put(hostile, path, "x" + choices.text(16))
        put(plain, path, "xword")
    if isinstance(recipe, overture.Recipe):
        hostile, plain = own_fields(hostile), own_fields(plain)
    try:
        harmless = overture.build(recipe, State.from_dict(plain))
        prompt = overture.build(recipe, State.from_dict(hostile))
    except OvertureError:
        return
    check_prompt(prompt, harmless)
    if choices.byte() % 8 == 0:
        check_requests(prompt)


def own_fields(data: dict[str, Any]) -> dict[str, Any]:
    """The fields that the user's recipe says."""
    fields = ("skills", "memories", "user", "runtime")
    return {name: copy.deepcopy(data[name]) for name in fields}


def check_prompt(prompt: Prompt, harmless: Prompt) -> None:
    """The laws of one prompt, beside one of the same state with harmless words."""
    assert [b.name for b in prompt.blocks] == [b.name for b in harmless.blocks], "other sections"
    tags, headings = frames(prompt)
    for block, other in zip((*prompt.blocks, *prompt.messages), (*harmless.blocks, *harmless.messages), strict=True):
        assert tags_in(block.text, tags) == tags_in(other.text, tags), f"a tag in {block.name}"
        assert headings_in(block.text, headings) == headings_in(other.text, headings), f"a heading in {block.name}"
        assert not RAW.search(block.text), f"a control character in {block.name}"
        assert not closing_fence(block.text), f"an open code block in {block.name}"
        assert len(find_control_tokens(block.text)) == len(find_control_tokens(other.text)), (
            f"a control token in {block.name}"
        )
    assert tags_in(prompt.text, tags) == tags_in(harmless.text, tags), "a tag that comes together across blocks"
    assert [s.start for s in prompt.spans] == [0, *(s.end for s in prompt.spans)][:-1], "spans"


def frames(prompt: Prompt) -> tuple[list[str], list[str]]:
    """The tags and headings that may frame something in any prompt of the recipe, as they are written."""
    tags, headings, _ = prompt.recipe.frames
    return sorted(tags), sorted(line for line in headings if "{}" not in line)


def check_requests(prompt: Prompt) -> None:
    """Every provider's form holds the prompt's texts, and nothing raw."""
    for provider in PROVIDERS:
        try:
            request = overture.render(provider, prompt)
        except OvertureError:
            continue
        for text in texts_in(request):
            assert not RAW.search(text), f"a control character in the request of {provider}"


def texts_in(value: Any) -> Iterable[str]:
    """All texts of a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *texts_in(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)


def messages(data: bytes) -> None:
    """A skill's body and a nested file are one element of a message each, whatever they hold."""
    choices = Choices(data)
    recipe = ("opal", "house", "pi", "moltis")[choices.below(4)]
    body, nested = "x" + choices.text(16), "x" + choices.text(16)
    said, plain = told(recipe, body, nested), harmless_session(recipe)
    tags, headings = frames(said.live.prompt)
    every = (*tags, "skill", "skill-resources")
    got, wanted = said.texts, plain.texts
    assert len(got) == len(wanted), "another count of messages"
    for text, other in zip(got, wanted, strict=True):
        assert tags_in(text, every) == tags_in(other, every), "a tag in a message"
        assert headings_in(text, headings) == headings_in(other, headings), "a heading in a message"
        assert not RAW.search(text), "a control character in a message"
        assert not closing_fence(text), "an open code block in a message"
        assert not find_control_tokens(text), "a control token in a message"


class Told(NamedTuple):
    """A session, and what it said of files beside its prompt."""

    live: Session
    texts: list[str]


def told(recipe: str, body: str, nested: str) -> Told:
    """A session that has loaded a skill and met a nested file."""
    place = ".moltis/skills" if recipe == "moltis" else ".agents/skills"
    files = {
        "/p/AGENTS.md": "Use tabs.",
        "/p/CLAUDE.md": "Use tabs.",
        f"/p/{place}/tides/SKILL.md": f"---\nname: tides\ndescription: Reads tides.\n---\n{body}",
        "/p/sub/AGENTS.md": nested,
        "/p/sub/x.py": "",
    }
    live = Session(recipe, world=FakeWorld(files), config={"features.context.nested": True})
    live.turn("Go")
    loaded = live.framework.use_skill("tides")
    live.refresh(touched=["sub/x.py"])
    live.turn("On")
    return Told(live, [loaded, *(message.text for message in live.messages if message.kind == "context")])


@cache
def harmless_session(recipe: str) -> Told:
    """The same with harmless words."""
    return told(recipe, "xword", "xword")


LAWS: dict[str, Target] = {"the gate": gate, "states": states, "messages": messages}
