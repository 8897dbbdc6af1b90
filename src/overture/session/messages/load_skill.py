"""Loads a skill: as a message of the session, within the user's message, or as text."""

from typing import Any

from ...assemble.fence_lower_tiers import find_tier_fence
from ...assemble.sanitize.guard import message_guard
from ...discover.disk.reader import FileReader
from ...errors import SessionError
from ...model.message import Call, Message
from ...project.resolve import find_project_roots
from ...providers.read.calls import invalid_arguments
from ..files.watch_files import get_session_files
from ..session_parts import SessionParts
from ..toolbox import USE_SKILL
from ..turn.prepare_prompt import prepare_prompt
from .add_messages import add_result_of, check_open, find_call
from .skill_text import choose_skill, render_loaded_skill


def use_skill(session: SessionParts, name: str) -> str:
    """The instructions of a skill, for a framework with its own messages; what is wrong with its name, as text."""
    try:
        return _text_for_model(session, name)
    except SessionError as problem:
        return f"Error: {problem}"


def _text_for_model(session: SessionParts, name: str) -> str:
    if session.current.state is None:
        prepare_prompt(session)
    return render_skill(session, str(name), by_user=False)


def load_skill(session: SessionParts, name: str) -> str:
    """Load a skill as a message, once; what to tell the model as the result of its call."""
    with session.lock:
        if session.history.has("skill", name):
            return f"Skill {name!r} is loaded already."
    text = _text_for_model(session, name)
    with session.lock:
        session.history.add(Message("user", text, "skill", name=name, shown=False))
    return f"Skill {name!r} is loaded: its instructions follow."


def render_skill(session: SessionParts, name: str, *, by_user: bool) -> str:
    """The instructions of a skill, framed; what was done to them is on the record."""
    state, files = session.current.state, get_session_files(session)
    skill = choose_skill(state.skills if state else (), name, by_user=by_user)
    here = skill.location.rpartition("/")[0]
    roots: tuple[str, ...] = (here,)
    reader = FileReader(session.setup.settings.world, (), roots, {})
    if files is not None:
        project = files.project
        reader, roots = project.reader(), (find_project_roots(project).project, project.home, *files.skills, here)
    prompt = session.current.built_prompt
    fence = find_tier_fence(prompt.recipe, prompt.state) if prompt else None
    text, notes = render_loaded_skill(reader, skill, roots, message_guard(prompt), fence)
    with session.lock:
        session.history.diagnostics += notes
    return text


def answer(session: SessionParts, call: Any) -> bool:
    """Answer a call that the session itself can answer; one that is not open is refused before anything is added."""
    with session.lock:
        found = find_call(session, call)
        if found.name == USE_SKILL or invalid_arguments(found) is not None:
            check_open(session, found)
        result = _answer_to(session, found)
        if result is not None:
            add_result_of(session, found.id, result[0], failed=result[1], touched=())
    return result is not None


def _answer_to(session: SessionParts, call: Call) -> tuple[str, bool] | None:
    """What to answer a call of `use_skill`, and whether it failed; None where the call is somebody else's.

    Arguments that are no JSON object are answered for every tool: nobody can run it with them.
    """
    if (text := invalid_arguments(call)) is not None:
        error = (
            f"Error: the arguments of {call.name!r} are no JSON object: {text!r:.200}. Call it again with valid JSON."
        )
        return error, True
    if call.name != USE_SKILL:
        return None
    try:
        return load_skill(session, str(call.arguments.get("name", ""))), False
    except SessionError as problem:
        return str(problem), True
