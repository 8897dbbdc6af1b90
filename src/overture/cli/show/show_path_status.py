"""Shows what became of one path: its place in the prompt, or why it is not there and what would change that."""

from collections.abc import Sequence

from ...report.why import Fate
from ...terminal.output import OUTCOMES, dim, print_error, print_line, print_wrapped, style, write_json
from ...text.path_printer import PathPrinter

NOT_IN_PROMPT = ("not read: ", "not used: ", "not in the prompt: ")
"""How the sentence about a file begins that gives nothing to the prompt."""


IN_PROMPT = "in the prompt: "


def show_path_statuses(statuses: tuple[Fate, ...], printer: PathPrinter, recipe: str, as_json: bool) -> None:
    """What became of a file: a line for each path, and of one that is not in the prompt the cause and a hint."""
    if as_json:
        write_json(statuses)
    for status in statuses:
        if status.outcome == "missing":
            _, _, tip = status.said.partition("Did you mean ")
            print_error(f"error: No such file: `{printer(status.path)}`")
            if tip:
                print_error(f"  tip: a similar path exists: `{printer.within(tip.rstrip('?'))}`", indented=True)
        elif as_json:
            continue
        elif status.said.startswith(NOT_IN_PROMPT):
            show_absence(status, printer, recipe)
        else:
            colour = OUTCOMES.get(status.outcome, "yellow")
            sentence = status.said
            if sentence.startswith(IN_PROMPT):
                sentence = f"in the prompt of {recipe}: {sentence.removeprefix(IN_PROMPT)}"
            print_wrapped(f"{printer(status.path)}: {style(printer.within(sentence), fg=colour)}")


def show_absence(status: Fate, printer: PathPrinter, recipe: str) -> None:
    """That a file is not in the prompt, why, and the lines of a file of settings that would have it read."""
    reason = status.said.partition(": ")[2]
    before, _, place = (
        reason.partition(f", set {' and '.join(status.settings)} ") if status.settings else (reason, "", "")
    )
    cause = before.rpartition(". ")[0] if place else before.removesuffix(".")
    print_wrapped(f"{style(printer(status.path), bold=True)} is not in the prompt of {recipe}")
    print_wrapped(f"cause: {printer.within(cause[:1].upper() + cause[1:])}")
    if place:
        print_settings(status.settings, printer.within(place))


def print_settings(lines: Sequence[str], place: str) -> None:
    """`hint: In overture.toml, under [features.context]:`, and the lines to paste there."""
    where, _, still = place.rstrip(".").partition(". But ")
    keys = [line.partition(" = ")[0].rpartition(".") for line in lines]
    file, _, outer = where.rstrip("]").partition(", under [")
    tables = {".".join(filter(None, (outer, table))) for table, _, _ in keys}
    if file.endswith(".toml") and len(tables) == 1:
        print_wrapped(dim(f"hint: I{file[1:]}, under [{tables.pop()}]:"))
        lines = [line.removeprefix(f"{table}.") for line, (table, _, _) in zip(lines, keys, strict=True)]
    else:
        print_wrapped(dim(f"hint: I{where[1:]}:" if where.startswith("in ") else f"hint: Set {where}:"))
    for line in lines:
        print_line(dim(f"      {line}"))
    if still:
        print_wrapped(dim(f"      But {still}"))
