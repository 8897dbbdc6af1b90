"""Skills that are loaded: as a message of the session's, within the user's, or as the text itself."""

from typing import Any

from ...assemble.fence_lower_tiers import fence_of
from ...assemble.gate.frames_of_prompt import guard_of_message
from ...discover.disk.reader import Reader
from ...errors import SessionError
from ...model.message import Call, Message
from ...model.sdk_forms.calls import invalid_arguments
from ...project.wanted import link_roots
from ..changes.changed_paths import grounded
from ..changes.reload import prepare
from ..live_session import Live
from .add_replies import add_result_of, asked, check_open
from .skill_text import USE_SKILL, chosen, loaded_text


def use_skill(session: Live, name: str) -> str:
    """The instructions of a skill, for whoever keeps the messages himself; what is wrong with its name, as text."""
    try:
        return _text_for_model(session, name)
    except SessionError as problem:
        return f"Error: {problem}"


def _text_for_model(session: Live, name: str) -> str:
    if session.current.state is None:
        prepare(session)
    return skill_text(session, str(name), by_user=False)


def load_skill(session: Live, name: str) -> str:
    """Load a skill as a message, once; what to tell the model as the result of its call."""
    with session.lock:
        if session.talk.has("skill", name):
            return f"Skill {name!r} is loaded already."
    text = _text_for_model(session, name)
    with session.lock:
        session.talk.add(Message("user", text, "skill", name=name, shown=False))
    return f"Skill {name!r} is loaded: its instructions follow."


def skill_text(session: Live, name: str, *, by_user: bool) -> str:
    """The instructions of a skill, framed; what was done to them is on the record."""
    state, ground = session.current.state, grounded(session)
    skill = chosen(state.skills if state else (), name, by_user=by_user)
    here = skill.location.rpartition("/")[0]
    roots: tuple[str, ...] = (here,)
    reader = Reader(session.current.options.world, (), roots, {})
    if ground is not None:
        settled = ground.settled
        reader, roots = settled.reader(), (link_roots(settled).project, settled.home, *ground.skills, here)
    known = session.current.known
    fence = fence_of(known.recipe, known.state) if known else None
    text, notes = loaded_text(reader, skill, roots, guard_of_message(known), fence)
    with session.lock:
        session.talk.notes += notes
    return text


def answer(session: Live, call: Any) -> bool:
    """Answer a call that the session itself can answer; one that is not open is refused before anything is added."""
    with session.lock:
        made = asked(session, call)
        if made.name == USE_SKILL or invalid_arguments(made) is not None:
            check_open(session, made)
        said = _answer_to(session, made)
        if said is not None:
            add_result_of(session, made.id, said[0], failed=said[1], touched=())
    return said is not None


def _answer_to(session: Live, made: Call) -> tuple[str, bool] | None:
    """What to answer a call of `use_skill`, and whether it failed; None where the call is somebody else's.

    Arguments that are no JSON object are answered for every tool: nobody can run it with them.
    """
    if (text := invalid_arguments(made)) is not None:
        said = (
            f"Error: the arguments of {made.name!r} are no JSON object: {text!r:.200}. Call it again with valid JSON."
        )
        return said, True
    if made.name != USE_SKILL:
        return None
    try:
        return load_skill(session, str(made.arguments.get("name", ""))), False
    except SessionError as problem:
        return str(problem), True
