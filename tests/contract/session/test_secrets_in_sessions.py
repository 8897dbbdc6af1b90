"""A session keeps keys, and what is the user's, from whoever is not to see them, turn after turn."""

from pathlib import Path

import pytest

import overture
from overture import Session

from ..secret_samples import KEYS

KEY, OTHER = KEYS["GitHub token"][:2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a key in its instructions, a skill that names one, and memories."""
    for folder in ("p/.git", "p/.agents/skills/pdf", "p/sub", "h"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "p/AGENTS.md").write_text(f"Use {KEY} here.\n")
    (tmp_path / "p/.agents/memories.json").write_text('["Ada is allergic to nuts."]')
    (tmp_path / "p/.agents/skills/pdf/SKILL.md").write_text(
        f"---\nname: pdf\ndescription: Reads PDF.\n---\nRun with {KEY}.\n"
    )
    return tmp_path


def begun(project: Path, **more: object) -> Session:
    """A session there."""
    return Session("house", cwd=project / "p", home=project / "h", **more)  # type: ignore[arg-type]


def sent(turn: overture.Turn) -> str:
    """All that the model sees."""
    return turn.prompt.text + "\n".join(message.text for message in turn.messages)


def test_no_turn_holds_a_key(project: Path) -> None:
    """Not in the prompt nor in a skill that is loaded; the record has it."""
    with begun(project) as session:
        first = session.turn("Hello.")
        loaded = session.framework.use_skill("pdf")
        (project / "p/AGENTS.md").write_text(f"Now use {OTHER}, and mind the step.\n")
        session.reload()
        second = session.turn("Go on.")
        for turn in (first, second):
            assert KEY[:10] not in sent(turn)
            assert OTHER[:10] not in sent(turn)
        assert KEY[:10] not in loaded
        assert "Run with [secret: GitHub token]." in loaded
        assert "Now use [secret: GitHub token], and mind the step." in sent(second)
        assert "secret" in {note.code for entry in session.record for note in entry.diagnostics}


def test_what_the_user_types_is_sent_as_it_is(project: Path) -> None:
    """It is the user's to say."""
    with begun(project) as session:
        assert session.turn(f"My key is {OTHER}.").messages[-1].text.endswith(f"My key is {OTHER}.")


def test_keys_stay_in_a_session_that_shows_them(project: Path, tmp_path: Path) -> None:
    """`secrets="show"` holds for every turn, for sub-agents and after a resume."""
    with begun(project, secrets="show") as session:
        assert KEY in session.turn("Hello.").prompt.text
        session.save(tmp_path / "save.json")
        assert KEY in session.subagent("Look around.").turn("Go.").prompt.text
    assert KEY in Session.resume(tmp_path / "save.json").turn("Again.").prompt.text


def test_a_public_session_stays_public(project: Path, tmp_path: Path) -> None:
    """Turn after turn, for sub-agents, after a reload and a resume."""
    with begun(project, audience="public") as session:
        assert "nuts" not in sent(session.turn("Hello."))
        (project / "p/.agents/memories.json").write_text('["Ada likes nuts."]')
        session.reload()
        turn = session.turn("Go on.")
        assert "nuts" not in sent(turn)
        assert "<host>" not in sent(turn)
        assert {o.reason for o in turn.prompt.omitted if o.name in ("memories", "host")} == {
            "omitted: audience is public"
        }
        assert "nuts" not in sent(session.subagent("Look around.").turn("Go."))
        session.save(tmp_path / "save.json")
        session.update(audience="private")
        assert "likes nuts" in sent(session.turn("Now?"))
    assert "nuts" not in sent(Session.resume(tmp_path / "save.json").turn("Again."))


def test_a_setting_makes_it_public(project: Path) -> None:
    """The configuration says it for sessions as for commands."""
    with begun(project, config={"audience": "public"}) as session:
        assert "nuts" not in session.turn("Hello.").prompt.text
