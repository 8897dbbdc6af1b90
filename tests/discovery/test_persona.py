"""IDENTITY.md, SOUL.md and USER.md under ~/.moltis: missing, cleared, given, and broken in every way."""

import pytest

import overture
from overture import Discovery
from overture.model.state.agent_and_runtime import Agent, User
from overture.testing import FakeWorld

HOME = "/home/user/.moltis"


def find(since: Discovery | None = None, world: FakeWorld | None = None, **files: str | bytes) -> Discovery:
    """What Moltis finds with these files in its folder, `SOUL="…"` being SOUL.md."""
    world = world or FakeWorld({f"{HOME}/{name}.md": text for name, text in files.items()})
    return overture.discover("moltis", world=world, since=since)


def came_of(found: Discovery, name: str) -> tuple[str, str]:
    """Outcome and detail of one file."""
    (look,) = [look for look in found.looked_at if look.path == f"{HOME}/{name}"]
    return look.outcome, look.detail


def test_all_three_are_read() -> None:
    """Each field of the frontmatter is taken over, and the whole of SOUL.md."""
    found = find(
        IDENTITY="---\nname: Molty\nemoji: 🦞\ncreature: lobster\nvibe: calm\n---\nNotes.\n",
        SOUL="\nSpeak plainly.\n",
        USER="---\nname: Ada\ntimezone: Europe/Paris\nlocation: Lyon\n---\n",
    )
    assert found.state.agent == Agent("Molty", "🦞", "lobster", "calm", "Speak plainly.")
    assert found.state.user == User("Ada", "Europe/Paris", "Lyon")
    assert found.diagnostics == ()
    assert [came_of(found, f"{name}.md") for name in ("IDENTITY", "SOUL", "USER")] == [("loaded", "")] * 3


def test_missing_files_give_nothing() -> None:
    """Without the folder there is neither agent nor user, and the paths are on record."""
    found = find()
    assert (found.state.agent, found.state.user) == (None, None)
    assert [came_of(found, f"{name}.md")[0] for name in ("IDENTITY", "SOUL", "USER")] == ["absent"] * 3


def test_an_empty_soul_gives_the_default_one() -> None:
    """For Moltis a cleared SOUL.md is as good as none."""
    cleared = overture.build("moltis", find(IDENTITY="---\nname: A\n---", SOUL="").state)
    missing = overture.build("moltis", find(IDENTITY="---\nname: A\n---").state)
    assert cleared.text == missing.text
    assert "## Soul" in cleared.text


@pytest.mark.parametrize(
    ("text", "agent", "line", "said"),
    [
        ("name: Ada", None, 1, "it has no frontmatter"),
        ("---\nname: Ada", None, 1, "its frontmatter is not closed"),
        ("---\nname: a: b\n---", None, 2, "its frontmatter is not YAML"),
        ("---\n- Ada\n---", None, 2, "not a map"),
        ("---\nname: [Ada]\nvibe: dry\n---", Agent(vibe="dry"), 2, "name is a list, not a string: it is skipped"),
        ("---\nvibe: dry\nname: {a: b}\n---", Agent(vibe="dry"), 3, "name is a map, not a string: it is skipped"),
        ("---\nname: Ada\nname: Bob\n---", Agent("Bob"), 3, "'name' is given twice; the last value is used"),
        ("---\nname: 007\n---", Agent("007"), 2, "name is written '007', which YAML reads as a number"),
        ("---\nname: on\n---", Agent("on"), 2, "name is written 'on', which YAML reads as a bool"),
        (b"---\nname: Ren\xe9\n---", Agent("Ren\ufffd"), 2, "byte 0xe9 is not UTF-8"),
        ("\n---\nname: [x]\n---", Agent(), 3, "name is a list"),
    ],
)
def test_a_broken_identity_is_one_line(text: str | bytes, agent: Agent | None, line: int, said: str) -> None:
    """What is wrong with a persona file is one diagnostic with its line, and the rest of it is used."""
    found = find(IDENTITY=text)
    (problem,) = found.diagnostics
    assert (problem.path, problem.line) == (f"{HOME}/IDENTITY.md", line)
    assert said in problem.message
    assert found.state.agent == agent


def test_links_out_of_home_are_refused() -> None:
    """A persona file that is a link out of the home directory is not read, and reported."""
    world = FakeWorld({"/etc/secret": "x"}, links={f"{HOME}/SOUL.md": "/etc/secret"})
    found = find(world=world)
    assert found.state.agent is None
    assert world.reads == []
    assert [d.code for d in found.diagnostics] == ["soul-outside"]
