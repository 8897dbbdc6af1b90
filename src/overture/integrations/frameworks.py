"""What the integrations share: versions, the tool that loads skills, sessions of sub-agents, texts and cache marks."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

from ..errors import ConfigError, SessionError
from ..model.prompt.block import JOIN
from ..model.prompt.prompt import Prompt
from ..model.tool import Tool
from ..providers.read.pieces_and_calls import parse_input
from ..providers.read.plain_data import a_dict, a_text
from ..providers.write.cache_plan_and_manifest import SystemText
from ..session.framework_request import SessionRequest
from ..session.framework_rows import replace_text
from ..session.session import Session, get_parts
from ..session.session_setup import USE_SKILL


def import_framework(module: str, package: str, lowest: str, extra: str, *names: str) -> ModuleType:
    """A framework's module. If it or one of these names is missing, the error names what to install."""
    try:
        framework = import_module(module)
    except ImportError as problem:
        raise _explain_version(package, lowest, extra, str(problem)) from None
    missing = [name for name in names if not hasattr(framework, name)]
    if missing:
        raise _explain_version(package, lowest, extra, f"{module} has no {', '.join(missing)}")
    return framework


def _explain_version(package: str, lowest: str, extra: str, problem: str) -> ConfigError:
    """The error of an integration whose framework is missing or too old."""
    try:
        installed = f"{package} {version(package)} is installed"
    except PackageNotFoundError:
        installed = f"{package} is not installed"
    return ConfigError(
        f"This integration needs {package} {lowest} or later, and {installed} ({problem}).",
        hint=f"Run `pip install 'overture[{extra}]'`.",
    )


def find_skill_tool(session: Session) -> Tool | None:
    """The tool that loads skills; None if the recipe's skills are read like other files."""
    return next((tool for tool in session.prompt.recipe.tools if tool.name == USE_SKILL), None)


def make_loader(session: Session, find: Callable[[], Session] | None = None) -> Callable[[str], str] | None:
    """The function that loads skills, described by its docstring; None without a tool for them.

    If several agents share the function, `find` returns the session of the agent that runs.
    """
    tool = find_skill_tool(session)

    def use_skill(name: str) -> str:
        return (find() if find else session).framework.use_skill(name)

    use_skill.__doc__ = tool.description if tool else None
    return use_skill if tool else None


def drop_idle_loader(tools: Iterable[Any], find_prompt: Callable[[], Prompt]) -> Iterator[Any]:
    """The tools of a request, without the one for skills while there are none.

    It is lazy: `prepare_request` reads it, so that a search for skills is in the span and the thread of the request.
    """
    return (each for each in tools if getattr(each, "name", "") != USE_SKILL or find_prompt().state.skills)


class AgentSessions:
    """The sessions of a framework's agents: the first agent uses the session itself, each other one a sub-agent's."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._first: str | None = None
        self._others: dict[str, Session] = {}
        self._lock = threading.Lock()

    def find(self, name: str, task: str = "") -> Session:
        """The session of an agent, by its name."""
        # Without the lock, which the start of a sub-agent holds until a turn of the session ends.
        if name == self._first or name in self._others:
            return self._others.get(name, self.session)
        with self._lock:  # frameworks run agents side by side: each still has one session
            if self._first in (None, name):
                self._first = name
                return self.session
            if name not in self._others:
                self._others[name] = start_quiet_subagent(self.session, task or name)
            return self._others[name]


def start_quiet_subagent(session: Session, task: str) -> Session:
    """A sub-agent's session whose task the framework itself sends; at the maximum depth, the session itself."""
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


def rewrite_text(content: Any, text: str, kind: str = "text") -> Any:
    """The content of a message with another text; images and other blocks stay."""
    if not isinstance(content, list):
        return text
    return replace_text(content, lambda each: isinstance(each, str) or "text" in each, {"type": kind, "text": text})


def append_text(content: Any, text: str) -> Any:
    """The content of a message with a further text."""
    return [*content, {"type": "text", "text": text}] if isinstance(content, list) else content + JOIN + text


def write_system(request: SessionRequest, own: Any, provider: str, model: str | None, key: str) -> Any:
    """The content of a system message: blocks that end at cache breakpoints, which `key` makes, else one text.

    `own` is the content of the agent's own system message. If it is a list of blocks, they stay as they are.
    """
    blocks = own if isinstance(own, list) else []
    sent = request._replace(instructions=()) if blocks else request
    pieces = sent.split_system(provider, model) if key else (SystemText(sent.system, False),)
    if not blocks and not any(piece.marked for piece in pieces):
        return sent.system
    return [*write_pieces(pieces, key), *blocks]


def write_pieces(pieces: Iterable[SystemText], key: str) -> list[dict[str, Any]]:
    """The pieces of a system prompt as blocks, with a cache breakpoint on each piece that ends at one."""
    blocks = [({"type": "text", "text": piece.text}, piece.marked) for piece in pieces if piece.text]
    return [each for block, marked in blocks for each in (_mark_block(block, key) if marked else [block])]


def mark_end(content: Any, key: str) -> Any:
    """A framework's message content with a cache breakpoint at its end; unchanged if its last block can't have one."""
    blocks: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
    if not blocks or not isinstance(blocks[-1], dict) or not str(blocks[-1].get("text", "x")).strip():
        return content
    return [*blocks[:-1], *_mark_block(blocks[-1], key)]


def _mark_block(block: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """A block that ends at a cache breakpoint; one that the caller set stays."""
    if key == "cachePoint":
        return [block, {key: {"type": "default"}}]
    return [{key: {"type": "ephemeral"}, **block}]


def decode_arguments(arguments: Any) -> dict[str, Any]:
    """The arguments of a call, decoded from JSON; empty if they are no object, which the framework reports."""
    return a_dict(parse_input(a_text(arguments)))
