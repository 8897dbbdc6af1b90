"""What is logged: one line of facts a request, never what was asked or answered."""

import json

import pytest

import overture
from overture.web.service.guard_requests import RequestLog

from .running import STATE, running

TOKEN = "correct-horse-battery-staple"


def test_a_line_of_json_for_each_request(capfd: pytest.CaptureFixture[str]) -> None:
    """Method, path, status, milliseconds, bytes and an id; no contents, no query, no token."""
    with running(token=TOKEN, log=RequestLog(as_json=True)) as service:
        key = {"Authorization": f"Bearer {TOKEN}"}
        answer = service.client.post("/v1/build?secret=query", json={"recipe": "opal", "state": STATE}, headers=key)
        service.client.get("/v1/recipes?token=hush")
    said = capfd.readouterr()
    lines = [json.loads(line) for line in said.err.splitlines()]
    assert said.out == ""
    assert [set(line) for line in lines] == [{"at", "method", "path", "status", "ms", "bytes", "id"}] * 2
    assert (lines[0]["method"], lines[0]["path"], lines[0]["status"]) == ("POST", "/v1/build", 200)
    assert lines[0]["bytes"] == len(answer.content)
    assert (lines[1]["path"], lines[1]["status"]) == ("/v1/recipes", 401)
    assert lines[0]["id"] != lines[1]["id"]
    for word in ("make test", "Ada", "query", "hush", TOKEN):
        assert word not in said.err


@overture.section("broken")
def broken(memories: tuple[str, ...]) -> str:
    """A section of somebody's own, with a mistake in it."""
    return {"a": "b"}[memories[0]]


@pytest.mark.parametrize("as_json", [True, False])
def test_a_fault_is_logged_under_its_id(capfd: pytest.CaptureFixture[str], as_json: bool) -> None:
    """500 shows nothing of the inside, and the log shows where it was, under the id, without what was sent."""
    with running(log=RequestLog(as_json), recipe=overture.Recipe("theirs", (broken,))) as service:
        answer = service.post("build", state={"memories": ["hush"]})
        assert service.post("build", state={"memories": ["a"]}).status_code == 200
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    problem, said = answer.json(), capfd.readouterr().err
    assert problem["id"] in said
    assert "RecipeError" in said
    assert "assemble/build.py:" in said
    for word in ("hush", "KeyError", ".py"):
        assert word not in answer.text
    assert "hush" not in said
