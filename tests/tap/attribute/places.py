"""A project and a home in memory, and calls that hold what they say."""

from collections.abc import Mapping

from overture.tap.attribute.agent_sources import AgentSources, find_sources
from overture.tap.recorded_call import CallPiece, RecordedCall
from overture.testing import FakeWorld

PAGE = "# Harbour\n\nUse tabs for indentation in all Go files of this project.\nNever push to main without a review.\n"
OWN = "Answer every question in at most three short sentences, please.\n"
SKILL = """---
name: brew
description: Makes fine coffee for everybody
---

Grind the beans, then pour the water slowly.
"""
FILES = {
    "/p/.git/HEAD": "ref: refs/heads/tide\n",
    "/p/AGENTS.md": PAGE,
    "/p/CLAUDE.md": "Claude should look at the tide tables before it plans a day.\n",
    "/p/docs/tides.md": "The tide tables are made in spring, and printed in the first week of June.\n",
    "/p/app/main.go": "package main\n\nfunc main() { openHarbour(berths, tides, ships, crews, cranes) }\n",
    "/p/.agents/skills/brew/SKILL.md": SKILL,
    "/home/user/.codex/AGENTS.md": OWN,
    "/home/user/.codex/memories/ships.md": "Remember that the Aurora is too long for berth number nine.\n",
}


def sources_of(program: str = "codex", files: Mapping[str, str] = FILES, **more: object) -> AgentSources:
    """What may be behind calls of a program in /p."""
    world = FakeWorld(dict(files), **more)  # type: ignore[arg-type]
    return find_sources(program, cwd="/p", home="/home/user", world=world)


def call_of(*pieces: CallPiece | str) -> RecordedCall:
    """A call that says these texts as its system prompt."""
    given = (CallPiece("system", "system", piece) if isinstance(piece, str) else piece for piece in pieces)
    return RecordedCall("1", "2026-05-04T12:00:00Z", "anthropic", "h", "/v1/messages", "m", 200, tuple(given))
