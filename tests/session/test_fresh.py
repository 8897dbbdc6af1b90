"""What sections of pace `turn` read from disk is looked at again with each prompt of the user's."""

import asyncio
import json
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import Session
from overture.discover.disk.world import FileEntry
from overture.model.state.state import FIELDS
from overture.model.wants import FIELDS_BY_WANT, Wants
from overture.testing import FakeWorld
from overture.testing.snapshots_and_sessions import ProjectSession
from tests.contract.session.worlds import SKILL, session

NEAR, FAR = "/p/memories.json", "/memories.json"
TABS, BLANKS = '["Ada prefers tabs"]', '["Ada prefers blanks"]'


class Watched(FakeWorld):
    """A world that notes who looks at it, and at what."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.looked: list[str] = []
        self.threads: set[int] = set()

    def look(self, path: str) -> FileEntry | None:
        self.looked.append(path)
        self.threads.add(threading.get_ident())
        return super().look(path)

    def read(self, path: str) -> bytes:
        self.threads.add(threading.get_ident())
        return super().read(path)


def started(recipe: Any = "nova", text: str = TABS, path: str = NEAR, **options: Any) -> tuple[Session, Watched]:
    """A session with memories, after its first turn."""
    world = Watched({"/p/AGENTS.md": "Use tabs.", path: text})
    live = session(recipe, world, **options)
    live.turn("One")
    forget(world)
    return live, world


def forget(world: Watched) -> None:
    """Forget who looked and read."""
    world.reads.clear()
    world.looked.clear()
    world.threads.clear()


def triggers(turn: overture.Turn) -> list[tuple[str, str]]:
    """What the record says happened."""
    return [(trigger.name, trigger.reason) for trigger in turn.entry.triggers]


@pytest.mark.parametrize(("recipe", "path"), [("nova", NEAR), ("house", "/p/.agents/memories.json")])
def test_memories_are_read_fresh_on_each_turn(recipe: str, path: str) -> None:
    """A changed file is in the next prompt without a trigger of anybody's, costs one read, and is in the record."""
    live, world = started(recipe, path=path)
    world.files[path] = BLANKS.encode()
    turn = live.turn("Two")
    assert "- Ada prefers blanks" in turn.prompt.text
    assert triggers(turn) == [("file", path)]
    assert [(e.name, e.how, e.because, e.why) for e in turn.entry.changed] == [
        ("memories", "rewritten", ("memories",), "file")
    ]
    assert world.reads == [path]


def test_what_did_not_change_costs_no_read() -> None:
    """A quiet turn reads nothing, triggers nothing, and has the same prompt object."""
    live, world = started()
    first = live.prompt
    for text in ("Two", "Three"):
        turn = live.turn(text)
        assert turn.prompt is first
        assert triggers(turn) == []
    assert world.reads == []


@pytest.mark.parametrize("recipe", ["opal", "pi", "ptc"])
def test_a_recipe_without_such_sections_looks_at_nothing(recipe: str) -> None:
    """Where no section of pace `turn` reads what comes from disk, a turn does not even look."""
    live, world = started(recipe)
    live.turn("Two")
    assert world.looked == []


def test_a_turn_that_goes_on_keeps_its_prefix() -> None:
    """Between two calls of the model nothing is looked at: the user's next prompt does that."""
    live, world = started()
    world.files[NEAR] = BLANKS.encode()
    assert "tabs" in live.turn().prompt.text
    assert world.looked == []
    assert "blanks" in live.turn("Two").prompt.text


def test_a_nearer_file_takes_over_and_a_deleted_one_gives_way() -> None:
    """New, nearer and deleted files are seen, each named in the record."""
    live, world = started(path=FAR)
    world.files[NEAR] = BLANKS.encode()
    turn = live.turn("Two")
    assert "blanks" in turn.prompt.text
    assert triggers(turn) == [("file", f"{NEAR}, {FAR}")]
    del world.files[NEAR]
    assert "tabs" in live.turn("Three").prompt.text
    del world.files[FAR]
    turn = live.turn("Four")
    assert "<Memories>" not in turn.prompt.text
    assert triggers(turn) == [("file", FAR)]


def test_memories_may_begin_in_the_middle() -> None:
    """Where there was no file at all, the first one is seen."""
    world = Watched({"/p/AGENTS.md": "Use tabs."})
    live = session("nova", world)
    assert "<Memories>" not in live.turn("One").prompt.text
    world.files[NEAR] = TABS.encode()
    assert "Ada prefers tabs" in live.turn("Two").prompt.text


def test_a_malformed_file_is_no_memories_and_is_reported() -> None:
    """As discovery has it: a diagnostic with path and line, and no memories, until the file is mended."""
    live, world = started()
    world.files[NEAR] = b'["Ada prefers'
    turn = live.turn("Two")
    assert "<Memories>" not in turn.prompt.text
    assert [(note.path, note.line) for note in turn.prompt.diagnostics] == [(NEAR, 1)]
    assert triggers(turn) == [("file", NEAR)]
    assert triggers(live.turn("Three")) == []
    world.files[NEAR] = b'\n["Ada prefers'
    turn = live.turn("Four")
    assert [(note.path, note.line) for note in turn.prompt.diagnostics] == [(NEAR, 2)]
    world.files[NEAR] = TABS.encode()
    turn = live.turn("Five")
    assert "Ada prefers tabs" in turn.prompt.text
    assert turn.prompt.diagnostics == ()


def test_an_unreadable_file_is_reported() -> None:
    """A file that may no longer be read gives no memories, and says why."""
    live, world = started()
    world.unreadable = (NEAR,)
    world.files[NEAR] = BLANKS.encode()
    turn = live.turn("Two")
    assert "<Memories>" not in turn.prompt.text
    assert [(note.path, note.code) for note in turn.prompt.diagnostics] == [(NEAR, "memories-unreadable")]


def test_a_file_that_says_the_same_in_other_bytes_triggers_nothing() -> None:
    """Only a change of what it says is one."""
    live, world = started()
    first = live.prompt
    world.files[NEAR] = b'["Ada\\u0020prefers tabs"]'
    turn = live.turn("Two")
    assert (triggers(turn), turn.prompt, world.reads) == ([], first, [NEAR])
    live.turn("Three")
    assert world.reads == [NEAR]


def test_what_a_link_leads_to_counts() -> None:
    """The file behind a link changes, or the link leads elsewhere: both are seen."""
    world = Watched({"/p/a.json": TABS, "/p/b.json": '["Ben"]'}, links={NEAR: "a.json"})
    live = session("nova", world)
    live.turn("One")
    world.files["/p/a.json"] = BLANKS.encode()
    assert "blanks" in live.turn("Two").prompt.text
    world.links[NEAR] = "b.json"
    assert "Ben" in live.turn("Three").prompt.text


def test_frozen_memories_stay() -> None:
    """`memories="frozen"` looks at no file, and stays with what the session began with."""
    live, world = started(memories="frozen")
    world.files[NEAR] = BLANKS.encode()
    assert "tabs" in live.turn("Two").prompt.text
    assert NEAR not in world.looked
    live.reload()
    assert "tabs" in live.turn("Three").prompt.text


def test_memories_that_are_given_are_not_looked_for() -> None:
    """What the caller gives wins over any file, from the start or later."""
    live, world = started(state={"memories": ["Given."]})
    live.turn("Two")
    assert NEAR not in world.looked
    live, world = started()
    live.update(memories=["Later."])
    world.files[NEAR] = BLANKS.encode()
    turn = live.turn("Two")
    assert "- Later." in turn.prompt.text
    assert NEAR not in world.looked


def test_live_memories_follow_their_file_in_any_recipe(tmp_path: Path) -> None:
    """With `memories="live"` they follow even where the recipe says them at the pace of a session."""
    text = '[[sections]]\nname = "m"\ntext = "{{ memories }}"\n[wants.memories]\nname = "memories.json"'
    (tmp_path / "mine.toml").write_text(text)
    recipe = overture.load_recipe(str(tmp_path / "mine.toml"))
    for mode, seen in (("live", "- Ada prefers blanks"), (None, "- Ada prefers tabs")):
        live, world = started(recipe, memories=mode)
        world.files[NEAR] = BLANKS.encode()
        assert live.turn("Two").prompt.text == seen


def test_other_files_wait_for_their_triggers() -> None:
    """A project file of house is not looked at by a turn, and a change of the memories does not bring it in."""
    live, world = started("house", path="/p/.agents/memories.json")
    world.files["/p/AGENTS.md"] = b"Use blanks."
    world.files["/p/.agents/memories.json"] = BLANKS.encode()
    turn = live.turn("Two")
    assert "Ada prefers blanks" in turn.prompt.text
    assert "Use tabs." in turn.prompt.text
    assert "/p/AGENTS.md" not in world.looked
    live.refresh()
    turn = live.turn("Three")
    assert "Use blanks." in turn.prompt.text
    assert "Ada prefers blanks" in turn.prompt.text


WANTS = """
wants.context = { names = ["AGENTS.md"], home = ["AGENTS.md"] }
wants.skills = { project = ["skills"] }
wants.overrides = { system = "SYSTEM.md", append = "APPEND.md", project = ".x", home = ".x" }
wants.persona = { folder = ".x" }
wants.workspace = { folder = ".x", names = ["TOOLS.md"] }
wants.agent = { name = "agent.json" }
wants.memories = { name = "memories.json" }
"""
SOURCES = {
    "context_files": ("/p/AGENTS.md", "One.", "Two."),
    "skills": ("/p/skills/one/SKILL.md", SKILL.format("one"), SKILL.format("one").replace("Does", "Tows")),
    "overrides": ("/p/.x/SYSTEM.md", "One.", "Two."),
    "agent": ("/p/agent.json", '{"name": "One"}', '{"name": "Two"}'),
    "agent.soul": ("/home/user/.x/SOUL.md", "One.", "Two."),
    "user": ("/home/user/.x/USER.md", "---\nname: One\n---\n", "---\nname: Two\n---\n"),
    "workspace_files": ("/home/user/.x/TOOLS.md", "One.", "Two."),
    "memories": ("/p/memories.json", '["One."]', '["Two."]'),
    "runtime.directories": ("/p/agent.json", '{"directories": ["/one"]}', '{"directories": ["/two"]}'),
    "runtime.timezone": ("/home/user/.x/USER.md", "---\ntimezone: UTC\n---\n", "---\ntimezone: Asia/Tokyo\n---\n"),
}


@pytest.mark.parametrize("field", SOURCES)
@pytest.mark.parametrize("pace", ["turn", "session"])
def test_every_source_of_a_section_of_pace_turn_is_fresh(field: str, pace: str, tmp_path: Path) -> None:
    """In a recipe of one's own, whatever file a section reads: at pace `turn` it is followed, USER.md at any."""
    follows = pace == "turn" or field in ("user", "runtime.timezone")
    text = f'{WANTS}\n[[sections]]\nname = "it"\npace = "{pace}"\ntext = "It: {{{{ {field} }}}}"\n'
    text += '[[sections]]\nname = "other"\ntext = "{{ runtime.cwd }}"\n'
    (tmp_path / "mine.toml").write_text(text)
    path, one, two = SOURCES[field]
    world = Watched({path: one})
    live = session(overture.load_recipe(str(tmp_path / "mine.toml")), world)
    before = live.turn("One").prompt.text
    world.files[path] = two.encode()
    turn = live.turn("Two")
    assert triggers(turn) == ([("file", path)] if follows else [])
    assert (turn.prompt.text != before) is follows
    live.reload()
    after = live.turn("Three").prompt
    assert (after.text != before) is ((field, pace) != ("memories", "session"))  # those are frozen, unless asked for
    if pace == "turn":
        assert after.text == turn.prompt.text
        assert {p: o for p, o in after.state.origins.items()} == dict(turn.prompt.state.origins)


def test_every_kind_of_file_is_known_by_what_it_brings() -> None:
    """The table names every kind that a recipe may want read, and only fields that a State has."""
    rules = {"walk", "limits", "settings_files", "moves", "environment", "sudo"}
    kinds = set(Wants.__struct_fields__) - {"templates", *rules}
    assert set(FIELDS_BY_WANT) == kinds
    assert all(path.partition(".")[0] in FIELDS for paths in FIELDS_BY_WANT.values() for path in paths)


def test_context_that_a_program_added_is_fresh_too(tmp_path: Path) -> None:
    """Files and folders of `add_resources` are sources like the others."""
    text = 'wants.context = { names = ["AGENTS.md"] }\nwants.skills = { project = ["skills"] }\n'
    text += '[[sections]]\nname = "it"\npace = "turn"\ntext = "{{ context_files }} {{ skills }}"\n'
    (tmp_path / "mine.toml").write_text(text)
    world = Watched({"/p/AGENTS.md": "One.", "/x/MORE.md": "Three.", "/y/tow/SKILL.md": SKILL.format("tow")})
    live = session(overture.load_recipe(str(tmp_path / "mine.toml")), world)
    live.add_resources(context=["/x/MORE.md"], skills=["/y"])
    assert "Three." in live.turn("One").prompt.text
    world.files["/x/MORE.md"] = b"Four."
    turn = live.turn("Two")
    assert "Four." in turn.prompt.text
    assert triggers(turn) == [("file", "/x/MORE.md")]
    world.files["/y/moor/SKILL.md"] = SKILL.format("moor").encode()
    assert "Does moor." in live.turn("Three").prompt.text
    assert "Does tow." in live.prompt.text


def test_the_clock_of_house_follows_the_users_zone() -> None:
    """The zone in USER.md is a source of the clock, which is told with each prompt."""
    world = Watched({"/home/user/.agents/USER.md": "---\ntimezone: UTC\n---\n"})
    live = session("house", world)
    assert live.turn("One").messages[0].sections.endswith("12:00 PM (UTC)")
    world.files["/home/user/.agents/USER.md"] = b"---\ntimezone: Asia/Tokyo\n---\n"
    turn = live.turn("Two")
    assert turn.messages[1].sections.endswith("9:00 PM (Asia/Tokyo)")
    assert triggers(turn) == [("file", "/home/user/.agents/USER.md")]


def test_an_event_loop_is_never_blocked() -> None:
    """`aturn` looks and reads in another thread."""
    live, world = started()
    world.files[NEAR] = BLANKS.encode()
    turn = asyncio.run(live.aturn("Two"))
    assert "blanks" in turn.prompt.text
    assert world.threads and threading.get_ident() not in world.threads
    child = live.subagent("Count.")
    forget(world)
    asyncio.run(child.aturn())
    assert threading.get_ident() not in world.threads


def test_a_resumed_session_follows_what_it_followed(tmp_path: Path) -> None:
    """A turn that goes on has the bytes of the save; the user's next prompt has what the file says now."""
    live, world = started()
    live.save(tmp_path / "s.json")
    world.files[NEAR] = BLANKS.encode()
    again = Session.resume(tmp_path / "s.json", world=world)
    assert "tabs" in again.turn().prompt.text
    turn = again.turn("Two")
    assert "blanks" in turn.prompt.text
    assert triggers(turn) == [("file", "differs from the saved session")]
    world.files[NEAR] = TABS.encode()
    turn = again.turn("Three")
    assert "tabs" in turn.prompt.text
    assert triggers(turn) == [("file", NEAR)]


def test_a_resumed_session_stands_on_its_save_in_all_else(tmp_path: Path) -> None:
    """Project files wait for a refresh or a reload, as they do in a session that was never saved."""
    live, world = started("house", path="/p/.agents/memories.json")
    live.save(tmp_path / "s.json")
    world.files["/p/AGENTS.md"] = b"Use blanks."
    again = Session.resume(tmp_path / "s.json", world=world)
    assert "Use tabs." in again.turn("Two").prompt.text
    again.refresh()
    assert "Use blanks." in again.turn("Three").prompt.text


def test_a_subagent_reads_them_fresh_as_well() -> None:
    """From its own first turn on; its parent sees the change with its own next prompt."""
    live, world = started()
    child = live.subagent("Count.")
    world.files[NEAR] = BLANKS.encode()
    assert "blanks" in child.turn().prompt.text
    world.files[NEAR] = b'["Ada prefers neither"]'
    assert "neither" in child.turn("On").prompt.text
    assert "neither" in live.turn("Two").prompt.text


def test_a_prompt_with_fresh_memories_keeps_to_its_budget() -> None:
    """Memories that grow are cut like everything else."""
    live, world = started(budget=200)
    world.files[NEAR] = json.dumps([f"Ada knows {n} ships by name." for n in range(100)]).encode()
    turn = live.turn("Two")
    assert turn.prompt.tokens <= 200
    assert "memories are given" in turn.prompt.text


def test_a_project_that_is_gone_stops_no_session(tmp_path: Path) -> None:
    """What was known stays, and the record says why."""
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "memories.json").write_text(TABS)
    live = Session("nova", cwd=folder, home=tmp_path, root=folder)
    live.turn("One")
    (folder / "memories.json").unlink()
    folder.rmdir()
    turn = live.turn("Two")
    assert "Ada prefers tabs" in turn.prompt.text
    assert [note.code for note in turn.entry.diagnostics] == ["reload-failed"]


def test_writes_within_a_moment_are_all_seen(overture_session: ProjectSession, tmp_path: Path) -> None:
    """On a real disk, a file that keeps its size and is written again and again is never taken for the old one."""
    path = tmp_path / "memories.json"
    path.write_text('["Memory 0."]')
    live = overture_session("nova")
    live.turn("Go")
    for number in range(1, 10):
        path.write_text(f'["Memory {number}."]')
        assert f"Memory {number}." in live.turn("On").prompt.text


def test_time_and_memories_change_together() -> None:
    """A turn on which both change has both, and names each cause."""
    live, world = started()
    world.files[NEAR] = BLANKS.encode()
    world.time += timedelta(minutes=5)
    turn = live.turn("Two")
    assert {entry.name: entry.because for entry in turn.entry.changed} == {
        "context": ("now",), "memories": ("memories",),
    }  # fmt: skip


def test_hooks_see_what_is_fresh() -> None:
    """A hook is handed the prompt and the state that are sent."""
    live, world = started()
    seen: list[Any] = []
    live.hook("before_agent_start", lambda event: seen.append(event.state.memories))
    world.files[NEAR] = BLANKS.encode()
    live.turn("Two")
    assert seen == [("Ada prefers blanks",)]


def test_a_file_that_somebody_noticed_is_triggered_once() -> None:
    """What a watch or `refresh` brought is not brought again."""
    live, world = started()
    world.files[NEAR] = BLANKS.encode()
    live.refresh(NEAR)
    assert triggers(live.turn("Two")) == [("file", NEAR)]
    assert triggers(live.turn("Three")) == []
