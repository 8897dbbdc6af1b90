# ruff: noqa: D205, D413, D417  docstrings as others write them
"""A Python function is a tool: name, description and schema are its own, wherever tools are taken."""

import enum
import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, Optional, TypedDict, TypeVar
from uuid import UUID

import msgspec
import pydantic
import pydantic.dataclasses
import pytest

import overture
from overture import Session, StateError, tools_from
from overture.model.tool import Tool
from overture.testing import FakeWorld, make_state


def search(query: str, limit: int = 10) -> list[dict[str, Any]]:
    """Search the harbour's books for a ship.

    Not for the model.

    Args:
        query: What to look for,
            in plain words.
        limit (int, optional): How many: at most.
    """
    return [{"query": query, "limit": limit}]


SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to look for, in plain words."},
        "limit": {"type": "integer", "description": "How many: at most.", "default": 10},
    },
    "required": ["query"],
}


def made(function: Any, **given: Any) -> Tool:
    """The definition of a function."""
    return tools_from([overture.tool(function, **given) if given else function])[0]


def schema(hint: Any, default: Any = inspect.Parameter.empty) -> Any:
    """What the schema says of a parameter with that annotation."""

    def take(value): ...  # type: ignore[no-untyped-def]

    take.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("value", inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)]
    )
    return (made(take).parameters or {})["properties"]["value"]


def test_name_description_and_schema_are_the_functions() -> None:
    """The name, the docstring's first paragraph, and a schema with types, defaults, and what the docstring says."""
    tool = made(search)
    assert (tool.name, tool.description) == ("search", "Search the harbour's books for a ship.")
    assert tool.parameters == SEARCH
    assert tool.returns == {"type": "array", "items": {"type": "object"}}


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1


@dataclass
class Ship:
    name: str
    tons: float = 0.0
    sisters: list["Ship"] = field(default_factory=list)


class Options(TypedDict, total=False):
    limit: int
    deep: NotRequired[bool]


class Point(NamedTuple):
    x: int
    y: int = 0


class Row(msgspec.Struct):
    id: Annotated[int, msgspec.Meta(ge=1, description="Its number.")]
    tags: set[str] = set()


Id = NewType("Id", int)
T = TypeVar("T")
N = TypeVar("N", bound=int)


class Alias:
    """As `type Json = dict[str, Json] | list[Json] | str` of Python 3.12."""

    @property
    def __value__(self) -> Any:
        """The alias contains itself."""
        return dict[str, self] | list[self] | str  # type: ignore[valid-type]


JSON = Alias()
TEXT = {"type": "string"}
SHIP = {
    "type": "object",
    "properties": {"name": TEXT, "tons": {"type": "number"}, "sisters": {"type": "array", "items": {"type": "object"}}},
    "required": ["name"],
}


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (str, TEXT),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (Any, {}),
        (object, {}),
        (bytes, {"type": "string", "contentEncoding": "base64"}),
        (Decimal, {"type": "number"}),
        (datetime, {"type": "string", "format": "date-time"}),
        (date, {"type": "string", "format": "date"}),
        (timedelta, {"type": "string", "format": "duration"}),
        (UUID, {"type": "string", "format": "uuid"}),
        (Path, TEXT),
        (
            Optional[int],  # noqa: UP045
            {"type": ["integer", "null"]},
        ),
        (int | None, {"type": ["integer", "null"]}),
        (int | str, {"type": ["integer", "string"]}),
        (str | datetime, {"anyOf": [TEXT, {"type": "string", "format": "date-time"}]}),
        (list[int] | None, {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}),
        (int | Any, {}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a", 1, None], {"enum": ["a", 1, None]}),
        (Literal[Colour.RED], {"type": "string", "enum": ["red"]}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Level, {"type": "integer", "enum": [1]}),
        (list, {"type": "array", "items": {}}),
        (list[str], {"type": "array", "items": TEXT}),
        (Sequence[str], {"type": "array", "items": TEXT}),
        (Iterable[str], {"type": "array", "items": TEXT}),
        (set[str], {"type": "array", "items": TEXT, "uniqueItems": True}),
        (tuple[str, ...], {"type": "array", "items": TEXT}),
        (tuple[int, int], {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}),
        (tuple[int, str], {"type": "array", "items": {"type": ["integer", "string"]}, "minItems": 2, "maxItems": 2}),
        (dict, {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Mapping[str, Any], {"type": "object"}),
        (Ship, SHIP),
        (list[Ship], {"type": "array", "items": SHIP}),
        (Options, {"type": "object", "properties": {"limit": {"type": "integer"}, "deep": {"type": "boolean"}}}),
        (
            Point,
            {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
                "required": ["x"],
            },
        ),
        (
            Row,
            {
                "type": "object",
                "properties": {
                    "id": {"type": "integer", "description": "Its number.", "minimum": 1},
                    "tags": {"type": "array", "items": TEXT, "uniqueItems": True},
                },
                "required": ["id"],
            },
        ),
        (Id, {"type": "integer"}),
        (JSON, {"anyOf": [{"type": "object"}, {"type": "array", "items": {}}, TEXT]}),
        (T, {}),
        (N, {"type": "integer"}),
        (Annotated[str, "A name."], {"type": "string", "description": "A name."}),
        (Annotated[str, msgspec.Meta(min_length=1, pattern="a")], {"type": "string", "minLength": 1, "pattern": "a"}),
        (
            Annotated[list[int], pydantic.Field(description="Some.", max_length=3)],
            {"type": "array", "items": {"type": "integer"}, "description": "Some.", "maxItems": 3},
        ),
        (Annotated[int, pydantic.Field(gt=1, le=9)], {"type": "integer", "exclusiveMinimum": 1, "maximum": 9}),
    ],
)
def test_an_annotation_is_a_schema(hint: Any, said: Any) -> None:
    """Plain types, unions, enumerations, lists, maps, classes of fields, and what `Annotated` adds."""
    assert schema(hint) == said


@pytest.mark.parametrize(
    ("default", "said"),
    [
        ("x", {"default": "x"}),
        (Colour.RED, {"default": "red"}),
        ((1, 2), {"default": [1, 2]}),
        (None, {}),
        (float("inf"), {}),
        (object(), {}),
    ],
)
def test_a_default_is_told_where_json_can(default: object, said: object) -> None:
    """None is what leaving it out says."""
    assert schema(Any, default) == said


def google(a: str, b: int, *rest: int, **more: str) -> None:
    """Does.

    Args:
        a (str): The first: with a colon.

            And a second paragraph.
        b: The second.
        *rest: Others.

    Returns:
        a: Nothing.
    """


def numpy(a: str, b: int, c: int = 0) -> None:
    """Does.

    Parameters
    ----------
    a : str
        The first,
        on two lines.
    b, c : int, optional
        The others.

    Returns
    -------
    a
        Nothing.
    """


def sphinx(a: str, b: int) -> None:
    """Does.
    :param str a: The first,
        on two lines.
    :param b: The second.
    :returns: Nothing.
    """


def bare(a: str, b: int) -> None:
    """
    Args:
        a: The first.
    """


@pytest.mark.parametrize(
    ("function", "summary", "said"),
    [
        (google, "Does.", {"a": "The first: with a colon. And a second paragraph.", "b": "The second."}),
        (numpy, "Does.", {"a": "The first, on two lines.", "b": "The others.", "c": "The others."}),
        (sphinx, "Does.", {"a": "The first, on two lines.", "b": "The second."}),
        (bare, None, {"a": "The first."}),
    ],
)
def test_the_docstring_describes_the_parameters(function: Any, summary: str | None, said: dict[str, str]) -> None:
    """As Google, NumPy and Sphinx write them; what returns is no parameter."""
    tool = made(function)
    properties = (tool.parameters or {})["properties"]
    assert tool.description == summary
    assert {name: each["description"] for name, each in properties.items() if "description" in each} == said


class Harbour:
    """A harbour."""

    def look(self, ship: str) -> str:
        """Look for a ship."""
        return f"{ship} is here"

    @classmethod
    def all(cls, limit: int) -> int:
        """List all."""
        return limit

    @overture.tool(name="glance", description="Look quickly.")
    def glimpse(self, ship: str) -> str:
        return f"{ship}, {type(self).__name__}"

    @classmethod
    @overture.tool(name="count")
    def counted(cls, limit: int) -> int:
        return limit

    @staticmethod
    @overture.tool
    def fixed(limit: int) -> int:
        """Say the same."""
        return limit

    def __call__(self, ship: str) -> str:
        return ship


async def fetch(url: str) -> str:
    """Fetch a page."""
    return url


def test_what_is_given_wins() -> None:
    """Name, description, snippet, guidelines, strictness; `without` leaves parameters to the program."""
    tool = made(
        search, name="find", description="Find.", snippet="find: finds", guidelines=["Look first."], strict=True,
        without=["limit"],
    )  # fmt: skip
    query = {"query": {"type": "string", "description": "What to look for, in plain words."}}
    parameters = {"type": "object", "properties": query, "required": ["query"]}
    assert tool == Tool(
        "find", "Find.", parameters, "find: finds", ("Look first.",), strict=True, returns=tool.returns
    )  # fmt: skip


class RunContext(Generic[T]):
    """As frameworks have it."""


class Context(pydantic.BaseModel):
    """As others have it."""


class Connection:
    """Nothing that JSON has."""


def with_context(ctx: RunContext[int], query: str) -> None: ...
def with_other(ctx: Context, query: str) -> None: ...
def open_ended(query: str, *rest: int, **more: int) -> None: ...
def positional(query: str, /) -> None: ...
async def streaming(query: str) -> AsyncIterator[str]:
    yield query


def test_what_is_not_the_models_to_give_is_left_out() -> None:
    """A framework's context and `*args` are; `**kwargs` allows more; a positional parameter is named all the same."""
    for function in (with_context, with_other, open_ended, positional, streaming):
        assert list((made(function).parameters or {})["properties"]) == ["query"]
    assert (made(open_ended).parameters or {})["additionalProperties"] is True
    assert made(streaming).returns is None


class Form(pydantic.BaseModel):
    """A model whose field JSON lacks."""

    back: Callable[[], int]


def needs(db: Connection, query: str) -> None: ...
def calls(back: Callable[[], int]) -> None: ...
def calls_by_model(form: Form) -> None: ...
def unresolved(db: "Nowhere", query: str) -> "Nowhere": ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            needs,
            r"tools\[0\]: tool 'needs': parameter 'db' is Connection, which JSON can't represent.*without=\['db'\]",
        ),
        (calls, "parameter 'back' is"),
        (calls_by_model, "parameter 'form' is Form, which JSON can't represent"),
        (unresolved, r"parameter 'db' is 'Nowhere', which can't be resolved \(name 'Nowhere' is not defined\)"),
        (lambda x: x, "has no name"),
        (Harbour(), "has no name"),
        (7, "expected an object that describes a tool"),
    ],
)
def test_what_can_not_be_a_tool_is_an_error_of_ours(function: Any, words: str) -> None:
    """One line: which tool, which parameter, and what to do."""
    with pytest.raises(StateError, match=words) as caught:
        tools_from([function], "tools")
    assert "\n" not in str(caught.value)


def test_functions_are_taken_wherever_tools_are() -> None:
    """Session(tools=…), register, a state's mapping, build, make_state, render, tools_from: the same definition."""
    world = FakeWorld()
    expected = made(search)
    live = Session("opal", world=world, tools=["shell", search])
    assert [tool for tool in live.turn("Go").tools if tool.name == "search"] == [expected]
    live.register(fetch, {"name": "plain"}, Harbour().look)
    assert [tool.name for tool in live.turn("On").tools] == ["shell", "search", "fetch", "plain", "look"]
    given = Session("opal", world=world, state={"tools": [search, {"name": "plain"}]})
    assert [tool.name for tool in given.turn("Go").tools] == ["search", "plain"]
    assert overture.build("opal", {"tools": [search]}).state.tools == (expected,)
    assert overture.State.from_dict({"tools": [search, overture.tool(search, name="find")]}).tools[0] == expected
    assert make_state(tools=[search]).tools == (expected,)
    body = overture.render("anthropic", overture.build("opal", {}), tools=[search])
    assert body["tools"][0]["name"] == "search" and body["tools"][0]["input_schema"]["required"] == ["query"]
    with pytest.raises(StateError, match="list"):
        Session("opal", world=world, tools=search)  # type: ignore[arg-type]
    with pytest.raises(StateError, match=r"tools\[1\]: tool 'needs'"):
        Session("opal", world=world, tools=["shell", needs])


def test_a_function_is_saved_as_its_definition(tmp_path: Path) -> None:
    """A session with functions as tools is resumed with the same bytes; the functions stay with the program."""
    live = Session("opal", world=FakeWorld(), tools=[overture.tool(search, name="find")])
    live.register(fetch)
    sent = live.turn("Go").render("anthropic")
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json", world=FakeWorld())
    assert again.turn().render("anthropic") == sent
    assert [tool["name"] for tool in sent["tools"]] == ["find", "fetch"]


def test_a_prompt_says_the_tool_of_a_function() -> None:
    """Recipes that describe tools in the prompt do so for functions too."""
    text = overture.build("house", {"tools": [search], "native_tools": False}).text
    assert "search" in text and "Search the harbour's books for a ship." in text
