"""Answers are what the command line prints as JSON, made from what the request holds and from nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import overture
from overture.discover.disk.working_directory import locate
from overture.project.resolve import resolve
from overture.testing import FakeWorld
from overture.web.service.answers import offer_recipes
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


def test_fit_keeps_to_the_budget(here: Running, tmp_path: Path) -> None:
    """The prompt is never longer, and what was cut is named."""
    state = {**STATE, "context_files": [{"path": "/p/AGENTS.md", "content": "Say it again.\n" * 500}]}
    answer = here.post("fit", recipe="opal", state=state, budget=600).json()
    assert answer["tokens"]["total"] <= 600
    assert answer["cuts"]
    assert answer == printed(tmp_path, "build", "opal", "--format", "json", "--budget", "600", state=state)
    assert answer == here.post("build", recipe="opal", state=state, budget=600).json()


def test_diff_names_the_cause(here: Running) -> None:
    """Two states in one recipe: which block differs, and because of which field."""
    a, b = {"recipe": "opal", "state": STATE}, {"recipe": "opal", "state": {**STATE, "context_files": []}}
    patch = here.post("diff", a=a, b=b).json()
    changed = [block for block in patch["blocks"] if block["change"] != "same"]
    assert [block["because"] for block in changed] == [["context_files"]]
    assert here.post("diff", a=a, b=a).json()["first"] is None


@pytest.mark.parametrize("form", ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama"])
def test_render_is_that_of_the_command_line(here: Running, tmp_path: Path, form: str) -> None:
    """The request to a provider can be handed on as it is."""
    answer = here.post("render", recipe="opal", state=STATE, format=form)
    assert answer.json() == printed(tmp_path, "build", "opal", "--format", form)


def test_render_takes_a_conversation_and_a_model(here: Running) -> None:
    """Messages follow the prompt, and the model is the one that is named."""
    messages = [{"role": "user", "content": "Which berth is free?"}]
    asked = {"recipe": "opal", "state": STATE, "format": "anthropic", "model": "claude-opus-5", "messages": messages}
    body = here.client.post("/v1/render", json=asked).json()
    assert body["model"] == "claude-opus-5"
    assert "Which berth is free?" in json.dumps(body["messages"])


def test_notes_about_a_request_are_in_a_header(here: Running) -> None:
    """A tool without a schema and a model that nobody knows are told beside the request, however many they are."""
    state = {"tools": [{"name": f"tool_ü{n}"} for n in range(300)]}
    answer = here.post("render", recipe="opal", state=state, format="anthropic", model="claude-nonesuch")
    assert answer.status_code == 200
    notes = json.loads(answer.headers["overture-notes"])
    assert "tool_ü0" in notes[0]
    assert notes[-1].endswith(" more")


def test_of_two_tools_with_one_name_the_last_is_sent_and_a_note_says_so(here: Running) -> None:
    """As `render` does it: a provider takes one, and the other is not dropped in silence."""
    tools = [{"name": "a", "description": about, "parameters": {"type": "object"}} for about in ("One.", "Two.")]
    answer = here.post("render", recipe="opal", state={"tools": tools}, format="gemini")
    assert answer.status_code == 200
    assert "Two." in answer.text and "One." not in answer.text
    [note] = json.loads(answer.headers["overture-notes"])
    assert "'a'" in note and "2 times" in note


def test_nothing_but_the_request_is_read(here: Running) -> None:
    """The same request gives the same bytes, without the clock and the files of the machine."""
    empty = here.post("build", recipe="house", state={})
    assert empty.content == here.post("build", recipe="house", state={}).content
    assert empty.json() == overture.build("house", overture.State()).to_dict()


def test_the_counter_audience_and_secrets_that_are_asked_for(here: Running) -> None:
    """Each counts over what the state says."""
    state = {**STATE, "memories": ["The key is AKIAIOSFODNN7EXAMPLQ."]}
    asked = {"recipe": "nova", "state": state}
    assert here.post("build", **asked, tokenizer="estimate").json()["tokens"]["tokenizer"] == "estimate"
    assert "AKIAIOSFODNN7EXAMPLQ" not in here.post("build", **asked).text
    assert "AKIAIOSFODNN7EXAMPLQ" in here.post("build", **asked, secrets="show").text
    assert "The key is" not in here.post("build", **asked, audience="public").text


def test_hostile_text_is_answered_as_json(here: Running) -> None:
    """HTML, scripts and text directions come back as they are, as JSON that no browser takes for a page."""
    text = "<script>alert(1)</script><img src=x onerror=alert(1)> \u202egnp.exe \x1b[2J"
    answer = here.post("build", recipe="pi", state={"agent": {"instructions": text}, "overrides": {"system": text}})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script>alert(1)</script>" in answer.json()["text"]


def test_recipes_are_those_of_the_start(here: Running) -> None:
    """The built-in ones, agents of others and those of the configuration can be named; a request may name none."""
    rows = {row["name"]: row for row in here.client.get("/v1/recipes").json()}
    assert rows["opal"]["agent"] is False
    assert rows["codex"]["agent"] is True
    assert rows["berth"] == {"name": "berth", "about": "Of this project.", "sections": 5, "agent": False}
    assert here.post("build", recipe="berth", state=STATE).json()["recipe"] == "berth"
    assert here.post("build", state=STATE).json()["recipe"] == "house"
    told = json.loads(run("recipes", "--json").stdout)
    assert [row for row in rows.values() if row["name"] != "berth"] == told


def test_a_recipe_that_is_broken_hides_no_other() -> None:
    """It is named when the service starts, and can't be asked for; all others can."""
    files = {"/p/overture.toml": '[recipes.lost]\nextends = "nowhere"\n'}
    with running(files=files) as service:
        assert service.post("build", recipe="lost", state={}).status_code == 422
        assert service.post("build", recipe="opal", state={}).status_code == 200
    [note] = offer_recipes(resolve("pi", locate(world=FakeWorld(files), cwd="/p"))).notes
    assert "'nowhere'" in note.message


def test_a_number_with_a_point(here: Running) -> None:
    """600.0 is 600: some languages have one sort of number."""
    assert here.post("build", recipe="opal", state=STATE, budget=600.0).status_code == 200


def test_health(here: Running) -> None:
    """The service says that it runs."""
    assert here.client.get("/health").json() == {"status": "ok", "version": overture.__version__}
