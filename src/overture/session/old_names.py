"""The names of Session in 0.1 that others replace. They work, but `dir` and type checkers do not show them."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..model.message import Message
from ..model.state.agent_and_runtime import Runtime
from .change_session import remove_hook
from .register_tools import unregister_tools

INTERRUPTED = "The call was interrupted."

OLD_NAMES: dict[str, Callable[[Any], Any]] = {
    "add_usage": lambda session: session.framework.add_usage,
    "aprepare_request": lambda session: session.framework.aprepare_request,
    "files_changed": lambda session: lambda paths: session.refresh(*paths),
    "interrupt": lambda session: lambda why=INTERRUPTED: session.result(None, why, failed=True),
    "nested_for": lambda session: session.framework.nested_for,
    "prepare": lambda session: lambda: session.prompt,
    "prepare_request": lambda session: session.framework.prepare_request,
    "recipe": lambda session: session.prompt.recipe,
    "set_budget": lambda session: lambda budget, count=None: session.update(budget=budget, count=count),
    "set_model": lambda session: (
        lambda model, provider=None: session.update(runtime=Runtime(model=model, provider=provider))
    ),
    "shell": lambda session: lambda *args, **keywords: session.add(Message.shell(*args, **keywords)),
    "state": lambda session: session.prompt.state,
    "touch": lambda session: lambda *paths: session.refresh(touched=paths),
    "unhook": lambda session: partial(remove_hook, session._parts),
    "unregister": lambda session: lambda *names: unregister_tools(session._parts, names),
    "use_skill": lambda session: session.framework.use_skill,
}
"""The old name, and what it is on a session."""
