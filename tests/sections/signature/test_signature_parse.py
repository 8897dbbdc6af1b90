"""Reading and writing signatures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture import SignatureError
from overture.sections.signature import (
    NAMES,
    Exit,
    Field,
    Function,
    ListOf,
    MapOf,
    Simple,
    Type,
    parse,
    parse_function,
    render,
)

IDENTIFIERS = st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_]{0,8}\Z")
simple = st.builds(Simple, st.sampled_from(NAMES), st.booleans())


def fields(types: st.SearchStrategy[Type]) -> st.SearchStrategy[tuple[Field, ...]]:
    """Fields with names of all kinds; a keyword is an identifier."""
    plain = st.builds(Field, st.text(max_size=8) | IDENTIFIERS, types)
    keyed = st.builds(Field, IDENTIFIERS, types, st.just(True))
    return st.lists(plain | keyed, max_size=4, unique_by=lambda field: field.name).map(tuple)


types: st.SearchStrategy[Type] = st.recursive(
    simple,
    lambda inner: st.builds(ListOf, inner, st.booleans()) | st.builds(MapOf, fields(inner), st.booleans()),
    max_leaves=12,
)
functions = st.builds(
    Function, fields(types), types | st.builds(Exit, st.sampled_from(["success", "error"])) | st.none()
)


@given(types | functions)
def test_reading_what_was_written_gives_the_same(signature: Function | Type) -> None:
    """parse(render(t)) == t for every type and function."""
    assert parse(render(signature)) == signature


@given(st.builds(Function, fields(types), types), st.data())
def test_cut_off_signature_is_an_error_with_a_position(signature: Function, data: st.DataObject) -> None:
    """A signature that is cut off anywhere can't be read, and the error says where."""
    text = render(signature).rstrip("?")
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    with pytest.raises(SignatureError) as error:
        parse_function(cut)
    assert error.value.line == 1
    assert 1 <= error.value.column <= len(cut) + 1
    assert error.value.expected


@given(st.text(max_size=40))
def test_any_text_is_a_signature_or_a_signature_error(text: str) -> None:
    """No text makes the parser fail in any other way."""
    try:
        parse(text)
    except SignatureError as error:
        assert str(error).startswith("Signature: line ")


@pytest.mark.parametrize(
    "text",
    [
        "(query :string, limit :int?) -> [{id :int, title :string}]",
        "(id :int) -> {name :string, email :string?}",
        "(data :any) -> :exit-success",
        "(error {:reason :keyword, :message :string, :op :string?, :details :map?}) -> :exit-error",
        "(prompt :string) -> {summary :string, _ids [:int]}",
        "{count :int, draft_ids [:int]}",
        "[{id :int, subject :string}]",
        "(user_id :int, emails [{id :int}])",
        "[:datetime?]?",
        '{"user name" :string, a-b :float}?',
        "() -> :bool",
    ],
)
def test_prints_as_written(text: str) -> None:
    """The signatures of the document, and our own forms, print as they were written."""
    assert render(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("-> :map", "() -> :map"),
        ("(a:int,b\n:string)->:any", "(a :int, b :string) -> :any"),
        (":boolean", ":bool"),
        ("{ }", "{}"),
        ('{"a" :int}', "{a :int}"),
    ],
)
def test_prints_in_one_form(text: str, printed: str) -> None:
    """White space, aliases and needless quotes do not survive."""
    assert render(parse(text)) == printed


@pytest.mark.parametrize(
    ("text", "line", "column", "expected", "got"),
    [
        ("", 1, 1, "a type", "the end"),
        ("(a :int", 1, 8, "',' or ')'", "the end"),
        ("(a :int,\n b :strng)", 2, 4, "a type", "':strng' (did you mean ':string'?)"),
        ("{a}", 1, 3, "a type", "'}'"),
        ("{a :int,}", 1, 9, "a name", "'}'"),
        ("{a :int, a :int}", 1, 10, "a name that is not given yet", "'a'"),
        ("[:int", 1, 6, "']'", "the end"),
        ("[]", 1, 2, "a type", "']'"),
        (":int :int", 1, 6, "the end", "':int'"),
        (":int??", 1, 6, "the end", "'?'"),
        ("(a :int) -> ", 1, 13, "a type", "the end"),
        ("(a @)", 1, 4, "a type, a name or one of", "'@'"),
        ('{"a :int}', 1, 2, "a name in double quotes that ends", "'\"'"),
        (r'{"\q" :int}', 1, 2, "a name in double quotes, escaped as in JSON", r"""'"\\q"'"""),
        ("[:exit-error]", 1, 2, "a type", "':exit-error'"),
    ],
)
def test_errors_say_where_and_what(text: str, line: int, column: int, expected: str, got: str) -> None:
    """Every error gives line, column, what was expected and what stands there."""
    with pytest.raises(SignatureError) as error:
        parse(text)
    assert (error.value.line, error.value.column, error.value.got) == (line, column, got)
    assert error.value.expected.startswith(expected)


@pytest.mark.parametrize("opening", ["[", "{a ", "(a [", "-> [{b "])
def test_deep_nesting_is_one_clear_error(opening: str) -> None:
    """A thousand levels are too many, and the error says how many are not."""
    with pytest.raises(SignatureError, match="at most 50 levels of nesting"):
        parse(opening + "[" * 1000)
