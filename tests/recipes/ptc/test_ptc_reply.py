"""Checking a model's reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import overture
from overture.recipes.ptc import check
from overture.recipes.ptc.reply import find_first_fault
from overture.testing import make_state


def fenced(program: str) -> str:
    """A reply as it should be."""
    return f"```clojure\n{program}\n```"


READABLE = [
    '(let [data (call "fetch" {:id ctx/user_id})]\n  (return {:result data}))',
    "(filter #(> (:score %) 0.5) items)",
    "#{1 2 3}",
    r'"a \"quoted\" string with ) and ; and \\ and \u00e9"',
    '"two\nlines"',
    '; a comment with ( and "\n(+ 1 2) ; another )',
    r"[\a \newline \( \) \[ \; \" \u0041 \space]",
    "{:a 1, :b/c 2, ::d 3}",
    "'(a b c) `(x ~y ~@z) @r",
    "#_(ignored [) ] 1) 2".replace("[) ] 1", "[] 1"),
    "{:a 1 #_:b #_2}",
    "^:private x",
    '#"regex\\d+"',
    "[1 -2 +3 1.5 1e10 1/2 0xFF 10N 2.5M]",
    "(defn- f [x & more] (->> x (map inc)))",
    "x' a->b ->x + - / % %1 <= nil true",
    "(a) (b)",
]


@pytest.mark.parametrize("program", READABLE)
def test_program_that_can_be_read(program: str) -> None:
    """Every form of the language is read."""
    checked = check(fenced(program))
    assert checked.error is None
    assert checked.ok
    assert checked.program == program


@pytest.mark.parametrize(
    ("program", "line", "column", "message"),
    [
        ("(+ 1 2", 1, 1, "'(' is never closed: ')' is missing"),
        ("(let [x 1]\n  (f x)", 1, 1, "'(' is never closed: ')' is missing"),
        ("(f\n  [1 2)\n)", 2, 7, "expected ']' for the '[' of line 2, column 3, got ')'"),
        ("(f))", 1, 4, "unexpected ')': nothing is open"),
        ('(f "abc)', 1, 4, "a string is not closed: a closing '\"' is missing"),
        ('(f "a\\qb")', 1, 6, r"a string has no escape '\\q'"),
        ("{:a 1 :b}", 1, 1, "a map needs a value for every key; this one has 3 forms"),
        ("(f 12ab)", 1, 4, "'12ab' is not a number"),
        ("(f :)", 1, 4, "':' is not a keyword: it needs a name"),
        (r"(f \newlin)", 1, 4, r"'\\newlin' is not a character"),
        ("(f ')", 1, 4, 'no form follows "\'"'),
        ("(f #_)", 1, 4, "no form follows '#_'"),
        ("'", 1, 1, 'no form follows "\'"'),
        ("; nothing", 1, 1, "there is no program: only spaces and comments"),
        ("(f #inst)", 1, 4, "unexpected '#'"),
        ("#(f", 1, 1, "'#(' is never closed: ')' is missing"),
    ],
)
def test_fault_has_its_position(program: str, line: int, column: int, message: str) -> None:
    """The first place that can't be read is given with line and column, and is the error of the next turn."""
    checked = check(fenced(program))
    assert (checked.line, checked.column) == (line, column)
    assert checked.error is not None
    assert checked.error.type == "parse_error"
    assert checked.error.message == f"Line {line}, column {column}: {message}"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("(+ 1 2)", "no_code_block"),
        ("", "no_code_block"),
        ("```python\n1\n```", "no_code_block"),
        ("```clojure\n1\n```\n\n```clojure\n2\n```", "multiple_code_blocks"),
        ("```clojure\n(f)", "unclosed_code_block"),
        ("```clojure", "unclosed_code_block"),
        ("```clojure\n```", "parse_error"),
    ],
)
def test_reply_without_exactly_one_block(reply: str, kind: str) -> None:
    """A reply that is not one code block is an error of its own kind."""
    checked = check(reply)
    assert checked.error is not None
    assert checked.error.type == kind
    assert not checked.ok


@pytest.mark.parametrize(
    "reply",
    [
        "Here it is:\n\n```clojure\n(f)\n```\nDone.",
        "```Clojure\r\n(f)\r\n```",
        "````clojure\n(f)\n````",
        "```text\n```\n```clojure\n(f)\n```",
        "  ```clojure title=x\n(f)\n  ```",
    ],
)
def test_block_is_found(reply: str) -> None:
    """Words around the block do not make it unreadable; they are reported."""
    checked = check(reply)
    assert checked.program == "(f)"
    assert checked.error is None


@given(st.text(alphabet="()[]{}\"\\;'`~@^#_:a1 \n,.-", max_size=40))
def test_every_text_is_readable_or_has_a_fault(program: str) -> None:
    """The reader ends with a fault inside the text or with none."""
    fault = find_first_fault(program)
    lines = program.split("\n")
    assert fault is None or (1 <= fault.line <= len(lines) and 1 <= fault.column <= len(lines[fault.line - 1]) + 1)


def test_error_goes_into_the_next_turn() -> None:
    """The error of a reply is what the next state takes as it stands."""
    error = check(fenced("(f")).error
    assert error is not None
    mission = {"prompt": "p", "error": {"type": error.type, "message": error.message, "details": error.details}}
    prompt = overture.build("ptc", make_state(mission=mission))
    assert "- **Message**: Line 1, column 1: '(' is never closed: ')' is missing" in prompt.text
    assert "| `ctx/fail` | `{line :int, column :int, message :string, program :string}` |" in prompt.text
    assert prompt.diagnostics == ()
