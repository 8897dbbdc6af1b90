"""Hands a session's turns and its first prompt to its publisher."""

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from ...model.prompt.prompt import Prompt
from ...report.sheet.published_lines import VERSION, PublishedHeader
from ...version import __version__
from ..files.watch_files import get_session_files
from ..options import SessionSetup
from .draw_sheet import PublishJob
from .publisher import Publisher

if TYPE_CHECKING:
    from ..session_parts import SessionParts
    from ..turn.turn import Turn


def make_publisher(setup: SessionSetup) -> Publisher:
    """What publishes a session with this setup."""
    cwd, recipe = os.path.abspath(setup.settings.cwd or "."), setup.settings.recipe
    name = recipe if isinstance(recipe, str) else recipe.name if recipe is not None else ""
    id = setup.info.id if setup.info else uuid4().hex[:12]
    return Publisher(PublishedHeader(VERSION, id, 0, "", __version__, name, cwd, os.path.basename(cwd) or cwd))


def publish_turn(session: "SessionParts", turn: "Turn") -> None:
    """Show a turn to whoever looks on."""
    if session.publisher is not None:
        cause = "; ".join(dict.fromkeys(trigger.reason for trigger in turn.entry.triggers))
        session.publisher.put(_make_publish_job(session, turn.prompt)._replace(
            number=turn.number, messages=turn.messages, entry=turn.entry, cause=cause
        ))  # fmt: skip


def publish_first_prompt(session: "SessionParts", prompt: Prompt) -> None:
    """Show the prompt with which a session will begin, so that there is something to see before its first turn."""
    if session.publisher is not None and not session.publisher.has_turns:
        session.publisher.put(_make_publish_job(session, prompt)._replace(cause="nothing is sent yet"))


def _make_publish_job(session: "SessionParts", prompt: Prompt) -> PublishJob:
    files, settings = get_session_files(session), session.setup.settings
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    if files is None:
        return PublishJob(session.turn_number, prompt, at, os.path.abspath(settings.cwd or "."))
    looks = (files.found.looked_at, files.extra.looked_at)
    return PublishJob(session.turn_number, prompt, at, files.project.cwd, files.project, looked=looks)
