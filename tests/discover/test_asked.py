"""A world that keeps what it was asked: while it says that all is the same, a discovery finds the same."""

from pathlib import Path
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from overture.discover.discover import ResolvedProject, discover
from overture.discover.disk.real_world import RealWorld
from overture.discover.disk.working_directory import locate
from overture.discover.disk.world import World
from overture.model.recipe.recipe import Recipe
from overture.model.state.discovery import Discovery
from overture.recipes import BUILTIN, builtin
from overture.session.files.reread_files import RecordingWorld
from overture.testing import FakeWorld
from tests.contract.effort import examples

PATHS = (
    "/p/AGENTS.md", "/AGENTS.md", "/p/.agents/memories.json", "/.agents/memories.json", "/p/agent.json",
    "/p/memories.json", "/p/.agents/skills/tow/SKILL.md", "/p/.agents/skills/moor/SKILL.md", "/p/.agents/SYSTEM.md",
    "/home/user/.agents/SOUL.md", "/home/user/.moltis/TOOLS.md", "/p/.claude/rules/a.md", "/p/elsewhere.md",
)  # fmt: skip
TEXTS = ("One.", '["One"]', '{"identity": "One"}', "---\nname: tow\ndescription: Tows.\n---\n", "", "[")
CHANGES = st.tuples(st.sampled_from(PATHS), st.sampled_from((*TEXTS, None, *(f"-> {path}" for path in PATHS))))


def change(world: FakeWorld, path: str, text: str | None) -> None:
    """Write a file, delete it, or put a link in its place."""
    world.files.pop(path, None)
    world.links.pop(path, None)
    if text is not None and text.startswith("-> "):
        world.links[path] = text[3:]
    elif text is not None:
        world.files[path] = text.encode()


def found(recipe: Recipe, world: World) -> tuple[object, ...]:
    """What a discovery gives."""
    made: Discovery = discover(ResolvedProject(recipe, locate(world=world)))
    return made.state, made.diagnostics, made.looked_at


@settings(max_examples=examples(400), deadline=None)
@given(recipe=st.sampled_from(BUILTIN), before=st.lists(CHANGES, max_size=6), after=st.lists(CHANGES, max_size=3))
def test_the_same_answers_mean_the_same_discovery(
    recipe: str, before: list[tuple[str, str | None]], after: list[tuple[str, str | None]]
) -> None:
    """Whatever is written, deleted or linked: `same` is true only where nothing would be found otherwise."""
    world = FakeWorld()
    for path, text in before:
        change(world, path, text)
    asked = RecordingWorld(world)
    first = found(builtin(recipe), cast(World, asked))
    asked.drop_irrelevant()
    assert asked.same()
    world.reads.clear()
    for path, text in after:
        change(world, path, text)
    if asked.same():
        assert world.reads == []
        assert found(builtin(recipe), world) == first


def test_a_file_of_this_very_moment_is_never_the_same(tmp_path: Path) -> None:
    """Its stamp may stay while its content changes, so nobody relies on it."""
    (tmp_path / "memories.json").write_text('["One"]')
    asked = RecordingWorld(RealWorld())
    discover(ResolvedProject(builtin("nova"), locate(tmp_path, tmp_path, world=cast(World, asked))))
    assert not asked.drop_irrelevant().same()
