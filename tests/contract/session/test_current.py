"""What is current: the prompt, refresh, reload, resume and a turn all give the same text."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture import Session
from overture.testing import FakeWorld

from ..effort import examples
from .worlds import SKILL

RECIPES = ("opal", "pi", "moltis", "nova", "ptc", "house")
HOMES = (".moltis", ".agents")
USER = "---\nname: {0}\ntimezone: {1}\n---\n"


def make_world() -> FakeWorld:
    """A project in which every recipe finds all that it looks for."""
    memories, agent = '["Ada prefers tabs"]', '{"identity": "One.", "directories": ["/one"]}'
    files = {"/p/AGENTS.md": "Use tabs.", "/p/CLAUDE.md": "Use tabs too.", "/p/.sf/SYSTEM.md": "Base {{tools}}."}
    files |= {f"/p/{folder}memories.json": memories for folder in ("", ".agents/")}
    files |= {f"/p/{folder}agent.json": agent for folder in ("", ".agents/")}
    files |= {f"/home/user/{folder}/USER.md": USER.format("Ada", "UTC") for folder in HOMES}
    return FakeWorld(files, environment={"SHELL": "/bin/zsh"})


def write_all(world: FakeWorld, name: str, text: str) -> None:
    """Give every file of that name another content."""
    for path in [path for path in world.files if path.endswith(f"/{name}")]:
        world.files[path] = text.encode()


def add_skill(world: FakeWorld, name: str) -> None:
    """A new skill, wherever a recipe looks."""
    for folder in (".agents", ".sf", ".moltis"):
        world.files[f"/p/{folder}/skills/{name}/SKILL.md"] = SKILL.format(name).encode()


NAMES = st.sampled_from(["Zoe", "Bo", "Ida"])
Step = Callable[[Session, FakeWorld], object]
STEPS: st.SearchStrategy[Step] = st.one_of(
    NAMES.map(lambda name: lambda _, world: write_all(world, "memories.json", json.dumps([f"{name} is new"]))),
    NAMES.map(lambda name: lambda _, world: write_all(world, "USER.md", USER.format(name, "Asia/Tokyo"))),
    NAMES.map(lambda name: lambda _, world: write_all(world, "agent.json", json.dumps({"identity": name}))),
    NAMES.map(lambda name: lambda _, world: write_all(world, "AGENTS.md", f"Ask {name}.")),
    NAMES.map(lambda name: lambda _, world: write_all(world, "SYSTEM.md", f"Base of {name}.")),
    NAMES.map(lambda name: lambda _, world: add_skill(world, name.lower())),
    NAMES.map(lambda name: lambda _, world: world.variables.update(SHELL=f"/bin/{name}")),
    st.integers(1, 100_000).map(lambda s: lambda _, world: setattr(world, "time", world.time + timedelta(seconds=s))),
    st.sampled_from([["read"], ["read_file", "shell"], []]).map(lambda names: lambda live, _: live.set_tools(names)),
    NAMES.map(lambda name: lambda live, _: live.register({"name": name, "description": "Does it."})),
    NAMES.map(lambda name: lambda live, _: live.update(user={"name": name})),
    st.sampled_from(["refresh", "reload", "turn"]).map(lambda name: lambda live, _: getattr(live, name)()),
    st.just(lambda live, _: live.turn("Go on")),
)


def resume(live: Session, world: FakeWorld) -> Session:
    """The session of a save, in the same world."""
    with TemporaryDirectory() as folder:
        live.save(Path(folder) / "s.json")
        return Session.resume(Path(folder) / "s.json", world=world)


def note(live: Session, how: str) -> Session:
    """Ask for what is current in this way; what was asked of the session before is not undone."""
    if how in ("refresh", "reload"):
        getattr(live, how)()
    return live


@settings(max_examples=examples(60))
@given(
    recipe=st.sampled_from(RECIPES),
    early=st.lists(STEPS, max_size=2),
    late=st.lists(STEPS, max_size=4),
    how=st.sampled_from(["prompt", "refresh", "reload"]),
    resumes=st.booleans(),
)
def test_whoever_asks_gets_the_text_of_the_next_turn(
    recipe: str, early: list[Step], late: list[Step], how: str, resumes: bool
) -> None:
    """After any changes, noticed or not, saved and resumed or not, the prompt is that of a turn of a twin."""
    texts = []
    for takes in (False, True):
        world = make_world()
        live = Session(recipe, world=world, state={"session": {"id": "s"}})
        live.turn("Begin")
        for step in early:
            step(live, world)
        if resumes:
            live = resume(live, world)
        for step in late:
            step(live, world)
        note(live, how)
        texts.append(live.turn("Now").prompt.text if takes else live.prompt.text)
        assert live.turn("And then").prompt.text == texts[-1]
    assert texts[0] == texts[1]


CHANGES: dict[str, tuple[tuple[str, ...], Step, str]] = {
    "memories": (("nova", "house"), lambda _, w: write_all(w, "memories.json", '["Zoe is new"]'), "Zoe is new"),
    "clock": (("nova", "house"), lambda _, w: setattr(w, "time", w.time + timedelta(days=1)), "January 2, 2026"),
    "user": (("moltis", "house"), lambda _, w: write_all(w, "USER.md", USER.format("Zoe", "UTC")), "Zoe"),
    "zone": (("moltis", "house"), lambda _, w: write_all(w, "USER.md", USER.format("Ada", "Asia/Tokyo")), "Asia/Tokyo"),
    "shell": (("moltis", "house"), lambda _, w: w.variables.update(SHELL="/bin/fish"), "shell=fish"),
    "agent": (("nova", "house"), lambda _, w: write_all(w, "agent.json", '{"directories": ["/two"]}'), "- /two"),
}


@pytest.mark.slow(unless=("resume", "turn"))
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("how", ["prompt", "refresh", "reload", "resume", "turn"])
def test_what_is_followed_is_new_in_each_of_the_five(change: str, how: str) -> None:
    """Memories, clock, USER.md, the shell and agent.json: whoever asks sees what is true now."""
    recipes, step, said = CHANGES[change]
    for recipe in recipes:
        world = make_world()
        live = Session(recipe, world=world)
        assert said not in live.turn("Begin").prompt.text
        if how == "resume":
            live = resume(live, world)
        step(live, world)
        prompt = live.turn("Now").prompt if how == "turn" else note(live, how).prompt
        assert said in prompt.text


def test_pis_clock_stays_in_all_six_until_a_rebuild() -> None:
    """The recipe's word on the clock counts for whoever asks: a refresh or a resume is no rebuild, a reload is."""
    world = make_world()
    live = Session("pi", world=world)
    live.turn("Begin")
    world.time += timedelta(hours=1)
    live.refresh()
    for text in (live.prompt.text, live.prompt.text, live.turn("Now").prompt.text, resume(live, world).prompt.text):
        assert "12:00:00 PM" in text
    live.reload()
    assert "01:00:00 PM" in live.prompt.text


def test_a_file_in_folders_that_were_not_there_is_in_the_next_turn(tmp_path: Path) -> None:
    """A session looks at a missing folder instead of each file in it, and sees when it comes, fills and goes again."""
    live = Session("house", cwd=tmp_path, home=tmp_path / "home")
    assert "Zoe is new" not in live.turn("Begin").prompt.text
    (tmp_path / ".agents").mkdir()
    assert "Zoe is new" not in live.turn("On").prompt.text
    (tmp_path / ".agents/memories.json").write_text('["Zoe is new"]', encoding="utf-8")
    assert "Zoe is new" in live.turn("On").prompt.text
    (tmp_path / ".agents/memories.json").unlink()
    (tmp_path / ".agents").rmdir()
    assert "Zoe is new" not in live.turn("On").prompt.text
    (tmp_path / "home/.agents").mkdir(parents=True)
    (tmp_path / "home/.agents/USER.md").write_text(USER.format("Zoe", "UTC"), encoding="utf-8")
    assert "Zoe" in live.turn("On").prompt.text


def test_who_looks_between_two_calls_of_the_model_moves_nothing() -> None:
    """While the model waits for results the next turn goes on, so that the prompt keeps the bytes of that turn."""
    world = make_world()
    live = Session("nova", world=world)
    text = live.turn("Begin").prompt.text
    live.assistant("", [{"id": "1", "name": "x", "arguments": {}}])
    write_all(world, "memories.json", '["Zoe is new"]')
    world.time += timedelta(hours=1)
    assert live.prompt.text == text
    live.result("1", "ok")
    assert live.prompt.text == text == live.turn().prompt.text
    live.assistant("Done.")
    assert "Zoe is new" in live.prompt.text


def test_a_save_changes_nothing_of_a_turn_that_goes_on() -> None:
    """Saving and starting a sub-agent look at nothing: the turn goes on with the bytes that it had."""
    world = make_world()
    live = Session("nova", world=world)
    text = live.turn("Begin").prompt.text
    world.time += timedelta(hours=1)
    again = resume(live, world)
    live.subagent("Count.")
    assert again.turn().prompt.text == live.turn().prompt.text == text


def test_what_is_wrong_in_a_followed_file_is_told_after_a_resume() -> None:
    """A resumed session reports the memories that it can't read, and says nothing of files that it does not look at."""
    world = make_world()
    live = Session("nova", world=world)
    live.turn("Begin")
    again = resume(live, world)
    write_all(world, "memories.json", "[")
    prompt = again.turn("Now").prompt
    assert [note.path for note in prompt.diagnostics if note.path] == ["/p/memories.json"]
    assert "Memories" not in prompt.text
