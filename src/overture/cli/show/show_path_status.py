"""Shows what became of one path: its place in the prompt, or why it is not there and what would change that."""

from collections.abc import Sequence

from ...report.why import PathStatus
from ...terminal.output import OUTCOMES, dim, print_error, print_line, print_wrapped, style, write_json
from ...text.path_printer import PathPrinter

IN_PROMPT = "in the prompt: "


def show_path_statuses(statuses: tuple[PathStatus, ...], printer: PathPrinter, recipe: str, as_json: bool) -> None:
    """What became of a file: a line for each path, and of one that is not in the prompt the cause and a hint."""
    if as_json:
        write_json(statuses)
    for status in statuses:
        if status.outcome == "missing":
            print_error(f"error: No such file: `{printer(status.path)}`")
            if status.similar:
                print_error(f"  tip: a similar path exists: `{printer.within(status.similar)}`", indented=True)
        elif as_json:
            continue
        elif status.cause:
            show_absence(status, printer, recipe)
        else:
            colour = OUTCOMES.get(status.outcome, "yellow")
            sentence = status.said
            if sentence.startswith(IN_PROMPT):
                sentence = f"in the prompt of {recipe}: {sentence.removeprefix(IN_PROMPT)}"
            print_wrapped(f"{printer(status.path)}: {style(printer.within(sentence), fg=colour)}")


def show_absence(status: PathStatus, printer: PathPrinter, recipe: str) -> None:
    """That a file is not in the prompt, why, and the lines of a file of settings that would have it read."""
    print_wrapped(f"{style(printer(status.path), bold=True)} is not in the prompt of {recipe}")
    cause = printer.within(status.cause.removesuffix("."))
    print_wrapped(f"cause: {cause[:1].upper() + cause[1:]}")
    if status.settings:
        show_settings(status.settings, printer.within(status.where), printer.within(status.rest))


def show_settings(lines: Sequence[str], where: str, rest: str) -> None:
    """`hint: In overture.toml, under [features.context]:`, and the lines to paste there."""
    keys = [line.partition(" = ")[0].rpartition(".") for line in lines]
    file, _, outer = where.rstrip("]").partition(", under [")
    tables = {".".join(filter(None, (outer, table))) for table, _, _ in keys}
    if file.endswith(".toml") and len(tables) == 1:
        where = f"{file}, under [{tables.pop()}]"
        lines = [line.removeprefix(f"{table}.") for line, (table, _, _) in zip(lines, keys, strict=True)]
    print_wrapped(dim(f"hint: {where[:1].upper()}{where[1:]}:"))
    for line in lines:
        print_line(dim(f"      {line}"))
    if rest:
        print_wrapped(dim(f"      {rest}"))
