from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import overture
from overture import Change, Session
from overture.text.normalize import first_difference
from tests.contract.session.worlds import project, session


def test_an_entry_says_what_changed_why_and_what_stayed() -> None:
    """Triggers, changed blocks with the input that caused it, blocks that stayed, sizes."""
    world = project()
    live = session(world=world)
    live.turn("Go")
    world.files["/p/AGENTS.md"] = b"Use blanks."
    live.refresh("/p/AGENTS.md")
    live.turn("On")
    entry = live.record[-1].to_dict()
    text = live.prompt.text
    assert entry["turn"] == 2
    assert entry["triggers"] == [{"name": "file", "reason": "/p/AGENTS.md"}]
    assert entry["changed"] == [
        {"name": "project-context", "how": "rewritten", "because": ["context_files"], "why": "file"}
    ]
    assert entry["stayed"] == ["identity", "skills", "environment", "tool-guidelines", "planning"]
    assert entry["chars"] == len(text)
    assert entry["tokens"] == live.prompt.tokens
    assert text[entry["first"] :].startswith("blanks.")


def test_the_first_difference_is_that_of_the_texts() -> None:
    """Whatever came, went or changed, the figure is that of comparing the two texts."""
    world = project()
    live = session("pi", world)
    extra: list[Change] = []
    live.hook("before_agent_start", lambda _: list(extra))
    before = live.turn("Go").prompt.text

    def edit(text: str) -> None:
        world.files["/p/AGENTS.md"] = text.encode()
        live.refresh()

    def tick() -> None:
        world.time += timedelta(seconds=1)

    changes: tuple[Callable[[], object], ...] = (
        lambda: edit("Use tabs. Always."),
        lambda: edit("Use"),
        lambda: edit(""),
        lambda: edit("Use tabs."),
        tick,
        lambda: live.set_tools(["bash"]),
        lambda: extra.append(Change.append("End.")),
        lambda: extra.clear(),
        lambda: extra.append(Change.prepend("Start.")),
        lambda: extra.append(Change.replace("", "base")),
        lambda: extra.append(Change.replace("")),
        lambda: extra.clear(),
        lambda: None,
    )
    for change in changes:
        change()
        turn = live.turn("On")
        assert turn.entry.first == first_difference(before, turn.prompt.text)
        assert turn.entry.chars == len(turn.prompt.text)
        before = turn.prompt.text


def test_a_quiet_turn_has_a_quiet_entry() -> None:
    """Where nothing changed the entry says so, and names all blocks as stayed."""
    live = session()
    live.turn("Go")
    entry = live.turn("On").entry
    assert (entry.triggers, entry.changed, entry.first) == ((), (), None)
    assert entry.stayed == tuple(block.name for block in live.prompt.blocks)


def test_a_hooks_edit_is_its_own_cause() -> None:
    """A block that a hook added or replaced names the hook, and so does its going."""
    live = session()
    live.turn("Go")
    edits = [Change.replace("Be brief.", "identity")]
    live.hook("before_agent_start", lambda _: edits.pop() if edits else None, name="audit")
    for text in ("On", "On"):
        changed = live.turn(text).entry.changed
        assert [(e.name, e.how, e.because) for e in changed] == [("identity", "rewritten", ("hook audit",))]
    assert live.record[1].edits == ("audit: replace identity",)


def test_the_record_is_as_long_as_is_asked_for() -> None:
    """The oldest entries go when there are more than are kept."""
    live = session(keep=3)
    for _ in range(5):
        live.turn("On")
    assert [entry.turn for entry in live.record] == [3, 4, 5]


def test_a_removed_block_is_said() -> None:
    """A block that is gone is in the entry, with the input that took it away."""
    world = project()
    live = session(world=world)
    live.turn("Go")
    del world.files["/p/AGENTS.md"]
    live.refresh()
    entry = live.turn("On").entry
    assert [(e.name, e.how, e.because) for e in entry.changed] == [("project-context", "removed", ("context_files",))]


def test_an_entry_agrees_with_diff() -> None:
    """The record names the blocks that diff names."""
    live = session("pi")
    first = live.turn("Go")
    live.set_tools(["read"])
    turn = live.turn("On")
    patch = overture.diff(first.prompt, turn.prompt)
    assert [(e.name, e.because) for e in turn.entry.changed] == [(b.name, b.because) for b in patch.changed]
    assert turn.entry.first == patch.first


NESTED = {"sub/AGENTS.md": "Sub rules.", "sub/deep/AGENTS.md": "Deep rules.", "other/AGENTS.md": "Other rules."}


def test_an_entry_names_the_nested_files_that_arrived() -> None:
    """The record of a turn has the paths of project files that its conversation gained, and of no others."""
    live = session("house", project(**NESTED))
    assert live.turn("Go").entry.nested == ()
    live.refresh(touched=["sub/deep/x.py"])
    entry = live.turn("On").entry
    assert entry.nested == ("/p/sub/AGENTS.md", "/p/sub/deep/AGENTS.md")
    assert entry.to_dict()["nested"] == ["/p/sub/AGENTS.md", "/p/sub/deep/AGENTS.md"]
    assert repr(entry) == "<Entry of turn 2: nothing changed, /p/sub/AGENTS.md and 1 more arrived>"
    live.refresh(touched=["sub/x.py"])
    assert live.turn("On").entry.nested == ()
    assert [row.nested for row in live.record] == [(), entry.nested, ()]


def test_a_nested_file_is_named_where_a_turn_goes_on() -> None:
    """What the result of a call brings is in the entry of the turn that sends it."""
    live = session("house", project(**NESTED))
    live.turn("Go")
    live.assistant("", [{"id": "1", "name": "read", "arguments": {"path": "/p/other/new.py"}}])
    live.result("1", "text")
    entry = live.turn().entry
    assert entry.nested == ("/p/other/AGENTS.md",)
    assert repr(entry) == "<Entry of turn 2: nothing changed, /p/other/AGENTS.md arrived>"


def test_a_nested_file_that_arrived_before_a_save_is_named_after_it(tmp_path: Path) -> None:
    """What came between the last turn and a save is in the first entry after it."""
    live = session("house", project(**NESTED))
    live.turn("Go")
    live.refresh(touched=["sub/x.py"])
    live.save(tmp_path / "saved.json")
    again = Session.resume(tmp_path / "saved.json", world=project(**NESTED))
    assert again.turn("On").entry.nested == ("/p/sub/AGENTS.md",)
    assert again.turn("On").entry.nested == ()


def test_a_nested_file_that_comes_back_is_named_again() -> None:
    """After a compaction that dropped it, the file arrives once more, and the record says so."""
    live = session("house", project(**NESTED))
    live.turn("Go")
    live.refresh(touched=["other/x.py"])
    live.turn("On")
    live.compact("Summary.")
    live.refresh(touched=["other/x.py"])
    assert live.turn("On").entry.nested == ("/p/other/AGENTS.md",)
