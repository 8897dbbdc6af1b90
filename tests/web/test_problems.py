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


def test_the_line_says_what_to_do(here: Running) -> None:
    """What was expected, what came, and the nearest name to a wrong one."""
    states: list[dict[str, Any]] = [
        {"state": {"tools": [{"name": 5}]}},
        {"state": {"tols": []}},
        {"state": {}, "recipe": "oppal"},
        {"state": 1},
    ]
    said = [problem(here.post("build", **body), 422)["detail"] for body in states]
    assert said[0] == "state.tools[0].name: expected text, got a whole number (5)."
    assert "Did you mean 'tools'?" in said[1]
    assert "Did you mean 'opal'?" in said[2]
    assert said[3].startswith("state: expected an object")


def test_each_side_of_a_difference_has_its_path(here: Running) -> None:
    """`a` and `b` are told apart, whether they are read or built."""
    good, bad = {"recipe": "opal", "state": STATE}, {"recipe": "opal", "state": {"memories": [1]}}
    assert problem(here.post("diff", a=good, b=bad), 422)["path"] == "b.state.memories[0]"
    assert problem(here.post("diff", a={"recipe": "nope", "state": {}}, b=good), 422)["path"] == "a.recipe"
    unready = {"recipe": "ptc", "state": {"mission": {"prompt": "x", "output_signature": "(("}}}
    assert problem(here.post("diff", a=good, b=unready), 422)["path"].startswith("b.state.mission.")


def test_a_provider_and_a_conversation_that_do_not_fit(here: Running) -> None:
    """The format is one of six, and a message has a role."""
    assert problem(here.post("render", recipe="opal", state={}, format="text"), 422)["path"] == "format"
    asked = {"recipe": "opal", "state": {}, "format": "anthropic"}
    assert problem(here.post("render", **asked, messages=[{"content": "x"}]), 422)["path"] == "messages[0]"
    assert problem(here.post("render", **asked, messages=["x"]), 422)["path"] == "messages[0]"


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


def test_a_state_that_is_nested_too_deeply(here: Running) -> None:
    """It is refused in one line."""
    deep = b'{"state": {"extra": {"x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}}}"
    answer = here.client.post("/v1/build", content=deep, headers={"Content-Type": "application/json"})
    problem(answer, 400)


@pytest.mark.parametrize(
    "headers",
    [{}, {"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"},
     {"Content-Type": "application/json", "Content-Encoding": "gzip"}],
    ids=str,
)  # fmt: skip
def test_a_body_of_another_kind(here: Running, headers: dict[str, str]) -> None:
    """415: a form of a page can't ask, and nothing is unpacked."""
    problem(here.client.post("/v1/build", content=b'{"state": {}}', headers=headers), 415)


def test_a_charset_may_be_named(here: Running) -> None:
    """JSON is UTF-8 with or without saying so."""
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert here.client.post("/v1/build", content=b'{"state": {}}', headers=headers).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/v2/build", "/v1/build/", "/v1", "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd",
     "/page/..%2f..%2f__init__.py", "//etc/passwd", "/etc/passwd", "/index.html%00", "/v1/recipes/opal"],
)  # fmt: skip
def test_what_is_not_there(here: Running, path: str) -> None:
    """404: no path leads to a file."""
    problem(here.client.get(f"http://127.0.0.1:{here.door.port}{path}"), 404)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("GET", "/v1/build", "POST"), ("DELETE", "/health", "GET, HEAD"), ("POST", "/v1/recipes", "GET, HEAD"),
     ("TRACE", "/openapi.json", "GET, HEAD"), ("OPTIONS", "/v1/build", "POST")],
)  # fmt: skip
def test_another_method(here: Running, method: str, path: str, allowed: str) -> None:
    """405, with those that are answered."""
    answer = here.client.request(method, path)
    problem(answer, 405)
    assert sorted(answer.headers["allow"].split(", ")) == allowed.split(", ")


def test_no_key_is_said_back(here: Running) -> None:
    """What looks like a secret in a bad value is not repeated."""
    answer = here.post("build", state={"now": "AKIAIOSFODNN7EXAMPLQ"})
    assert "AKIAIOSFODNN7EXAMPLQ" not in answer.text
    problem(answer, 422)


BAD = [
    (b'{"state": {"agent": {"name": "A\xff"}}}', "state.agent.name", "0xff at offset 31"),
    (b'{"state": {"memories": ["a", "\xc3("]}}', "state.memories[1]", "0xc3 at offset 30"),
    (b'{"state": {"a\xffb": 1}}', "state", "0xff at offset 13"),
    (b"\xff\xfe{}", None, "0xff at offset 0"),
    (b'{"state": {"agent": {"name": "\\ud800"}}}', "state.agent.name", "ud800 is half of a character"),
    (b'{"state": {"agent": {"name": "\\ud83dx"}}}', "state.agent.name", "ud83d is half of a character"),
    (b'{"state": {"memories": ["\\udc00"]}}', "state.memories[0]", "udc00 is half of a character"),
    (b'{"state": {"extra": {"\\ud800": 1}}}', "state.extra", "ud800 is half of a character"),
    (b'{"state": {"agent"', None, "truncated"),
    (b'{"state": nope}', None, "is not JSON"),
]


@pytest.mark.parametrize("name", ["build", "explain", "fit", "diff", "check", "render"])
@pytest.mark.parametrize(("body", "path", "said"), BAD)
def test_a_body_that_no_text_can_be(here: Running, name: str, body: bytes, path: str | None, said: str) -> None:
    """Bytes that are not UTF-8 and halves of characters are a 400 that names the byte and the value, everywhere."""
    answer = here.client.post(f"/v1/{name}", content=body, headers={"Content-Type": "application/json"})
    found = problem(answer, 400)
    assert found.get("path") == path
    assert said in found["detail"]
