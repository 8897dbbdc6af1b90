"""Registers and removes the tools of a session; a sub-agent never has some of them."""

from collections.abc import Sequence

from ..model.diagnostic import warning
from ..model.state.audience_and_subagents import TOP_LEVEL_TOOLS
from ..model.tool import Tool
from .extension_changes import get_pending_changes
from .session_parts import SessionParts
from .toolbox import Toolbox
from .turn.bring_up_to_date import prepare_prompt


def get_toolbox(session: SessionParts) -> Toolbox:
    """The tools of a session. It prepares the first prompt if there is none yet."""
    if session.setup.toolbox is None:
        prepare_prompt(session)
    assert session.setup.toolbox is not None
    return session.setup.toolbox


def register_tools(
    session: SessionParts, tools: tuple[Tool, ...], *, adds: bool = False, exactly: bool = False
) -> None:
    """Add tools, active from now on. Before the first turn they replace the recipe's default tools.

    `adds` keeps the default tools. `exactly` also adds tools that a sub-agent may not have: a framework offers them.
    """
    box = get_toolbox(session)
    extends = adds or get_pending_changes(session) is not None  # an extension keeps the default tools

    def work() -> None:
        known, before = tools if exactly else filter_allowed_tools(session, tools), box.tools
        if not extends:
            drop_default_tools(session)
        session.turn.diagnostics += box.register(known)
        if box.tools != before:
            session.add_trigger("registry", f"registered: {', '.join(tool.name for tool in known)}")

    session.apply(work)


def drop_default_tools(session: SessionParts) -> None:
    """Unregister the recipe's default tools before the first turn, unless the configuration names tools."""
    recipe, files = session.current.recipe, session.current.files
    if session.turn_number == 0 and recipe is not None and (files is None or files.project.tools is None):
        session.setup.drop_default_tools(recipe)


def unregister_tools(session: SessionParts, names: Sequence[str]) -> None:
    """Remove registered tools from the session."""
    box = get_toolbox(session)

    def work() -> None:
        before = box.tools
        session.turn.diagnostics += box.unregister(names)
        if box.tools != before:
            session.add_trigger("registry", f"unregistered: {', '.join(names)}")

    session.apply(work)


def filter_allowed_tools(session: SessionParts, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """The tools that this session may have: a sub-agent has none of TOP_LEVEL_TOOLS."""
    if session.setup.info is not None:
        return tools
    refused = [tool.name for tool in tools if tool.name in TOP_LEVEL_TOOLS]
    session.turn.diagnostics += [
        warning("tool-refused", f"a sub-agent never has {name!r}: it is not added") for name in refused
    ]
    return tuple(tool for tool in tools if tool.name not in TOP_LEVEL_TOOLS)
