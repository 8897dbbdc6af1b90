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


def test_every_value_knows_its_line() -> None:
    """A character of the prompt that came from a persona file knows the file and the line."""
    found = find(
        IDENTITY="\n---\n# who I am\nname: Molty\n---\n", SOUL="\n\nOne.\nTwo.\n", USER="---\nname: Ada\n---\n"
    )
    prompt = overture.build("moltis", found.state)
    places = {word: str(prompt.source_at(prompt.text.index(word))) for word in ("Molty", "Two.", "Ada")}
    assert places == {"Molty": f"{HOME}/IDENTITY.md:4", "Two.": f"{HOME}/SOUL.md:4", "Ada": f"{HOME}/USER.md:2"}


def test_missing_files_give_nothing() -> None:
    """Without the folder there is neither agent nor user, and the paths are on record."""
    found = find()
    assert (found.state.agent, found.state.user) == (None, None)
    assert [came_of(found, f"{name}.md")[0] for name in ("IDENTITY", "SOUL", "USER")] == ["absent"] * 3


def test_cleared_is_not_missing() -> None:
    """An empty SOUL.md gives an empty soul; an empty IDENTITY.md or USER.md gives no field."""
    found = find(IDENTITY="", SOUL="\ufeff \r\n", USER="---\n---\n")
    assert found.state.agent == Agent(soul="")
    assert found.state.user is None
    assert [came_of(found, f"{name}.md")[0] for name in ("IDENTITY", "SOUL", "USER")] == ["cleared"] * 3
    assert found.diagnostics == ()


def test_an_empty_soul_gives_the_default_one() -> None:
    """For Moltis a cleared SOUL.md is as good as none."""
    cleared = overture.build("moltis", find(IDENTITY="---\nname: A\n---", SOUL="").state)
    missing = overture.build("moltis", find(IDENTITY="---\nname: A\n---").state)
    assert cleared.text == missing.text
    assert "## Soul" in cleared.text


@pytest.mark.parametrize("text", ["", "\n \n", "---\n---\n", "---\nname:\nvibe: ''\n---\n", "---\nfur: red\n---\n"])
def test_an_identity_without_a_field_is_present(text: str) -> None:
    """An IDENTITY.md that gives no field is an identity all the same, and so brings the soul."""
    found = find(IDENTITY=text)
    assert found.state.agent == Agent()
    assert found.diagnostics == ()
    assert overture.State.from_dict(found.state.to_dict()).agent == Agent()
    assert "## Soul" in overture.build("moltis", found.state).text
    assert "## Soul\n\nBe brief." in overture.build("moltis", find(IDENTITY=text, SOUL="Be brief.").state).text


def test_an_identity_without_a_field_says_nothing_in_house() -> None:
    """house has no default soul, so that an empty IDENTITY.md changes nothing there."""
    files = {"/home/user/.agents/IDENTITY.md": "---\n---\n"}
    with_it = overture.discover("house", world=FakeWorld(files))
    without = overture.discover("house", world=FakeWorld({}))
    assert overture.build("house", with_it.state).text == overture.build("house", without.state).text


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


@pytest.mark.parametrize("value", ["", "~", "null"])
def test_a_field_without_a_value_is_not_given(value: str) -> None:
    """An empty field, as a template has them, is neither a value nor a fault."""
    found = find(IDENTITY=f"---\nname: Ada\nvibe: {value}\n---")
    assert found.state.agent == Agent("Ada")
    assert found.diagnostics == ()


def test_other_fields_are_left_alone() -> None:
    """Fields that Moltis does not know are neither taken over nor reported."""
    found = find(USER="---\nname: Ada\nlatitude: 45.7\n---")
    assert found.state.user == User("Ada")
    assert found.diagnostics == ()


def test_a_zone_that_is_none_is_passed_over() -> None:
    """A time zone must be an IANA name; another is reported, and the machine's stays."""
    world = FakeWorld({f"{HOME}/USER.md": "---\nname: Ada\ntimezone: Paris\n---"}, environment={"TZ": "Asia/Tokyo"})
    found = find(world=world)
    assert found.state.user == User("Ada")
    assert found.state.runtime is not None
    assert found.state.runtime.timezone == "Asia/Tokyo"
    assert [(d.code, d.line) for d in found.diagnostics] == [("persona-invalid", 3)]


def test_the_users_zone_counts_before_the_machines() -> None:
    """A server may stand anywhere: the zone that the user names is the one that is told, with its line."""
    world = FakeWorld({f"{HOME}/USER.md": "---\ntimezone: Europe/Paris\n---"}, environment={"TZ": "Asia/Tokyo"})
    prompt = overture.build("moltis", find(world=world).state)
    assert "timezone=Europe/Paris" in prompt.text
    assert str(prompt.source_at(prompt.text.index("Europe/Paris"))) == f"{HOME}/USER.md:2"


def test_links_out_of_home_are_refused() -> None:
    """A persona file that is a link out of the home directory is not read, and reported."""
    world = FakeWorld({"/etc/secret": "x"}, links={f"{HOME}/SOUL.md": "/etc/secret"})
    found = find(world=world)
    assert found.state.agent is None
    assert world.reads == []
    assert [d.code for d in found.diagnostics] == ["soul-outside"]


def test_an_unreadable_file_is_reported() -> None:
    """Permission denied is a diagnostic, not an exception."""
    world = FakeWorld({f"{HOME}/USER.md": "---\nname: Ada\n---"}, unreadable=(f"{HOME}/USER.md",))
    assert [d.code for d in find(world=world).diagnostics] == ["user-unreadable"]


def test_the_folder_is_a_setting() -> None:
    """`recipes.moltis.folder` says where persona, workspace files and skills lie."""
    files = {
        "/home/user/.bot/SOUL.md": "Be brief.",
        "/home/user/.bot/TOOLS.md": "Prefer rg.",
        "/home/user/.bot/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF.\n---\n",
    }
    found = overture.discover("moltis", world=FakeWorld(files), config={"recipes.moltis.folder": ".bot"})
    assert found.state.agent == Agent(soul="Be brief.")
    assert [file.path for file in found.state.workspace_files] == ["/home/user/.bot/TOOLS.md"]
    assert [skill.name for skill in found.state.skills] == ["pdf"]
