"""The signature language: `(user_id :int, emails [{id :int}]) -> :bool`, for the types of tools, data and results.

Here are its types, their text, the parser, whose errors name line and column, and the check of a value.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from msgspec import structs

from ..errors import SignatureError, suggest
from ..model.struct import Frozen
from ..text.escape import quote_text
from .literal import HIDDEN, LiteralLimits, is_hidden, write_literal

Name = Literal["string", "int", "float", "bool", "keyword", "map", "any", "datetime"]
NAMES: tuple[str, ...] = get_args(Name)
MAX_TYPE_DEPTH = 50
"""How deep types may nest. Real types have less, and no reader of ours overflows the stack at this depth."""
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+(?:-++[A-Za-z0-9_]++)*")
"""A name that needs no quotes. A hyphen is between letters only, so that `a->` is a name and an arrow."""


class Simple(Frozen, frozen=True, tag=True):
    """`:int`, `:string?`."""

    name: Name
    optional: bool = False


class ListOf(Frozen, frozen=True, tag=True):
    """`[T]`."""

    item: "Type"
    optional: bool = False


class Field(Frozen, frozen=True):
    """A name with its type: a parameter, or a field of a map."""

    name: str
    type: "Type"
    keyword: bool = False
    """True if the name is written as a keyword, `:reason`."""


class MapOf(Frozen, frozen=True, tag=True):
    """`{name T, …}`. A value may have more fields than these."""

    fields: tuple[Field, ...] = ()
    optional: bool = False


class Exit(Frozen, frozen=True):
    """`:exit-success`, `:exit-error`: the function ends the program and returns nothing."""

    outcome: Literal["success", "error"]


Type: TypeAlias = Simple | ListOf | MapOf


class Function(Frozen, frozen=True):
    """`(name T, …) -> T`. Without a result it is a list of names with their types."""

    params: tuple[Field, ...] = ()
    result: Type | Exit | None = None


ANY = Simple("any")
MAP = Simple("map")


def make_optional(type: Type) -> Type:
    """The same type for a value that may also be nil or missing."""
    return structs.replace(type, optional=True)


def unite_types(types: Iterable[Type], *, nil: bool = False) -> Type:
    """One type for several alternatives; `:any` if the language has none. `nil`: nil is one of them too."""
    distinct = set(types)
    if distinct == {Simple("int"), Simple("float")}:
        distinct = {Simple("float")}
    only = distinct.pop() if len(distinct) == 1 else ANY
    return make_optional(only) if nil and only != ANY else only


def render(signature: Function | Type) -> str:
    """`(user_id :int, emails [{id :int}]) -> :bool`, with one space after each comma."""
    if not isinstance(signature, Function):
        return render_type(signature)
    params = f"({render_fields(signature.params)})"
    match signature.result:
        case None:
            return params
        case Exit(outcome=outcome):
            return f"{params} -> :exit-{outcome}"
    return f"{params} -> {render_type(signature.result)}"


def render_type(type: Type) -> str:
    """A type and, if it is optional, its `?`."""
    mark = "?" if type.optional else ""
    if isinstance(type, Simple):
        return f":{type.name}{mark}"
    if isinstance(type, ListOf):
        return f"[{render_type(type.item)}]{mark}"
    return f"{{{render_fields(type.fields)}}}{mark}"


def render_fields(fields: tuple[Field, ...]) -> str:
    """`id :int, subject :string`."""
    return ", ".join(f"{render_name(field)} {render_type(field.type)}" for field in fields)


def render_name(field: Field) -> str:
    """A name; in double quotes if it is not an identifier."""
    if not IDENTIFIER.fullmatch(field.name):
        return quote_text(field.name)
    return f":{field.name}" if field.keyword else field.name


TokenKind = Literal["arrow", "keyword", "name", "string", "mark", "end"]

TOKEN = re.compile(
    r"\s+"
    r"|(?P<arrow>->)"
    rf"|(?P<keyword>:{IDENTIFIER.pattern})"
    rf"|(?P<name>{IDENTIFIER.pattern})"
    r'|(?P<string>"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*")'
    r"|(?P<mark>[()\[\]{},?])"
)


class Token(NamedTuple):
    """A word or mark of a signature."""

    kind: TokenKind
    text: str
    at: int

    def __str__(self) -> str:
        """Its text in an error."""
        return "the end" if self.kind == "end" else repr(self.text)


def read_tokens(text: str) -> Iterator[Token]:
    """The tokens of `text`, and one for its end."""
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            expected = "a name in double quotes that ends" if text[at] == '"' else "a type, a name or one of ()[]{},?"
            raise make_syntax_error(text, at, expected, repr(text[at : at + 1]))
        if match.lastgroup:
            yield Token(match.lastgroup, match[0], at)  # type: ignore[arg-type]
        at = match.end()
    yield Token("end", "", len(text))


def make_syntax_error(text: str, at: int, expected: str, got: str) -> SignatureError:
    """The error at one position of a signature."""
    line = text.count("\n", 0, at) + 1
    return SignatureError(expected, got, line, at - text.rfind("\n", 0, at))


TYPES = tuple(f":{name}" for name in NAMES)
ALIASES = {":boolean": ":bool"}
EXITS = {":exit-success": Exit("success"), ":exit-error": Exit("error")}


MAX_CACHED_CHARS = 2_000
"""The type of a signature up to this length is cached."""


def parse(text: str) -> Function | Type:
    """A signature of any kind: `(a :int) -> :string`, `(a :int)`, `-> :map`, `{a :int}`."""
    return _parse_cached(text) if len(text) <= MAX_CACHED_CHARS else _parse_any(text)


def _parse_any(text: str) -> Function | Type:
    parser = Parser(text)
    parsed = parser.function() if parser.next.text in ("(", "->") else parser.type(MAX_TYPE_DEPTH)
    if parser.next.kind != "end":
        raise parser.fault("the end")
    return parsed


_parse_cached = lru_cache(maxsize=1024)(_parse_any)


def parse_type(text: str) -> Type:
    """A type: `[{id :int}]`. For a function, the type of its result."""
    parsed = parse(text)
    if not isinstance(parsed, Function):
        return parsed
    if parsed.result is None or isinstance(parsed.result, Exit):
        raise make_syntax_error(
            text, len(text), "the type of a result", "the end" if parsed.result is None else "an exit"
        )
    return parsed.result


def parse_function(text: str) -> Function:
    """A function with its result: `(query :string, limit :int?) -> [:int]`."""
    function = _parse_checked_function(text, "'(' or '->' (the name of the function is not part of it)")
    if function.result is None:
        raise make_syntax_error(text, len(text), "'->' and the type of the result", "the end")
    return function


def parse_params(text: str) -> tuple[Field, ...]:
    """Names with their types: `(user_id :int, emails [{id :int}])`, or as a map `{…}`. A result is skipped."""
    parsed = parse(text) if text.lstrip().startswith("{") else None
    return (
        parsed.fields
        if isinstance(parsed, MapOf) and not parsed.optional
        else _parse_checked_function(text, "'('").params
    )


def _parse_checked_function(text: str, expected: str) -> Function:
    parser = Parser(text)
    if parser.next.text not in ("(", "->"):
        raise parser.fault(expected)
    parsed = parse(text)
    assert isinstance(parsed, Function)
    return parsed


class Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        """Parse the text of a signature."""
        self.text = text
        self.rest = read_tokens(text)
        self.next: Token = next(self.rest)

    def function(self) -> Function:
        """Parameters, an arrow and a result; either half may be missing."""
        params: tuple[Field, ...] = ()
        if self.take("("):
            params = self.fields(")", MAX_TYPE_DEPTH)
        return Function(params, self.result() if self.take("->") else None)

    def result(self) -> Type | Exit:
        """The type or exit after the arrow."""
        outcome = EXITS.get(self.next.text)
        if outcome is None:
            return self.type(MAX_TYPE_DEPTH)
        self.advance()
        return outcome

    def type(self, depth: int) -> Type:
        """A type, with its `?`."""
        if depth == 0:
            raise self.fault(f"at most {MAX_TYPE_DEPTH} levels of nesting", "one more level")
        if self.take("["):
            item = self.type(depth - 1)
            self.expect("]")
            return ListOf(item, self.take("?"))
        if self.take("{"):
            fields = self.fields("}", depth - 1)
            return MapOf(fields, self.take("?"))
        name = self.simple()
        return Simple(name, self.take("?"))  # type: ignore[arg-type]

    def simple(self) -> str:
        """The name of a simple type."""
        name = ALIASES.get(self.next.text, self.next.text)
        if name not in TYPES:
            suggestion = suggest(name, TYPES).strip().replace("Did", "did")
            got = f"{self.next} ({suggestion})" if suggestion else str(self.next)
            raise self.fault(f"a type ({' '.join(TYPES)}, [T] or {{name T}})", got)
        self.advance()
        return name[1:]

    def fields(self, close: str, depth: int) -> tuple[Field, ...]:
        """Names with their types, up to the closing mark."""
        fields: dict[str, Field] = {}
        while not (self.next.text == close and not fields):
            start = self.next
            name, keyword = self.name(f"a name{'' if fields else f' or {close!r}'}")
            if name in fields:
                raise make_syntax_error(self.text, start.at, "a name that is not given yet", str(start))
            fields[name] = Field(name, self.type(depth), keyword)
            if not self.take(","):
                break
        self.expect(close, "',' or " if fields else "")
        return tuple(fields.values())

    def name(self, expected: str) -> tuple[str, bool]:
        """A name, and whether it is a keyword."""
        kind, text, _ = self.next
        if kind not in ("name", "keyword", "string"):
            raise self.fault(expected)
        try:
            name = json.loads(text) if kind == "string" else text.removeprefix(":")
        except ValueError:
            raise self.fault("a name in double quotes, escaped as in JSON") from None
        self.advance()
        return name, kind == "keyword"

    def take(self, text: str) -> bool:
        """Advance if the next token of the signature is this text; return whether it is."""
        if self.next.text != text:
            return False
        self.advance()
        return True

    def expect(self, text: str, or_else: str = "") -> None:
        """Advance past this text of the signature; any other token is an error."""
        if not self.take(text):
            raise self.fault(f"{or_else}{text!r}")

    def advance(self) -> None:
        """Move to the next token of the signature."""
        self.next = next(self.rest)

    def fault(self, expected: str, got: str = "") -> SignatureError:
        """The syntax error at the next token."""
        return make_syntax_error(self.text, self.next.at, expected, got or str(self.next))


T = TypeVar("T")


def name_field_in_error(field: str, text: str, read: Callable[[str], T]) -> T:
    """`read(text)`; if that fails, the error names the field."""
    try:
        return read(text)
    except SignatureError as problem:
        raise problem.within(field) from None


FAULT_LIMITS = LiteralLimits(items=3, keys=3, text=40, names=40, depth=2, room=80)


class Fault(Frozen, frozen=True):
    """One place where a value does not match its type."""

    path: str
    """`emails[2].id`; empty for the value itself."""
    expected: str
    got: str

    def __str__(self) -> str:
        """`emails[2].id: expected :int, got "x"`."""
        where = f"{self.path}: " if self.path else ""
        return f"{where}expected {self.expected}, got {self.got}"


def validate(value: Any, type: Type) -> tuple[Fault, ...]:
    """Every mismatch; empty if the value has the type. Keys beyond the named ones are allowed."""
    return tuple(find_faults(value, type))


def find_faults(value: Any, type: Type, path: str = "", secret: bool = False) -> Iterator[Fault]:
    """Each mismatch of a value, in order. A hidden value is never shown."""
    if value is None and (type.optional or type == Simple("any")):
        return
    if isinstance(type, ListOf) and isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from find_faults(item, type.item, f"{path}[{index}]", secret)
    elif isinstance(type, MapOf) and isinstance(value, Mapping):
        yield from _find_field_faults(value, type, path, secret)
    elif not (isinstance(type, Simple) and accepts(type.name, value)):
        got = HIDDEN if secret else write_literal(value, FAULT_LIMITS).text
        yield Fault(path, render_type(type), got)


def _find_field_faults(value: Mapping[Any, Any], type: MapOf, path: str, secret: bool) -> Iterator[Fault]:
    for field in type.fields:
        name = field.name if IDENTIFIER.fullmatch(field.name) else write_literal(field.name, FAULT_LIMITS).text
        here = f"{path}.{name}" if path else name
        if field.name in value:
            yield from find_faults(value[field.name], field.type, here, secret or is_hidden(field.name))
        elif not field.type.optional:
            yield Fault(here, render_type(field.type), "nothing")


def accepts(name: str, value: Any) -> bool:
    """Whether a value that is not nil has the simple type of that name."""
    match name:
        case "any":
            return True
        case "string":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "map":
            return isinstance(value, Mapping)
        case "keyword":
            return isinstance(value, str) and IDENTIFIER.fullmatch(value.removeprefix(":")) is not None
    return _is_datetime(value)


def _is_datetime(value: Any) -> bool:
    """A datetime, or its ISO 8601 text with an offset."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).tzinfo is not None
        except ValueError:
            return False
    return isinstance(value, datetime)
