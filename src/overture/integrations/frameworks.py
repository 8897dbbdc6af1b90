"""What the integrations share: versions of frameworks, the tool that loads skills, sessions of sub-agents."""

import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

import msgspec

from ..errors import ConfigError, SessionError
from ..model.tool.tool import Tool
from ..session.request.request_rows import replace_text
from ..session.session import Session, get_parts
from ..session.toolbox import USE_SKILL


def import_framework(module: str, package: str, lowest: str, extra: str, *names: str) -> ModuleType:
    """A framework's module; where it is missing or has other names than these, one line that says what to install."""
    try:
        found = import_module(module)
    except ImportError as problem:
        raise _explain_version(package, lowest, extra, str(problem)) from None
    missing = [name for name in names if not hasattr(found, name)]
    if missing:
        raise _explain_version(package, lowest, extra, f"{module} has no {', '.join(missing)}")
    return found


def _explain_version(package: str, lowest: str, extra: str, problem: str) -> ConfigError:
    try:
        installed = f"{package} {version(package)} is installed"
    except PackageNotFoundError:
        installed = f"{package} is not installed"
    return ConfigError(
        f"This integration needs {package} {lowest} or later, and {installed} ({problem}).",
        hint=f"Run `pip install 'overture[{extra}]'`.",
    )


def find_skill_tool(session: Session) -> Tool | None:
    """The tool that loads skills; None where the recipe's skills are read like other files."""
    return next((tool for tool in session.recipe.tools if tool.name == USE_SKILL), None)


class AgentSessions:
    """The sessions of a framework's agents: the first agent has the session itself, each other one a sub-agent's."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._first: str | None = None
        self._others: dict[str, Session] = {}
        self._lock = threading.Lock()

    def find(self, name: str, task: str = "") -> Session:
        """The session of an agent, by its name."""
        with self._lock:  # frameworks run agents side by side: each still has one session
            if self._first in (None, name):
                self._first = name
                return self.session
            if name not in self._others:
                self._others[name] = start_quiet_subagent(self.session, task or name)
            return self._others[name]


def start_quiet_subagent(session: Session, task: str) -> Session:
    """A sub-agent's session whose task the framework itself tells; at the greatest depth, the session itself."""
    try:
        child = session.subagent(task)
    except SessionError:
        return session
    get_parts(child).turn.task = None
    return child


def join_texts(content: Any) -> str:
    """The texts of a message, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n".join(str(each.get("text") or "") for each in content or () if isinstance(each, Mapping))


def write_text(content: Any, text: str, kind: str = "text") -> Any:
    """The content of a message with another text; images and what else is in its blocks stays."""
    if not isinstance(content, list):
        return text
    return replace_text(content, lambda each: isinstance(each, str) or "text" in each, {"type": kind, "text": text})


def mark_end(content: Any, mark: Callable[[dict[str, Any]], list[dict[str, Any]]]) -> Any:
    """The content of a message with a cache breakpoint behind it; as it is where nothing there can have one."""
    blocks: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
    if not blocks or not isinstance(blocks[-1], dict) or not str(blocks[-1].get("text", "x")).strip():
        return content
    return [*blocks[:-1], *mark(blocks[-1])]


def decode_arguments(arguments: Any) -> dict[str, Any]:
    """The arguments of a call out of their JSON; a model may write anything, and the framework tells it so."""
    try:
        found = msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}
