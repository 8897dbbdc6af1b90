"""What can't be answered is a problem: a status, a line that says what to do, the path of the value at fault."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from .running import STATE, Running, running


@pytest.fixture(scope="module")
def here() -> Iterator[Running]:
    with running() as service:
        yield service


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The problem that was answered: well-formed, on one line, without internals."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert set(found) <= {"type", "title", "status", "detail", "path", "id"}
    assert found["type"].startswith("urn:overture:problem:")
    assert found["status"] == status
    assert found["title"]
    assert found["detail"]
    assert "\n" not in found["detail"]
    assert "Traceback" not in answer.text
    return found


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"state": {"tools": [{"name": "a"}, {"name": "b"}, {"name": 5}]}}, "state.tools[2].name"),
        ({"state": {"tools": [{}]}}, "state.tools[0].name"),
        ({"state": {"tools": [{"name": " "}]}}, "state.tools[0]"),
        ({"state": {"tols": []}}, "state.tols"),
        ({"state": {"agent": {"name": ["x"]}}}, "state.agent.name"),
        ({"state": {"now": "yesterday"}}, "state.now"),
        ({"state": {"background": 5}}, "state.background"),
        ({"state": {"tools": 5}}, "state.tools"),
        ({"state": {}, "recipe": "oppal"}, "recipe"),
        ({"state": {}, "recipe": "/etc/passwd"}, "recipe"),
        ({"state": {}, "recipe": "../../x.toml"}, "recipe"),
        ({"state": {}, "recipe": "..%2f..%2fx.toml"}, "recipe"),
        ({"state": {}, "recipe": None}, "recipe"),
        ({"state": {}, "recipe": ""}, "recipe"),
        ({"recipe": "opal"}, "state"),
        ({"state": []}, "state"),
        ({"state": {}, "bugdet": 5}, "bugdet"),
        ({"state": {}, "budget": 0}, "budget"),
        ({"state": {}, "budget": 5.5}, "budget"),
        ({"state": {}, "budget": "10%"}, "budget"),
        ({"state": {}, "tokenizer": "o300k"}, "tokenizer"),
        ({"state": {}, "audience": "all"}, "audience"),
        ({"state": {}, "audience": "all - at `$.secrets`"}, "audience"),
        ({"state": {}, "secrets": "hide"}, "secrets"),
        ({"state": {}, "cwd": "/etc"}, "cwd"),
        ({"recipe": "ptc", "state": {"mission": {"prompt": "x", "output_signature": "(("}}}, "state.mission"),
    ],
    ids=str,
)
def test_a_value_that_does_not_fit_is_named(here: Running, body: dict[str, Any], path: str) -> None:
    """422, with the path of the value: of the state, of the recipe, of an option, of a key that is unknown."""
    found = problem(here.client.post("/v1/build", json=body), 422)
    assert found["path"].startswith(path) if path == "state.mission" else found["path"] == path


def test_a_budget_that_cant_be_met(here: Running) -> None:
    """409: the request is sound, and its wishes contradict each other."""
    for name in ("fit", "build"):
        assert problem(here.post(name, recipe="nova", state=STATE, budget=1), 409)["path"] == "budget"


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b'{"state": {}}}',
     b'{"state": NaN}', b"[" * 100_000, b'{"recipe": "\\ud800", "state": {}}'],
    ids=["nothing", "an end", "no text", "too much", "no number", "a nest", "half a character"],
)  # fmt: skip
def test_a_body_that_is_no_json(here: Running, body: bytes) -> None:
    """400, whatever it is."""
    problem(here.client.post("/v1/build", content=body, headers={"Content-Type": "application/json"}), 400)


@pytest.mark.parametrize(
    "path",
    ["/v2/build", "/v1/build/", "/v1", "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd",
     "/page/..%2f..%2f__init__.py", "//etc/passwd", "/etc/passwd", "/index.html%00", "/v1/recipes/opal"],
)  # fmt: skip
def test_what_is_not_there(here: Running, path: str) -> None:
    """404: no path leads to a file."""
    problem(here.client.get(f"http://127.0.0.1:{here.door.port}{path}"), 404)


def test_no_key_is_said_back(here: Running) -> None:
    """What looks like a secret in a bad value is not repeated."""
    answer = here.post("build", state={"now": "AKIAIOSFODNN7EXAMPLQ"})
    assert "AKIAIOSFODNN7EXAMPLQ" not in answer.text
    problem(answer, 422)
