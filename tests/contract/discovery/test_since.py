import os
from pathlib import Path

import overture
from overture.testing import FakeWorld

from .disk import find, link, put, put_skill, texts

SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\n"
FILES = {
    "/p/AGENTS.md": "one",
    "/p/.sf/SYSTEM.md": "system",
    "/p/.sf/APPEND_SYSTEM.md": "append",
    "/p/.agents/skills/a/SKILL.md": SKILL.format("a"),
    "/p/.agents/skills/b/SKILL.md": SKILL.format("b"),
    "/p/.agents/skills/bad/SKILL.md": "no frontmatter",
    "/p/agent.json": '{"identity": "I", "directories": ["src"]}',
    "/p/memories.json": '["one", 2]',
    "/home/user/.moltis/IDENTITY.md": "---\nname: 1\n---",
    "/home/user/.moltis/SOUL.md": "Be brief.",
    "/home/user/.moltis/TOOLS.md": "Prefer rg.",
}
FIELDS = ("context_files", "skills", "tools", "overrides", "agent", "user", "memories", "workspace_files", "runtime")


def age(path: Path, seconds: int = 60) -> None:
    """Let a file have been written some time ago."""
    then = path.stat().st_mtime_ns - seconds * 1_000_000_000
    os.utime(path, ns=(then, then))


def test_nothing_is_read_again_when_nothing_changed() -> None:
    """A second discovery reads no file, and gives the same objects, record and lines."""
    world = FakeWorld(FILES)
    for recipe in ("opal", "pi", "moltis", "nova"):
        first = overture.discover(recipe, world=world)
        world.reads.clear()
        second = overture.discover(recipe, world=world, since=first)
        assert world.reads == []
        for field in (*FIELDS, "origins"):
            assert getattr(second.state, field) is getattr(first.state, field), field
        assert second.looked_at == first.looked_at
        assert second.diagnostics == first.diagnostics != ()


def test_unchanged_files_give_the_same_prompt() -> None:
    """Where nothing changed, the previous prompt itself comes back."""
    world = FakeWorld(FILES)
    first = overture.discover("pi", world=world)
    prompt = overture.build("pi", first.state)
    second = overture.discover("pi", world=world, since=first)
    assert overture.build("pi", second.state, since=prompt) is prompt


def test_an_edited_file_is_read_again_and_no_other() -> None:
    """Only the edited file is read, and only its field changes."""
    world = FakeWorld(FILES)
    first = overture.discover("pi", world=world)
    world.files["/p/.agents/skills/a/SKILL.md"] = SKILL.format("a").replace("Does", "Undoes").encode()
    world.reads.clear()
    second = overture.discover("pi", world=world, since=first)
    assert world.reads == ["/p/.agents/skills/a/SKILL.md"]
    assert [skill.description for skill in second.state.skills] == ["Undoes a.", "Does b."]
    assert second.state.skills[1] is first.state.skills[1]
    assert second.state.context_files is first.state.context_files


def test_a_deleted_file_is_gone() -> None:
    """A deleted file is neither in the state nor remembered; it is recorded as absent."""
    world = FakeWorld(FILES)
    first = overture.discover("pi", world=world)
    for path in ("/p/AGENTS.md", "/p/.sf/SYSTEM.md", "/p/.agents/skills/bad/SKILL.md"):
        del world.files[path]
    second = overture.discover("pi", world=world, since=first)
    assert second.state.context_files == ()
    assert second.state.overrides is not None
    assert second.state.overrides.system is None
    assert second.diagnostics == ()
    fresh = overture.discover("pi", world=world)
    assert second.looked_at == fresh.looked_at
    assert second.cached_files.keys() == fresh.cached_files.keys()


def test_a_new_file_is_found() -> None:
    """A file that was absent is found, and the others are not read again."""
    world = FakeWorld(FILES)
    first = overture.discover("opal", world=world)
    world.files["/p/OPAL.md"] = b"two"
    world.reads.clear()
    second = overture.discover("opal", world=world, since=first)
    assert texts(second) == ["one", "two"]
    assert world.reads == ["/p/OPAL.md"]
    assert second.state.context_files[0] is first.state.context_files[0]


def test_touching_without_change_keeps_the_object(tmp_path: Path) -> None:
    """A file with a new time and the old content stays the same object."""
    path = put(tmp_path / "p/AGENTS.md", "text")
    skill = put_skill(tmp_path / "p/.agents/skills/a")
    age(path)
    age(skill)
    first = find(tmp_path)
    age(path, 10)
    age(skill, 10)
    second = find(tmp_path, since=first)
    assert second.state.context_files is first.state.context_files
    assert second.state.skills is first.state.skills


def test_an_edit_in_the_same_instant_is_seen(tmp_path: Path) -> None:
    """A second edit straight after the first, of the same length and with the same time, is seen."""
    path = put(tmp_path / "p/AGENTS.md", "one")
    before = path.stat().st_mtime_ns
    first = find(tmp_path)
    path.write_text("two")
    os.utime(path, ns=(before, before))
    assert texts(find(tmp_path, since=first)) == ["two"]


def test_a_link_that_turns_elsewhere_is_seen(tmp_path: Path) -> None:
    """A link that now leads to another file gives the other text."""
    for name in ("one", "two"):
        age(put(tmp_path / "p" / name, name))
    path = link(tmp_path / "p/AGENTS.md", "one")
    first = find(tmp_path)
    path.unlink()
    link(path, "two")
    assert texts(find(tmp_path, since=first)) == ["two"]


def test_a_replaced_file_is_seen(tmp_path: Path) -> None:
    """A file that is replaced by another of the same time and length is seen."""
    path = put(tmp_path / "p/AGENTS.md", "one")
    age(path)
    first = find(tmp_path)
    other = put(tmp_path / "p/new", "two")
    os.utime(other, ns=(path.stat().st_mtime_ns, path.stat().st_mtime_ns))
    other.replace(path)
    assert texts(find(tmp_path, since=first)) == ["two"]


def test_another_recipe_may_follow() -> None:
    """What one recipe found serves another: the result is that of a fresh discovery."""
    world = FakeWorld(FILES)
    opal = overture.discover("opal", world=world)
    after = overture.discover("pi", world=world, since=opal)
    fresh = overture.discover("pi", world=world)
    assert after.state.to_dict() == fresh.state.to_dict()
    assert after.looked_at == fresh.looked_at


def test_one_file_for_two_purposes_is_kept_for_both() -> None:
    """A file that is project file and skill at once is still both in a later discovery."""
    world = FakeWorld(FILES, links={"/p/TEAM.md": ".agents/skills/a/SKILL.md"})
    config = {"features.context.filenames": ["TEAM.md"]}
    first = overture.discover("opal", world=world, config=config)
    second = overture.discover("opal", world=world, config=config, since=first)
    assert [len(first.state.context_files), len(first.state.skills)] == [1, 2]
    assert second.state.to_dict() == first.state.to_dict()


def test_tools_from_a_file_stay_the_same_objects() -> None:
    """Tools from a configured file that did not change are the same objects, so that a build takes blocks over."""
    world = FakeWorld({**FILES, "/p/overture.toml": 'tools = "/p/tools.json"', "/p/tools.json": '[{"name": "x"}]'})
    first = overture.discover("pi", world=world)
    second = overture.discover("pi", world=world, since=first)
    assert [tool.name for tool in first.state.tools] == ["x"]
    assert second.state.tools is first.state.tools
