"""A call whole, as the page's browser asks for it: how it was written, its tools and messages; and a search."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from overture.known_models.model_table import packaged_table
from overture.tap.page import single_file_page as one_file
from overture.tap.recorded_call import CallWire
from overture.tap.store.store import open_store

from ...web.page.shown import Paged, paged
from ..judge.calls import call, said, system, tool
from ..store.made_calls import make_wire

LONG = 'It isn\'t "quoted", é <b> and \u2028 \U0001f6a2. ' * 20
SCHEMA = {
    "type": "object",
    "required": ["path"],
    "properties": {
        "path": {"type": "string", "description": "Where."},
        "edits": {"type": "array", "items": {"type": "object", "properties": {"new": {"type": ["string", "null"]}}}},
        "how": {"enum": ["once", "all"], "default": "all"},
    },
}
BODIES = {
    "plain": json.dumps({"system": LONG, "n": 1.0}, ensure_ascii=False),
    "ascii": json.dumps({"system": LONG, "more": [LONG]}, indent=1),
    "pages": json.dumps({"system": LONG}, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028"),
    "broken": '{"system": "no end',
}


def wires() -> dict[str, CallWire | None]:
    """How each call was on the wire, by its id."""
    found: dict[str, CallWire | None] = {id: make_wire(body) for id, body in BODIES.items()}
    more: dict[str, CallWire | None] = {
        "small": make_wire("{}"),
        "heads": make_wire(None),
        "bytes": make_wire('{"a": "\udcff"}'),
        "old": None,
    }
    return {**found, **more}


def keep(place: Path) -> None:
    """Calls that say the same, and one with a tool whose parameters are known."""
    offered = tool("Edit")
    text = json.dumps({"name": "Edit", "description": "Edits.", "input_schema": SCHEMA, "strict": True})
    with open_store(place) as store:
        for at, (id, wire) in enumerate(wires().items()):
            tools = [type(offered)("tool", "Edit", text, "tool")] if id == "plain" else []
            words = said(LONG, "Aye.", f"Which ship, {id}?", mark=True)
            more: dict[str, Any] = {"settings": {"thinking": '{"type":"enabled"}'}, "others": {"max_tokens": "64"}}
            store.add(call(*tools, system("Greet."), *words, minute=at, id=id, reply=f"The {id} one.", **more), wire)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paged]:
    """A page on such calls."""
    folder = tmp_path_factory.mktemp("whole")
    keep(folder / "calls.sqlite")
    with paged(folder, calls=str(folder / "calls.sqlite")) as found:
        yield found


def test_the_request_as_it_was_written(page: Paged) -> None:
    """Its very text, its size, both heads; of a call without, that it is not kept."""
    for id, body in BODIES.items():
        told = page.get(f"/page/call/{id}/request")
        assert (told["kept"], told["body"], told["size"], told["is_text"]) == ("whole", body, len(body.encode()), True)
    assert told["request_headers"] == [["Host", "api"], ["x-api-key", "[hidden]"]]
    assert (told["method"], told["url"]) == ("POST", "https://api.example/v1/messages?beta=true")
    assert page.get("/page/call/heads/request")["kept"] == "heads"
    assert page.get("/page/call/old/request")["kept"] == "nothing"
    odd = page.get("/page/call/bytes/request")
    assert (odd["body"], odd["is_text"], odd["size"]) == ('{"a": "\ufffd"}', False, 10)






def test_tools_with_their_parameters(page: Paged) -> None:
    """Those within others too, with types as people write them."""
    (told,) = page.get("/page/call/plain/tools")
    assert (told["description"], told["others"]) == ("Edits.", [["strict", "true"]])
    assert [(each["name"], each["type"], each["required"]) for each in told["parameters"]] == [
        ("path", "string", True),
        ("edits", "object[]", False),
        ("edits[].new", "string | null", False),
        ("how", '"once" | "all" = "all"', False),
    ]




def test_words_are_found_in_all_calls(page: Paged) -> None:
    """The newest call first, with where they stand; where there are none, how many were looked through."""
    told = page.get("/page/search?words=WHICH SHIP, p")
    assert [(each["id"], each["where"], each["name"]) for each in told["found"]] == [
        ("pages", "message", "user"),
        ("plain", "message", "user"),
    ]
    assert told["found"][1]["excerpt"] == "Which ship, plain?"
    places = {words: page.get(f"/page/search?words={words}")["found"] for words in ("greet.", "the old one", "edits")}
    assert [found[0]["where"] for found in places.values()] == ["system", "answer", "tool"]
    assert page.get("/page/search?words=nowhere") == {"found": [], "looked": 8, "total": 8, "left_out": 0}




@pytest.mark.parametrize(
    "path", ["search", "search?words=%20", "search?words=" + "x" * 201, "search?words=x&after=last"]
)
def test_a_search_for_nothing_is_refused(page: Paged, path: str) -> None:
    """In one line that names the value."""
    answer = page.client.get(f"/page/{path}")
    assert answer.status_code == 422 and answer.json()["path"] in ("words", "after")






WRITTEN: dict[int, Callable[[str], str]] = {
    0: str,
    1: str,
    2: lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    3: lambda text: json.dumps(text)[1:-1],
    4: lambda text: json.dumps(text, ensure_ascii=False)[1:-1].replace("<", "\\u003c").replace("\u2028", "\\u2028"),
}


def held(page: Paged) -> dict[str, Any]:
    """What a page that is a file holds."""
    text = one_file.make_calls_file(str(page.folder / "calls.sqlite"), packaged_table())
    found: dict[str, Any] = json.loads(text.partition('id="overture-data">')[2].partition("</script>")[0])
    return found


def test_one_file_holds_each_text_once(page: Paged) -> None:
    """Requests and messages are told by numbers of texts, from which they are the same again."""
    data = held(page)
    texts = data["/page/texts"]
    assert sum(text == LONG for text in texts) == 1
    for id, body in BODIES.items():
        parts = data[f"/page/call/{id}/request"]["parts"]
        assert "".join(WRITTEN[part % 8](texts[part // 8]) for part in parts) == body
    assert [texts[row["at"]] for row in data["/page/call/plain/messages"]] == [LONG, "Aye.", "Which ship, plain?"]
    assert data["/page/call/bytes/tools"] == {"same_as": "/page/call/old/tools"} and data["/page/call/old/tools"] == []


