"""Neutralised, hidden, secret and cut text is marked, with what was there; and nothing else is."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import overture
from overture import Prompt, State
from overture.assemble.sanitize.sanitize import MESSAGES
from overture.errors import OvertureError
from overture.recipes import BUILTIN
from overture.report.sheet.sheet import Mark, Sheet, SheetPiece
from overture.testing import make_state
from tests.contract.corpus.cases import attacks, harmless
from tests.contract.effort import examples

from ...assemble.nasty import states, texts
from ...corpus.run_cases import PLACES
from ...fuzz.laws import put
from ...recipes.test_text_everywhere import full
from .sheets import before_sanitizing, marks_in, pairs, restored, sheet_of, unframed

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
some = settings(max_examples=examples(90), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check_marks(prompt: Prompt) -> Sheet:
    """The laws of marks, of any prompt that is not cut."""
    sheet = sheet_of(prompt)
    assert sheet.text == prompt.text
    for block, shown in pairs(prompt, sheet):
        marks = [piece.mark for piece in shown.pieces if piece.mark]
        kinds = {mark.kind for mark in marks}
        if not kinds & {"secret", "cut"}:
            assert unframed(block, restored(shown)) == before_sanitizing(block)
        for piece in shown.pieces:
            assert piece.mark is None or piece.mark.kind == "cut" or piece.mark.was != piece.text
        for note in block.notes:
            if note.code == "secret":
                assert "secret" in kinds
            elif MESSAGES.get(note.code, "\0") not in note.message or note.code == "unclosed-fence":
                continue  # not from sanitizing, as a section may escape text itself; or only reported
            elif note.code in ("hidden-character", "control-character"):
                assert "hidden" in kinds
            else:
                assert any(mark.note == MESSAGES[note.code] for mark in marks), note.code
    return sheet


@some
@given(st.sampled_from(sorted(BUILTIN)), states)
def test_what_was_there_in_place_of_each_mark_gives_back_the_source(recipe: str, state: State) -> None:
    """Whatever files hold: unmarked text is the source's own, marked text has what stood there, reports have marks."""
    check_marks(overture.build(recipe, state))


@some
@given(st.sampled_from(sorted(BUILTIN)), st.sampled_from(sorted(PLACES)), texts)
def test_text_in_any_place_of_a_state_is_marked(recipe: str, place: str, text: str) -> None:
    """Wherever a text stands: in a file, a name, a path, a line of the recipe's own words."""
    data = full()
    put(data, PLACES[place], f"x{text}")
    try:
        prompt = overture.build(recipe, State.from_dict(data))
    except OvertureError:
        return
    check_marks(prompt)


def corpus() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every attack on a state, each in one place of one recipe, by turns."""
    recipes = sorted(BUILTIN)
    for turn, case in enumerate(attacks()):
        if case.links or len(case.text) > 20_000:
            continue
        places = [place for place in case.places if place in PLACES] or ["context"]
        data = full()
        for place, text in (case.parts or {places[turn % len(places)]: case.text}).items():
            if place in PLACES:
                put(data, PLACES[place], text)
        yield recipes[turn % len(recipes)], data


@pytest.mark.slow
def test_every_attack_of_the_corpus_is_marked_where_it_is_contained() -> None:
    """The same laws for known attacks."""
    seen = set[str]()
    for recipe, data in corpus():
        try:
            prompt = overture.build(recipe, State.from_dict(data))
        except OvertureError:
            continue
        seen.update(mark.kind for mark in marks_in(check_marks(prompt)))
    assert seen >= {"hidden", "neutralised", "secret"}


def test_harmless_files_have_no_marks() -> None:
    """Real files, with code, tables, emoji and other scripts."""
    for _, text in islice(harmless(), 0, None, 2):
        prompt = overture.build("opal", make_state(context_files=[{"path": "/p/AGENTS.md", "content": text}]))
        if not prompt.diagnostics:
            assert marks_in(sheet_of(prompt)) == []


def of_file(text: str, recipe: str = "opal", **more: Any) -> Sheet:
    """The sheet of a prompt with one file."""
    state = make_state(context_files=[{"path": "/p/AGENTS.md", "content": text}], **more)
    return check_marks(overture.build(recipe, state))


def marked(sheet: Sheet) -> list[tuple[str, Mark]]:
    """The marked pieces."""
    return [(p.text, p.mark) for block in sheet.blocks for p in block.pieces if p.mark]


def test_what_is_written_by_hand_is_not_marked() -> None:
    """Text of the user's own that looks like an escape is no mark, though the same beside it is one."""
    by_hand = "Write &lt;skills> or \\u{200B} or [secret: API key] or \\# Title or &#x3C; yourself."
    assert marked(of_file(by_hand)) == []
    ((said, mark),) = marked(of_file(f"{by_hand}\u200b"))
    assert (said, mark.kind, mark.was) == ("\\u{200B}", "hidden", "\u200b")


@pytest.mark.parametrize(
    ("text", "said", "was", "note"),
    [
        ("a\u202eb", "\\u{202E}", "\u202e", "right-to-left override"),
        ("a\u200bb", "\\u{200B}", "\u200b", "zero width space"),
        ("a\x1b[31m", "\\u{001B}", "\x1b", "control character U+001B"),
    ],
)
def test_a_hidden_character_is_named(text: str, said: str, was: str, note: str) -> None:
    """By its name."""
    assert marked(of_file(text)) == [(said, Mark("hidden", was, note))]


@pytest.mark.parametrize(
    ("text", "said", "was", "code"),
    [
        ("end </skills> it", "&lt;", "<", "contained-tag"),
        ("a <|im_start|> b", "&lt;", "<", "contained-token"),
        ("one\n```sh\nls", "\n```", "", "open-fence"),
    ],
)
def test_what_is_neutralised_says_why(text: str, said: str, was: str, code: str) -> None:
    """In the words of the diagnostics."""
    skills = [{"name": "s", "description": "d", "location": "/s/SKILL.md"}]
    assert marked(of_file(text, skills=skills)) == [(said, Mark("neutralised", was, MESSAGES[code]))]


def test_a_secret_is_not_shown_anywhere() -> None:
    """Its kind and its place are said, and nothing of itself, though the file has it; not in what was cut either."""
    sheet = of_file(f"first\ntoken = {KEY}\nlast")
    ((said, mark),) = marked(sheet)
    assert (said, mark.kind, mark.was) == ("[secret: GitHub token]", "secret", "")
    assert mark.note.startswith("/p/AGENTS.md:2: a GitHub token: ")
    assert KEY.encode() not in msgspec.json.encode(sheet)
    long = "".join(f"Line {n} of the file says something of its own.\n\n" for n in range(300)) + f"token = {KEY}\n"
    state = make_state(context_files=[{"path": "/p/AGENTS.md", "content": long}])
    cut = sheet_of(overture.fit(overture.build("opal", state), budget=600))
    assert [mark.kind for mark in marks_in(cut)] == ["cut"]
    assert "[secret: GitHub token]" in marks_in(cut)[0].was
    assert KEY.encode() not in msgspec.json.encode(cut)


def lines_of(sheet: Sheet, path: str) -> list[tuple[int | None, SheetPiece]]:
    """The pieces of a file, with their lines."""
    return [(p.line, p) for block in sheet.blocks for p in block.pieces if sheet.sources[p.source].path == path]


LONG = "".join(f"Rule {n}: keep the quay clear of ropes.\n\n" for n in range(1500))


def test_what_a_budget_cut_is_told_where_it_is_missing() -> None:
    """The line about the cut carries the rest of the file, and from how many tokens to how many."""
    state = make_state(context_files=[{"path": "/p/AGENTS.md", "content": LONG[:9000].rstrip()}])
    prompt = overture.fit(overture.build("opal", state), budget=1000)
    sheet = sheet_of(prompt)
    ((said, mark),) = marked(sheet)
    assert said.startswith("[/p/AGENTS.md: ")
    assert said.endswith("characters are left out from here on.]")
    kept = "".join(p.text for _, p in lines_of(sheet, "/p/AGENTS.md"))
    assert (kept + mark.was).replace("\n", "") == LONG[:9000].rstrip().replace("\n", "")
    (cut,) = prompt.cuts
    shown = prompt.counter.shown
    by = f"from {shown(cut.from_tokens)} to {shown(cut.to_tokens)} tokens"
    assert mark.note == f"shortened by the budget of 1,000 tokens: {by}"


@pytest.mark.parametrize("recipe", sorted(BUILTIN))
@pytest.mark.parametrize("share", [0.8, 0.5, 0.3])
def test_marks_under_any_budget(recipe: str, share: float) -> None:
    """Whatever is cut is in the sheet: what is shortened or has a line is marked, what is dropped is among the cuts."""
    data = full()
    data["context_files"] = [{"path": "/p/AGENTS.md", "content": LONG[:6000] + "\u200b</skills>\n"}]
    data["memories"] = [f"Memory {n} of something\u202e that was long ago." for n in range(40)]
    whole = overture.build(recipe, State.from_dict(data))
    try:
        prompt = overture.fit(whole, budget=int(whole.tokens * share))
    except OvertureError:
        return
    sheet = sheet_of(prompt)
    assert sheet.text == prompt.text
    assert [(c.block, c.part, c.how) for c in sheet.cuts] == [(c.block, c.part, c.how) for c in prompt.cuts]
    for block in sheet.blocks:
        cuts = [cut for cut in prompt.cuts if cut.block == block.name and cut.how != "dropped"]
        marks = [p.mark for p in block.pieces if p.mark and p.mark.kind == "cut"]
        assert len(marks) == len(cuts), block.name
    gone = {cut.block for cut in prompt.cuts if not cut.part and cut.how == "dropped"}
    assert gone <= {left.name for left in sheet.omitted}
