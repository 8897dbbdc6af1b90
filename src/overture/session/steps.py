"""What a session does between two turns: bring itself up to date, load skills, look around."""

from typing import TYPE_CHECKING

from ..assemble.build import changed_fields
from ..assemble.derive import NEVER
from ..assemble.patch import as_message
from ..discover.reader import Reader
from ..model.diagnostic import warning
from ..model.errors import OvertureError, SessionError
from ..model.held import Held
from ..model.message import Call, Message
from ..model.prompt import Prompt
from ..model.tool import Tool
from . import skills
from .ground import Ground, look, project_root
from .hooks import INSIDE, Discovering, call, found
from .nested import nested
from .record import Entry
from .toolbox import Toolbox
from .triggers import READS, SETTLES, Resources, Trigger
from .within import recut

if TYPE_CHECKING:
    from .session import Session

CONFIGURATION = ("overture.toml", "pyproject.toml")


def prepare(session: "Session", *, record: bool = False) -> Prompt:
    """The prompt as it is now. From inside a hook, as it was when the turn began."""
    if id(session) in INSIDE.get():
        return session.current.prompt
    with session.turns:
        refresh(session)
        if record and session.triggers:
            note(session, session.current.prompt, 0)
        return session.current.prompt


def refresh(session: "Session") -> None:
    """Do what the triggers ask for. What they need not read is not read."""
    with session.lock:
        triggers, session.pending = session.pending, []
        touched, session.touched = session.touched, []
        settle, session.resettle = session.resettle, False
    if triggers:
        try:
            _renew(session, triggers, settle)
        except OvertureError as problem:
            if session.current.state is None:
                session.pending = [*triggers, *session.pending]
                raise
            # A session that runs goes on with what it has: somebody may be in the middle of an edit.
            session.notes.append(warning("reload-failed", f"what was known stays: {problem}"))
        session.triggers += triggers
    if touched:
        _look_around(session, touched)


def _renew(session: "Session", triggers: list[Trigger], settle: bool) -> None:
    names = {trigger.name for trigger in triggers}
    current = session.current
    if not names.isdisjoint(READS):
        settle = settle or not names.isdisjoint(SETTLES)
        if not names.isdisjoint(SETTLES):
            session.hooked = _discovered(session, "reload" if current.state else "start")
        session.notes += current.look(session.added + session.hooked, settle=settle)
    with session.lock:
        tell(session, current.restate())
        if not names.isdisjoint(("reload", "budget")):
            current.within.forget()
        if "reload" in names:
            fold(session, "reload")


def _discovered(session: "Session", reason: str) -> Resources:
    """What the `resources_discover` hooks add."""
    more = Resources()
    options = session.current.options
    token = INSIDE.set((*INSIDE.get(), id(session)))
    try:
        for hook in session.hooks["resources_discover"]:
            event = Discovering(str(options.cwd or "."), "start" if reason == "start" else "reload")
            resources, problem = found(hook, call(hook, event, options.hook_limit))
            more += resources
            session.notes += [problem] if problem else []
    finally:
        INSIDE.reset(token)
    return more


def tell(session: "Session", news: tuple[Held, ...]) -> None:
    """Append what is told instead of rewritten."""
    if news:
        session.told += news
        session.talk.add(Message("user", as_message(news), "update", shown=False))


def fold(session: "Session", why: str) -> None:
    """Put what messages told into the prompt, and take those messages away."""
    if session.current.fold():
        session.talk.drop("update")
        session.triggers.append(Trigger("fold", f"{why}: what messages told is in the prompt now"))


def note(session: "Session", prompt: Prompt, number: int) -> Entry:
    """Write an entry of the record."""
    last, session.last = session.last, prompt
    entry = Entry(
        number,
        tuple(session.triggers),
        prompt.results,
        last.results if last else None,
        changed_fields(last.state, prompt.state) if last else frozenset(),
        tuple(session.told),
        prompt.edits,
        len(session.talk.sent),
        (*session.notes, *session.talk.notes),
        prompt.counter,
        recut(last, prompt) if last else frozenset(),
    )
    session.triggers, session.notes, session.told, session.talk.notes = [], [], [], []
    session.entries.append(entry)
    return entry


def toolbox(session: "Session") -> Toolbox:
    """The tools; a session that has not begun begins here."""
    if session.current.toolbox is None:
        prepare(session)
    assert session.current.toolbox is not None
    return session.current.toolbox


def allowed(session: "Session", tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """The tools that this session may have: a sub-agent has none of NEVER."""
    if session.current.info is not None:
        return tools
    refused = [tool.name for tool in tools if tool.name in NEVER]
    session.notes += [warning("tool-refused", f"a sub-agent never has {name!r}: it stays away") for name in refused]
    return tuple(tool for tool in tools if tool.name not in NEVER)


def matters(session: "Session", path: str) -> bool:
    """Whether a change of this path may change the prompt: it was looked at, or lies above what was."""
    ground = grounded(session)
    if ground is None:
        return False
    below = path.rstrip("/") + "/"
    # What is new in a folder that is searched was never looked at itself.
    return (
        path in ground.paths
        or path in ground.settled.recipe.files
        or any(path.startswith(f"{place}/") for place in ground.places)
        or any(known.startswith(below) for known in ground.paths)
    )


def settles(session: "Session", path: str) -> bool:
    """Whether a change of this path is one of the configuration or of the recipe itself."""
    recipe = session.current.recipe
    return path.rpartition("/")[2] in CONFIGURATION or (recipe is not None and path in recipe.files)


def grounded(session: "Session") -> Ground | None:
    """What the session stands on; for one that was resumed, what it would stand on, where that is still there."""
    current = session.current
    if current.ground is None and current.spare is None and current.state is not None:
        try:
            current.spare = look(current.options.settle(), session.added + session.hooked, None)
        except OvertureError as problem:
            session.notes.append(warning("project-gone", f"the session goes on with what it has: {problem}"))
    return current.ground or current.spare


def open_call(session: "Session", id: str) -> Call | None:
    """The open call of that id."""
    for message in reversed(session.talk.all):
        if message.role != "tool":
            return next((call for call in message.calls if call.id == id), None)
    return None


def _look_around(session: "Session", touched: list[str]) -> None:
    """Deliver the project files near what was touched, each once."""
    ground, state = grounded(session), session.current.state
    if ground is None or state is None:
        return
    messages = nested(ground.settled, touched, state)
    with session.lock:
        for message in messages:
            if not session.talk.has("context", message.name or ""):
                session.talk.add(message)


def use_skill(session: "Session", name: str) -> str:
    """Load a skill for the model; what to tell it."""
    if session.current.state is None:
        prepare(session)
    skill = skills.chosen(session.current.state.skills if session.current.state else (), name, by_user=False)
    with session.lock:
        if session.talk.has("skill", skill.name):
            return f"Skill {skill.name!r} is loaded already."
    text = skill_text(session, name, by_user=False)
    session.add(Message("user", text, "skill", name=skill.name, shown=False))
    return f"Skill {skill.name!r} is loaded: its instructions follow."


def skill_text(session: "Session", name: str, *, by_user: bool) -> str:
    """The instructions of a skill, framed."""
    state, ground = session.current.state, grounded(session)
    skill = skills.chosen(state.skills if state else (), name, by_user=by_user)
    here = skill.location.rpartition("/")[0]
    if ground is None:
        return skills.loaded_text(Reader(session.current.options.world, (), (here,), {}), skill, (here,))
    settled = ground.settled
    roots = (project_root(settled), settled.home, *ground.skills, here)
    return skills.loaded_text(settled.reader(), skill, roots)


def answer(session: "Session", made: Call) -> bool:
    """Answer a call of `use_skill`; an unknown skill is an error that the model sees."""
    if made.name != skills.USE_SKILL:
        return False
    try:
        said, failed = use_skill(session, str(made.arguments.get("name", ""))), False
    except SessionError as problem:
        said, failed = str(problem), True
    session.result(made.id, said, failed=failed)
    return True
