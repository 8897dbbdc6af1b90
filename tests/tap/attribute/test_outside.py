"""What a project reaches outside itself is not read when its calls are attributed, nor quoted by any `tap` command."""

import os
from pathlib import Path

import pytest
from msgspec import structs

import overture
from overture.known_agents import AGENTS
from overture.tap.attribute.agent_sources import find_sources
from overture.tap.recorded_call import CallPiece, RecordedCall
from overture.tap.store.store import open_store
from tests.contract.cli.run import run
from tests.contract.cli.test_outside import CANARY, make_project
from tests.contract.discovery.disk import put

from ...discovery.canaries import WAYS, Canaries, filled

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("agent", AGENTS)
def test_no_file_outside_is_read_to_attribute_a_call(tmp_path: Path, agent: str) -> None:
    """By links, linked folders, imports and settings alike: none of the files that are read is outside."""
    made = overture.load_recipe(agent)
    for way, plant in WAYS.items():
        canaries = Canaries(tmp_path / way)
        plant(canaries, filled(made))
        outside = {os.path.realpath(path) for path in canaries.files.values()}
        sources = find_sources(agent, cwd=canaries.project, home=canaries.home)
        read = {os.path.realpath(path) for path in (*sources.own.texts, *sources.repository.texts)}
        assert not read & outside, (way, read & outside)


@pytest.mark.parametrize("program", ["gemini", "aider"])
def test_no_command_of_the_tap_looks_at_what_is_outside(tmp_path: Path, program: str) -> None:
    """The call sends all words of a file outside but one: no line is given to that file, and the word is not said."""
    project, home = make_project(tmp_path), tmp_path / "home"
    words = "Pay the harbour master on the second Tuesday of every month, in coins, at the old {} gate.\n"
    put(home / "private/notes.md", words.format("stone") * 3 + words.format(CANARY))
    store = tmp_path / "calls.sqlite"
    with open_store(store) as kept:
        call = RecordedCall("1", "2026-05-04T12:00:00Z", "anthropic", "h", "/v1/messages", "m", 200, (), "r", program)
        pieces = (CallPiece("system", "system", words.format("stone") * 4),)
        kept.add(structs.replace(call, cwd=str(project), pieces=pieces))
    environment = {"HOME": str(home), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    for form in (["show", "--sources"], ["show", "--json"], ["report", "--json"]):
        done = run("tap", *form, "--store", store, cwd=project, **environment)
        assert done.returncode in (0, 1), done.stderr
        assert CANARY not in done.stdout + done.stderr, form
        assert "notes.md:1" not in done.stdout, form
