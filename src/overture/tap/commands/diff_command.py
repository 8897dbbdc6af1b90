"""`overture tap diff`: what differs between two."""

from collections.abc import Iterator

import click

from ...terminal.options import AS_JSON
from ...terminal.output import print_line, write_json
from ...text.words import count_noun
from ..judge.diff_calls import Differences
from ..recorded_call import UNHELD_WORDS
from .choose_store_and_calls import CWD, STORE, find_recorded_call, open_recorded_store


@click.command("diff")
@click.argument("before")
@click.argument("after")
@STORE
@CWD
@AS_JSON
def command(before: str, after: str, store: str | None, cwd: str | None, as_json: bool) -> int:
    """Show what differs between two calls.

    The first byte that differs and its section, then all tools and sections that differ. Bytes count the text of
    tools, system prompt and messages, in the order in which a cache reads them, without the JSON around them.

    \b
    overture tap diff 3f 9a              from one to the other
    """
    from ...model.struct import as_json as data_of
    from ..judge.diff_calls import find_differences

    with open_recorded_store(store, cwd) as open_store:
        diff = find_differences(*(find_recorded_call(open_store, id).read_call() for id in (before, after)))
    if as_json:
        write_json(data_of(diff))
    else:
        for line in make_change_lines(diff):
            print_line(line)
    return 0


def make_change_lines(diff: Differences) -> Iterator[str]:
    """The differences between two calls as text, for a terminal."""
    first = diff.first
    if first.has_same_prefix:
        yield "Everything sent before is sent again" + (", with more after it." if first.added else ".")
    else:
        where = f" at byte {first.byte:,}, in {first.section}" if first.byte is not None and first.section else ""
        yield f"First difference{where}: {first.cause}."
        if first.before or first.after:
            yield f"  - {first.before!r}" if first.before else "  - (nothing)"
            yield f"  + {first.after!r}" if first.after else "  + (nothing)"
    for title, rows in (("tools", diff.tools), ("sections", diff.sections)):
        if rows:
            yield f"{title}: {_join_changes(rows)}"
    if diff.before or diff.after:
        same = count_noun(diff.same, "unchanged part")
        yield f"messages: {same}, then {diff.before} before and {diff.after} after"
    if unknown := [UNHELD_WORDS[each] for each in diff.unknown if each != "mark"]:
        yield f"not compared, because a log does not contain it: {', '.join(unknown)}; byte offsets ignore it"


def _join_changes(rows: dict[str, str]) -> str:
    """The names that `overture tap diff` lists as added, removed and rewritten, in one line."""
    named = {how: [name for name, each in rows.items() if each == how] for how in ("added", "removed", "rewritten")}
    return "; ".join(f"{how} {', '.join(names)}" for how, names in named.items() if names)
