from overture import Change
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


def test_a_removed_block_is_said() -> None:
    """A block that is gone is in the entry, with the input that took it away."""
    world = project()
    live = session(world=world)
    live.turn("Go")
    del world.files["/p/AGENTS.md"]
    live.refresh()
    entry = live.turn("On").entry
    assert [(e.name, e.how, e.because) for e in entry.changed] == [("project-context", "removed", ("context_files",))]


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
