"""Hands a turn, or the first prompt, to the publisher of a session."""

import os
from datetime import UTC, datetime

from ...model.prompt.prompt import Prompt
from ..files.watch_files import get_session_files
from ..session_parts import SessionParts
from ..turn.turn_and_context import Turn
from .draw_sheet import PublishJob


def publish_turn(session: SessionParts, turn: Turn) -> None:
    """Publish a turn, if the session has a publisher."""
    if session.publisher is not None:
        cause = "; ".join(dict.fromkeys(trigger.reason for trigger in turn.entry.triggers))
        session.publisher.put(_make_publish_job(session, turn.prompt)._replace(
            number=turn.number, messages=turn.messages, entry=turn.entry, cause=cause
        ))  # fmt: skip


def publish_first_prompt(session: SessionParts, prompt: Prompt) -> None:
    """Publish the first prompt of a session before its first turn, so that the page is not empty."""
    if session.publisher is not None and not session.publisher.has_turns:
        session.publisher.put(_make_publish_job(session, prompt)._replace(cause="nothing is sent yet"))


def _make_publish_job(session: SessionParts, prompt: Prompt) -> PublishJob:
    """The turn to be published, with what the session looked at."""
    files, settings = get_session_files(session), session.setup.settings
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    if files is None:
        return PublishJob(session.turn_number, prompt, at, os.path.abspath(settings.cwd or "."))
    looks = (files.discovery.looked_at, files.extra.looked_at)
    return PublishJob(session.turn_number, prompt, at, files.project.cwd, files.project, looked=looks)
