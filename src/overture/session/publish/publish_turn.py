"""Hands a session's turns and its first prompt to its publisher."""

import os
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING
from uuid import uuid4

from ...model.prompt.prompt import Prompt
from ...report.sheet.published_lines import VERSION, PublishedHeader
from ..files.watch_files import get_session_files
from ..options import SessionOptions
from .draw_sheet import PublishJob
from .publisher import Publisher

if TYPE_CHECKING:
    from ..session_parts import SessionParts
    from ..turn.turn import Turn


def make_publisher(options: SessionOptions, id: str | None) -> Publisher:
    """What publishes a session with these options."""
    cwd = os.path.abspath(options.cwd or ".")
    asked = options.recipe
    recipe = asked if isinstance(asked, str) else asked.name if asked is not None else ""
    title = os.path.basename(cwd) or cwd
    return Publisher(PublishedHeader(VERSION, id or uuid4().hex[:12], 0, "", _version(), recipe, cwd, title))


def _version() -> str:
    """Of Overture, as it is installed: the package itself stands above what a session may import."""
    try:
        return version("overture")
    except PackageNotFoundError:
        return ""


def publish_turn(session: "SessionParts", turn: "Turn") -> None:
    """Show a turn to whoever looks on."""
    if session.publisher is not None:
        cause = "; ".join(dict.fromkeys(trigger.reason for trigger in turn.entry.triggers))
        session.publisher.put(_job(session, turn.prompt)._replace(
            number=turn.number, messages=turn.messages, entry=turn.entry, cause=cause
        ))  # fmt: skip


def publish_first_prompt(session: "SessionParts", prompt: Prompt) -> None:
    """Show the prompt with which a session will begin, so that there is something to see before its first turn."""
    if session.publisher is not None and not session.publisher.begun:
        session.publisher.put(_job(session, prompt)._replace(cause="nothing is sent yet"))


def _job(session: "SessionParts", prompt: Prompt) -> PublishJob:
    ground, options = get_session_files(session), session.current.options
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    if ground is None:
        return PublishJob(session.number, prompt, at, os.path.abspath(options.cwd or "."))
    looked = (ground.found.looked_at, ground.extra.looked_at)
    return PublishJob(session.number, prompt, at, ground.settled.cwd, ground.settled, looked=looked)
