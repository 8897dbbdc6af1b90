"""Loads a skill: as a message of the session, within the user's message, or as text."""

from collections.abc import Sequence
from heapq import nsmallest
from typing import Any

from ..assemble.render_body import BodyRenderer
from ..assemble.sanitize.forbidden_frames import RESOURCES_TAG, SKILL_TAG, Guard, message_guard
from ..discovery.files import describe_os_error
from ..discovery.reader import Allowed, FileReader, ReadRefusal, decode_text
from ..discovery.world import World
from ..errors import SessionError, list_some, suggest
from ..model.diagnostic import ENTITY, Diagnostic, warning
from ..model.message import Call, Message
from ..model.recipe.body import Group, Part
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.source import from_file, from_state
from ..model.state.files import Skill
from ..providers.read.pieces_and_calls import invalid_arguments
from ..sections.skill_menu import report_broken_element, skill_folder
from ..text.escape import escape_attribute
from ..text.frontmatter import Frontmatter, parse_frontmatter
from ..text.normalize import tidy
from ..text.path_printer import readable_path
from .bring_up_to_date import prepare_prompt
from .current_files import get_session_files
from .replies_and_results import add_result_of, check_open, find_call
from .session_parts import SessionParts
from .session_setup import USE_SKILL

SKILL_RECIPE = Recipe("skill", (Section("skill", lambda: None, tags=(SKILL_TAG, RESOURCES_TAG)),))
"""The recipe of the frame around a skill's text in a message."""
MAX_LISTED_RESOURCES = 100
MAX_RESOURCE_DEPTH = 4
MAX_SEARCHED_FILES = 10_000  # files beside a skill after which no further folder is searched


def choose_skill(skills: Sequence[Skill], name: str, *, by_user: bool) -> Skill:
    """The skill of that name. Skills that are hidden from the model are for the user only."""
    known = [skill for skill in skills if by_user or not skill.disable_model_invocation]
    for skill in known:
        if skill.name == name:
            return skill
    names = list_some(skill.name for skill in known) or "none"
    hidden = any(skill.name == name for skill in skills)
    hint = f" It is hidden from the model: the user loads it with /skill:{name}." if hidden else ""
    raise SessionError(
        f"Skill {name!r:.200} is not known.",
        hint=f"Known: {names}.{hint or suggest(name, [skill.name for skill in known])}",
    )


def read_skill_body(reader: FileReader, skill: Skill) -> tuple[str, int]:
    """The text below the frontmatter, and the line at which it begins. What can't be read is an OSError: why."""
    if skill.body is not None:
        text, skipped = tidy(skill.body)
        return text, 1 + skipped
    result = reader.look_at(skill.location)
    if isinstance(result, ReadRefusal):
        raise OSError(readable_path(result.detail) or "it no longer exists")
    text, skipped = tidy(decode_text(reader.content(result), skill.location)[0])
    parsed = parse_frontmatter(text)
    if not isinstance(parsed, Frontmatter):
        return text, 1 + skipped
    body, blank = tidy(text[parsed.body :])
    return body, parsed.body_line + skipped + blank


def find_skill_resources(world: World, skill: Skill) -> tuple[tuple[str, ...], str]:
    """The first files beside a SKILL.md, sorted, and a note about those not listed; no links and hidden files."""
    files: list[str] = []
    unsearched, todo = 0, [(skill.location.rpartition("/")[0], 1)]
    while todo:
        folder, depth = todo.pop()
        if depth > MAX_RESOURCE_DEPTH or len(files) > MAX_SEARCHED_FILES:
            unsearched += 1
            continue
        try:
            names = world.names(folder)
        except OSError as problem:  # a skill from a state need not exist on disk
            unsearched += not isinstance(problem, FileNotFoundError | NotADirectoryError)
            continue
        visible = [(f"{folder}/{name}", kind) for name, kind in names if not name.startswith(".")]
        files += [path for path, kind in visible if kind == "file" and path != skill.location]
        todo += [(path, depth + 1) for path, kind in visible if kind == "dir"]
    listed = tuple(nsmallest(MAX_LISTED_RESOURCES, files))
    if len(listed) < len(files):
        return listed, f"{len(listed):,} of {len(files):,}{' or more' * bool(unsearched)} files are listed"
    folders = "1 folder below was" if unsearched == 1 else f"{unsearched:,} folders below were"
    return listed, f"{folders} not searched" if unsearched else ""


def render_loaded_skill(reader: FileReader, skill: Skill, guard: Guard) -> tuple[str, tuple[Diagnostic, ...]]:
    """The skill's instructions and the paths of its resources, in a frame that its text can't end.

    It also returns the diagnostics of the sanitized text, by file and line.
    """
    try:
        body, line = read_skill_body(reader, skill)
    except OSError as problem:
        raise SessionError(
            f"Skill {skill.name!r} can't be read: {skill.location}: {describe_os_error(problem)}."
        ) from None
    # Instructions from the state have no lines in the file.
    source = from_file(skill.location, line) if skill.body is None else from_state(f"skills, {skill.name!r}: body")
    head = f'<skill name="{escape_attribute(skill.name)}" location="{escape_attribute(skill.location)}">'
    lead = f"Relative paths start from {escape_attribute(skill_folder(skill.location))}.\n"
    paths, rest = find_skill_resources(reader.world, skill)
    lines = [*map(escape_attribute, paths), *([f"[{rest}.]"] if rest else [])]
    listing = Group(tuple(lines), before="\n<skill-resources>\n", after="\n</skill-resources>")
    renderer = BodyRenderer(SKILL_RECIPE, SKILL_RECIPE.sections[0], {}, guard)
    renderer.render_framed(Group((head, lead, Part(body, source, skill.location), listing, "</skill>")))
    cut = [warning("skill-resources", f"beside it: {rest}", skill.location)] if rest else []
    return "".join(renderer.texts), (*renderer.notes, *report_broken_element(skill, ENTITY), *cut)


def use_skill(session: SessionParts, name: str) -> str:
    """The instructions of a skill, for a framework that keeps the messages. An unknown name returns an error text."""
    try:
        return _render_for_model(session, name)
    except SessionError as problem:
        return f"Error: {problem}"


def _render_for_model(session: SessionParts, name: str) -> str:
    if session.current.state is None:
        prepare_prompt(session)
    return render_skill(session, str(name), by_user=False)


def load_skill(session: SessionParts, name: str) -> str:
    """Load a skill as a message, once; returns the text for the result of the call."""
    with session.lock:
        if session.history.has("skill", name):
            return f"Skill {name!r} is loaded already."
    text = _render_for_model(session, name)
    with session.lock:
        session.history.add(Message("user", text, "skill", name=name, shown=False))
    return f"Skill {name!r} is loaded: its instructions follow."


def render_skill(session: SessionParts, name: str, *, by_user: bool) -> str:
    """The framed instructions of a skill. The record gets the diagnostics."""
    state, files = session.current.state, get_session_files(session)
    skill = choose_skill(state.skills if state else (), name, by_user=by_user)
    here = skill.location.rpartition("/")[0]
    if files is not None:
        reader = files.project.reader()
        reader.allow_named(*files.skills, here)
    else:
        world = session.setup.settings.world
        reader = FileReader(world, (here,), {})
        reader.allowed = Allowed(world.real_or_same(here))
    prompt = session.current.built_prompt
    text, notes = render_loaded_skill(reader, skill, message_guard(prompt))
    with session.lock:
        session.history.diagnostics += notes
        session.loaded_texts[text] = from_file(skill.location)
    return text


def answer_call(session: SessionParts, call: Any) -> bool:
    """Answer a call that the session itself can answer. A call that is not open raises before any change."""
    with session.lock:
        tool_call = find_call(session, call)
    if tool_call.name == USE_SKILL and session.current.state is None:
        prepare_prompt(session)  # without the lock, which the first turn of another thread needs
    with session.lock:
        if tool_call.name == USE_SKILL or invalid_arguments(tool_call) is not None:
            check_open(session, tool_call)
        result = _answer_to(session, tool_call)
        if result is not None:
            add_result_of(session, tool_call.id, result[0], failed=result[1], touched=())
    return result is not None


def _answer_to(session: SessionParts, call: Call) -> tuple[str, bool] | None:
    """The answer to a call, and whether it is an error; None for an active tool of the caller.

    Arguments that are not a JSON object get an error for every tool: no tool can run with them.
    """
    if (text := invalid_arguments(call)) is not None:
        error = f"Error: the arguments of {call.name!r} are not a JSON object: {text!r:.200}. Call it with valid JSON."
        return error, True
    if call.name != USE_SKILL:
        return None
    try:
        return load_skill(session, str(call.arguments.get("name", ""))), False
    except SessionError as problem:
        return str(problem), True
