"""Attacks and harmless files through the real thing: prompts of every recipe, and messages of sessions."""

import html
import re
import time
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import overture
from overture import Prompt, State
from overture.recipes import BUILTIN
from overture.testing import FakeWorld, make_state
from overture.text.escape import find_control_tokens
from overture.text.fences_and_headings import closing_fence
from tests.contract.corpus.cases import Case, written
from tests.contract.corpus.reader import headings_in, tags_in

from ..fuzz.laws import RAW, Told, frames, own, own_fields, put, told
from ..recipes.test_text_everywhere import full

PLACES: dict[str, tuple[Any, ...]] = {
    "context": ("context_files", 0, "content"),
    "second context": ("context_files", 1, "content"),
    "context path": ("context_files", 0, "path"),
    "workspace": ("workspace_files", 0, "content"),
    "skill name": ("skills", 0, "name"),
    "skill description": ("skills", 0, "description"),
    "skill path": ("skills", 0, "location"),
    "memory": ("memories", 0),
    "second memory": ("memories", 1),
    "tool name": ("tools", 0, "name"),
    "tool description": ("tools", 0, "description"),
    "tool guideline": ("tools", 1, "guidelines", 0),
    "user name": ("user", "name"),
    "user location": ("user", "location"),
    "duty": ("agent", "responsibilities", 0, "content"),
    "task": ("task", "description"),
    "cwd": ("runtime", "cwd"),
    "host": ("runtime", "host"),
    "os": ("runtime", "os"),
    "branch": ("git", "branch"),
}
"""Where a text stands in a state."""
MESSAGES = ("skill body", "nested file")
SPEAKING = ("opal", "house", "pi", "moltis")
"""Recipes whose sessions load skills and meet nested files."""
WORD = "qxword"
SECONDS = 2.0
SMALLER = 20
"""By turns, hostile sizes are so many times smaller."""


class Ran(NamedTuple):
    """What became of one attack in one place of one recipe."""

    where: str
    faults: tuple[str, ...]
    reported: bool
    exact: bool
    """Whether everything but what was neutralised is there."""


def ran(case: Case, turn: int | None = None) -> Iterator[Ran]:
    """The case in every place and recipe that it is for; or, by turns, in one place of every other recipe."""
    if case.links:
        yield _linked(case)
        return
    recipes = case.recipes or (*sorted(BUILTIN), "own")
    for recipe in recipes if turn is None or len(recipes) < 5 else recipes[turn % 2 :: 2]:
        if case.parts:
            yield from _built(case, recipe, case.parts, turn)
            continue
        places = [place for place in case.places if _says(recipe, place)]
        for place in places if turn is None or not places else [places[turn % len(places)]]:
            if place in MESSAGES:
                yield from _told(case, recipe, place, turn)
            else:
                yield from _built(case, recipe, {place: case.text}, turn)


@cache
def _says(recipe: str, place: str) -> bool:
    return recipe in SPEAKING if place in MESSAGES else WORD in _texts(_plain(recipe, (place,)))


@cache
def _recipe(name: str) -> str | overture.Recipe:
    return own() if name == "own" else name


@cache
def _plain(recipe: str, places: tuple[str, ...]) -> Prompt:
    """The prompt with a harmless word in these places."""
    return overture.build(_recipe(recipe), _state(recipe, dict.fromkeys(places, WORD)))


def _state(recipe: str, texts: dict[str, str]) -> State:
    data = full()
    for place, text in texts.items():
        put(data, PLACES[place], text)
    return State.from_dict(own_fields(data) if recipe == "own" else data)


def _texts(prompt: Prompt) -> str:
    return "\n\n".join(block.text for block in (*prompt.blocks, *prompt.messages))


def _built(case: Case, recipe: str, texts: dict[str, str], turn: int | None) -> Iterator[Ran]:
    plain = _plain(recipe, tuple(texts))
    for tag, heading in _aims(case, plain, turn):
        said = {place: written(text, tag, heading, 1 if turn is None else SMALLER) for place, text in texts.items()}
        start = time.process_time()
        prompt = overture.build(_recipe(recipe), _state(recipe, said))
        took = time.process_time() - start
        size = sum(map(len, said.values()))
        faults = [*_broken(prompt, plain, case)]
        if turn is None and took > SECONDS * max(1, size / 200_000):
            faults.append(f"it took {took:.1f} seconds")
        if case.lines and _texts(prompt).count("\n") != _texts(plain).count("\n"):
            faults.append("another count of lines")
        notes = [(note.code, note.message) for note in prompt.diagnostics]
        if HEURISTIC in case.codes:
            notes += [(each.code, each.message) for each in overture.check(prompt, select=(HEURISTIC,)).findings]
        reported = _reported(case, notes) or (case.escapable and all(_escapes(recipe, place) for place in said))
        exact = all(_is_there(part, case, _texts(prompt)) for part in said.values())
        yield Ran(f"{recipe}, {', '.join(texts)}, {tag or heading!r}", tuple(faults), reported, exact)


def _aims(case: Case, plain: Prompt, turn: int | None) -> list[tuple[str, str]]:
    """The tags and headings that an attack is aimed at here: one around the text, and others; by turns, one of them."""
    tags, headings = frames(plain)
    text = case.text or "".join(case.parts.values())
    around = [block for block in plain.blocks if WORD in block.text]
    aims = [("", "")]
    if "{tag" in text:
        first = [tag for tag in tags if around and tags_in(around[0].text, [tag])]
        aims = [(tag, "") for tag in dict.fromkeys([*first[:1], *tags[:1], *tags[-1:]])]
    elif "{heading" in text:
        level = [h for h in headings if "setext" not in text or h.count("#") < 3]
        aims = [("", heading) for heading in dict.fromkeys(level[:1] + level[-1:])]
    return aims if turn is None or not aims else [aims[turn % len(aims)]]


def _broken(prompt: Prompt, plain: Prompt, case: Case) -> Iterator[str]:
    tags, headings = frames(plain)
    blocks, others = (*prompt.blocks, *prompt.messages), (*plain.blocks, *plain.messages)
    if [block.name for block in blocks] != [block.name for block in others]:
        yield "other sections"
        return
    for block, other in zip(blocks, others, strict=True):
        if block.text != other.text:
            yield from _differences(block.text, other.text, tags, headings, case)
            if closing_fence(block.text):
                yield f"an open code block in {block.name}"
    if any(RAW.search(str(note)) or "\n" in str(note) for note in prompt.diagnostics):
        yield "a diagnostic shows a control character"


def _differences(text: str, plain: str, tags: list[str], headings: list[str], case: Case) -> Iterator[str]:
    if len(text) < 100_000 and tags_in(text, tags) != tags_in(plain, tags):
        yield "a tag of the prompt"
    if headings_in(text, headings) != headings_in(plain, headings):
        yield "a heading of the prompt"
    if RAW.search(text):
        yield "a control character"
    if len(find_control_tokens(text)) != len(find_control_tokens(plain)):
        yield "a control token"
    yield from (f"{absent!r} is there" for absent in case.absent if absent in text and absent not in plain)


def _reported(case: Case, notes: list[tuple[str, str]]) -> bool:
    if case.spells and not any(f'spell "{case.spells}' in message for _, message in notes):
        return False
    return not case.codes or any(code in case.codes for code, _ in notes) or (case.codes == ("*",) and bool(notes))


@cache
def _escapes(recipe: str, place: str) -> bool:
    """Whether a place escapes all that it takes, so that there is nothing to report of a tag."""
    return f"&amp;{WORD}" in _texts(overture.build(_recipe(recipe), _state(recipe, {place: f"&{WORD}"})))


def _is_there(text: str, case: Case, said: str) -> bool:
    """Whether a text is there but for what was neutralised; where a secret is written otherwise, every other line."""
    lines = [line for line in text.split("\n") if not any(part in line for part in case.absent)]
    return all(restored(line) in restored(said) for line in (lines if case.absent else [text]))


HEURISTIC = "suspicious"
"""What only `overture check` says, of what a text means."""
SHOWN = re.compile(r"\\u\{([0-9A-F]{4,6})\}")


def restored(text: str) -> str:
    """A text with every edit undone, as far as blanks do not count."""
    text = SHOWN.sub(lambda m: chr(int(m[1], 16)), html.unescape(text))
    text = (
        text.replace("\\r", "")
        .replace("\\n", "")
        .replace("\\t", "")
        .replace("\\", "")
        .replace('"', "")
        .replace("\r", "\n")
    )
    return "".join(text.split())


@cache
def _session(recipe: str, place: str, text: str) -> Told:
    return told(recipe, text if place == "skill body" else "xword", text if place == "nested file" else "xword")


def _told(case: Case, recipe: str, place: str, turn: int | None) -> Iterator[Ran]:
    plain = _session(recipe, place, "xword")
    tags, headings = frames(plain.live.prompt)
    every = [*tags, "skill", "skill-resources"]
    for tag, heading in _aims(case, plain.live.prompt, turn):
        text = written(case.text, tag, heading)
        live = told(recipe, *((text, "xword") if place == "skill body" else ("xword", text)))
        got, wanted = "\n\n".join(live.texts), "\n\n".join(plain.texts)
        faults = [*_differences(got, wanted, every, headings, case)]
        faults += ["an open code block" for message in live.texts if closing_fence(message)]
        notes = [(note.code, note.message) for entry in live.live.record for note in entry.diagnostics]
        exact = _is_there(text, case, got)
        yield Ran(f"{recipe}, {place}, {tag or heading!r}", tuple(faults), _reported(case, notes), exact)


SECRET = "the harbour master's code"


def _linked(case: Case) -> Ran:
    """A project whose links lead out."""
    skill = f"---\nname: x\ndescription: {SECRET}\n---\n{SECRET}"
    files = {"/etc/secret": SECRET, "/proc/self/environ": SECRET, "/p/.git/HEAD": "", "/p/README.md": "x"}
    files |= {f"/etc/{name}/SKILL.md": skill for name in ("skill", "skills/x", "agents/skills/x")}
    found = overture.discover("house", world=FakeWorld(files, links=case.links), cwd="/p")
    prompt = overture.build("house", found.state)
    faults = [f"{absent!r} is there" for absent in case.absent if absent in prompt.text]
    notes = [(note.code, note.message) for note in (*found.diagnostics, *prompt.diagnostics)]
    return Ran("house", tuple(faults), _reported(case, notes), True)


def typical(text: str) -> State:
    """What a coding agent in an ordinary project knows, with one more project file."""
    return make_state(
        context_files=[{"path": "/p/AGENTS.md", "content": text}],
        skills=[{"name": "tides", "description": "Reads tides.", "location": "/p/.agents/skills/tides/SKILL.md"}],
        tools=[{"name": "read", "description": "Read a file."}, {"name": "bash"}, {"name": "use_skill"}],
        runtime={"cwd": "/p"},
        now="2026-03-07T08:55:05-06:00",
        memories=[text.replace("\n", " ")] if "\n" not in text.strip() else [],
    )


class Kept(NamedTuple):
    """What became of a harmless file."""

    where: str
    exact: bool
    codes: tuple[str, ...]


def kept(text: str) -> Iterator[Kept]:
    """A harmless file in every recipe that says it, and in messages."""
    wanted = text.replace("\r\n", "\n").strip()
    for recipe in ("opal", "pi", "moltis", "house", "nova"):
        prompt = overture.build(recipe, typical(text))
        if recipe == "nova" and not prompt.state.memories:
            continue
        codes = [note.code for note in prompt.diagnostics if note.code in CODES]
        if recipe == "house":
            codes += [each.code for each in overture.check(prompt, select=(HEURISTIC,)).findings]
        yield Kept(recipe, wanted in _texts(prompt), tuple(codes))
    live = told("house", text, text)
    told_of = tuple(note.code for entry in live.live.record for note in entry.diagnostics if note.code in CODES)
    yield Kept("messages", all(wanted in message for message in live.texts), told_of)


CODES = (
    "contained-tag", "contained-token", "contained-heading", "hidden-character", "control-character",
    "contained-fence", "contained-break", "open-fence", "secret",
)  # fmt: skip
"""What says that a text was taken for an attack."""
