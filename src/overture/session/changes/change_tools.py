"""Which tools a session has: set, registered, taken away."""

from collections.abc import Sequence

from ...assemble.subagent_state import NEVER
from ...model.diagnostic import warning
from ...model.state.tool import Tool
from ..extensions.waiting_changes import wishes_of
from ..live_session import Live
from .reload import prepare
from .toolbox import Toolbox


def toolbox(session: Live) -> Toolbox:
    """The tools; a session that has not begun begins here."""
    if session.current.toolbox is None:
        prepare(session)
    assert session.current.toolbox is not None
    return session.current.toolbox


def set_tools(session: Live, names: Sequence[str]) -> None:
    """Make exactly these tools active, in this order."""
    box = toolbox(session)

    def work() -> None:
        before = box.names
        session.notes += box.activate(names)
        session.current.asked_names |= {"", *names}
        if box.names != before:
            session.trigger("tools", f"active: {', '.join(box.names) or 'none'}")

    session.do(work)


def register(session: Live, tools: tuple[Tool, ...]) -> None:
    """Add tools, active from now on. Before the first turn they stand in the place of the recipe's default ones."""
    box = toolbox(session)
    extends = wishes_of(session) is not None  # an extension adds to what there is

    def work() -> None:
        known, before = allowed(session, tools), box.tools
        if session.number == 0 and not extends:
            session.current.drop_default_tools()
        session.notes += box.register(known)
        if box.tools != before:
            session.trigger("registry", f"registered: {', '.join(tool.name for tool in known)}")

    session.do(work)


def unregister(session: Live, names: Sequence[str]) -> None:
    """Take tools away."""
    box = toolbox(session)

    def work() -> None:
        before = box.tools
        session.notes += box.unregister(names)
        if box.tools != before:
            session.trigger("registry", f"unregistered: {', '.join(names)}")

    session.do(work)


def allowed(session: Live, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """The tools that this session may have: a sub-agent has none of NEVER."""
    if session.current.info is not None:
        return tools
    refused = [tool.name for tool in tools if tool.name in NEVER]
    session.notes += [warning("tool-refused", f"a sub-agent never has {name!r}: it stays away") for name in refused]
    return tuple(tool for tool in tools if tool.name not in NEVER)
