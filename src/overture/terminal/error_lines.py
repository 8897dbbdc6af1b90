"""Prints an error as lines: what happened, where, a similar name, the cause, and a hint to act on."""

import re
from collections.abc import Iterator

import click

from ..errors import OvertureError, find_similar
from ..text.invisible import escape_to_line
from ..text.path_printer import PathPrinter

QUOTED = re.compile(
    r"`[^`]*`|\b(?:pip install|overture [a-z]+)(?: (?:[^\s`',;]+|'[^'`]*'))+|(?<!\w)'(?P<typed>(?:[^'`\\]|\\.)+)'(?!\w)"
)
"""Names in Python's quotes. Matched before them: what is in backticks, and a command to paste with its own quotes."""
QUOTE_ESCAPE = re.compile(r"\\([\\'])")
"""A backslash or a quote, as `repr` writes it in quotes."""
FIELD = re.compile(r"[a-z_\[][\w.\[\]-]*(?=: )")
"""The path of a value at the beginning of a sentence, as it is typed."""
PLACE = re.compile(r"(?P<path>.*?)(?P<at>(?::(?P<line>\d+))?(?::(?P<column>\d+))?)", re.DOTALL)
MAX_ERROR_CHARS = 2_000
"""Characters of the beginning and of the end of a line of an error."""
MAX_LISTED_NAMES = 6
"""Names that are listed; of more, a reader asks the command that lists them."""
MAX_SOURCE_CHARS = 200
"""Characters of a line of a file that are shown."""
LISTS = {
    "recipe": "overture recipes", "agent": "overture agents --all", "check": "overture check --explain",
    "setting": "overture config",
}  # fmt: skip
"""The commands that list what there is."""


def format_error(problem: OvertureError, printer: PathPrinter) -> Iterator[str]:
    """The lines of an error: `error:`, then the place, `tip:`, `cause:` and `hint:` where it has them."""
    yield f"error: {printer.within(quote_field(problem.message or str(problem)))}"
    if problem.place:
        yield from format_place(problem.place, problem.source, printer)
    if problem.tip:
        yield from ("",) * (not problem.place)
        yield f"  tip: a similar {problem.noun} exists: `{problem.tip}`"
    if problem.cause:
        yield f"cause: {printer.within(quote_field(problem.cause))}"
    if problem.hint:
        yield f"hint: {quote_field(problem.hint)}"
    elif problem.known and not problem.tip:
        yield f"hint: {list_hint_names(problem.known, problem.noun)}"


def shorten_error(line: str) -> str:
    """Shortens an error whose value may be as long as a file: its description is before it, the problem after it."""
    if len(line) <= 2 * MAX_ERROR_CHARS:
        return line
    return f"{line[:MAX_ERROR_CHARS]} … {line[-MAX_ERROR_CHARS:]}"


def format_place(place: str, source: str, printer: PathPrinter) -> Iterator[str]:
    """` --> overture.toml:1:10`, then the line itself with a caret below the column."""
    match = PLACE.fullmatch(place)
    assert match is not None
    yield f" --> {escape_to_line(printer(match['path']))}{match['at']}"
    if source and match["line"]:
        margin = " " * len(match["line"])
        yield f"{margin} |"
        yield f"{match['line']} | {escape_to_line(source[:MAX_SOURCE_CHARS])}"
        if match["column"] and int(match["column"]) <= min(len(source) + 1, MAX_SOURCE_CHARS):
            yield f"{margin} | {' ' * (int(match['column']) - 1)}^"


def convert_usage_error(problem: click.ClickException, command: str) -> OvertureError:
    """click's message for a usage error, in parts; the hint is the command's own help."""
    message = problem.format_message().removesuffix(".")
    if isinstance(problem, click.NoSuchOption):
        if problem.option_name == "--recipe":
            cause = "The recipe is an argument, not an option"
            return OvertureError("No such option '--recipe'", cause=cause, hint=f"Try `{command} pi`")
        parameters = problem.ctx.command.params if problem.ctx else ()
        if problem.option_name == "--json" and any(each.name == "form" for each in parameters):
            return OvertureError("No such option '--json'", hint=f"Try `{command} --format json`")
        error = OvertureError(f"No such option {problem.option_name!r}")
        error.noun, error.tip = "option", find_similar(problem.option_name, problem.possibilities or ())
        return error if error.tip else OvertureError(str(error), hint=f"`{command} --help` lists them")
    return OvertureError(message, hint=f"Try `{command} --help`" if isinstance(problem, click.UsageError) else "")


def list_hint_names(names: tuple[str, ...], noun: str) -> str:
    """The line that hints at possible names below a printed error; the command that lists them where they are many."""
    if len(names) > MAX_LISTED_NAMES and noun in LISTS:
        return f"`{LISTS[noun]}` lists them"
    more = f" and {len(names) - MAX_LISTED_NAMES} more" if len(names) > MAX_LISTED_NAMES else ""
    return f"Known names: {', '.join(f'`{each}`' for each in names[:MAX_LISTED_NAMES])}{more}"


def quote_names(text: str) -> str:
    """On one line, with backticks around what a reader typed in place of Python's quotes; no full stop at the end."""
    line = " ".join(text.split())
    return QUOTED.sub(_quote_name, line).removesuffix(".")


def _quote_name(found: re.Match[str]) -> str:
    """A name as it was typed, without what `repr` escaped for the sake of its quotes."""
    return "`" + QUOTE_ESCAPE.sub(r"\1", found["typed"]) + "`" if found["typed"] else found[0]


def quote_field(text: str) -> str:
    """The same, also with backticks around the value that a sentence begins with."""
    line = " ".join(text.split())
    field = FIELD.match(line)
    return quote_names(f"`{field[0]}`{line[field.end() :]}" if field else line)
