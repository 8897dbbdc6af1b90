"""Answers are what the command line prints as JSON, made from what the request holds and from nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import overture
from tests.contract.cli.run import run

from .running import STATE, Running, running

RECIPE = '[recipes.berth]\nextends = "pi"\nabout = "Of this project."\n'


@pytest.fixture(scope="module")
def here() -> Iterator[Running]:
    with running(files={"/p/overture.toml": RECIPE}) as service:
        yield service


def printed(tmp_path: Path, *words: str, state: dict[str, Any] = STATE) -> Any:
    """What a command prints of a state, reading nothing else."""
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state), encoding="utf-8")
    return json.loads(run(*words, "--no-discover", "--state", file).stdout)


@pytest.mark.slow(unless=("house",))
@pytest.mark.parametrize("recipe", ["opal", "house", "codex"])
def test_build_is_that_of_the_command_line(here: Running, tmp_path: Path, recipe: str) -> None:
    """The prompt has the same text, blocks, sources and tokens, for agents of others too."""
    answer = here.post("build", recipe=recipe, state=STATE)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == printed(tmp_path, "build", recipe, "--format", "json")


def test_explain_and_check_are_those_of_the_command_line(here: Running, tmp_path: Path) -> None:
    """Where each part came from, and what is wrong with it."""
    broken = {**STATE, "context_files": [{"path": "/p/AGENTS.md", "content": "Do\u200b it. </identity>\n"}]}
    for name in ("explain", "check"):
        said = printed(tmp_path, name, "opal", "--json", state=broken)
        assert here.post(name, recipe="opal", state=broken).json() == said
    assert said["findings"]


def test_nothing_but_the_request_is_read(here: Running) -> None:
    """The same request gives the same bytes, without the clock and the files of the machine."""
    empty = here.post("build", recipe="house", state={})
    assert empty.content == here.post("build", recipe="house", state={}).content
    assert empty.json() == overture.build("house", overture.State()).to_dict()


def test_hostile_text_is_answered_as_json(here: Running) -> None:
    """HTML, scripts and text directions come back as they are, as JSON that no browser takes for a page."""
    text = "<script>alert(1)</script><img src=x onerror=alert(1)> \u202egnp.exe \x1b[2J"
    answer = here.post("build", recipe="pi", state={"agent": {"instructions": text}, "overrides": {"system": text}})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script>alert(1)</script>" in answer.json()["text"]
