"""`overture audit` shows what every agent loads in each of many repositories, and what is wrong there."""

import os
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from tempfile import TemporaryDirectory

import click

from ..batch.job_folder import replace_output
from ..check.engine import check_codes
from ..errors import ConfigError, require_packages
from ..model.struct import encode_json
from ..terminal.job_options_and_rate import ENGINE, PROCESSES, RESUME
from ..terminal.options import AS_JSON
from ..terminal.output import print_error, print_line, write_json
from ..terminal.tables_of_structs import Cell, DataTable, make_cell
from ..text.words import count_noun
from ..web.tables_page import make_tables_page
from .repositories import find_repositories
from .rows import COLUMNS
from .run import open_results, run_audit
from .summary import SummaryBuilder, list_tables, show_summary

SUFFIXES = (".jsonl", ".parquet", ".duckdb")
SEVERITIES = ("error", "warning", "note")
VERDICTS = ("never-arrives", "truncated", "loaded-twice", "agents-disagree")
MAX_PLOTS = 8


@click.command("audit")
@click.argument("places", nargs=-1, required=True, metavar="PLACE…")
@click.option("--out", metavar="FILE", help="Write all rows: a .parquet, .jsonl or .duckdb file.")
@click.option("--html", metavar="FILE", help="Write a page for the browser.")
@click.option("--fail-on", multiple=True, metavar="CODE",
              help="Exit 1 on findings of this code or severity (error, warning, note), and 2 where a repository "
                   "could not be looked at whole. Repeatable.")  # fmt: skip
@RESUME
@PROCESSES
@ENGINE
@AS_JSON
def command(
    places: tuple[str, ...], out: str | None, html: str | None, fail_on: tuple[str, ...], resume: bool,
    processes: int | None, engine: str, as_json: bool,
) -> int:  # fmt: skip
    """Audit many repositories: what each agent loads there, and what is wrong.

    PLACE is a checkout, a bare repository or mirror, or a folder of these. A repository is read at its HEAD commit:
    changes that are not committed are not seen. Nothing is checked out or run, and no settings of a repository are
    trusted.

    With --resume, what is known of a commit is not read again, after an interruption or a week later: FILE.cache
    beside --out has it.

    \b
    overture audit ~/code --html page.html                all checkouts there
    overture audit ~/code --out audit.parquet --resume    a row for each agent, start and file
    overture audit mirrors/ --fail-on secret              for CI
    """
    _check_options(places, out, html, fail_on, resume=resume)
    builder, findings, failing = SummaryBuilder(), list[list[Cell]](), False
    with TemporaryDirectory(prefix="overture-audit-") as folder, ExitStack() as stack:
        cache = f"{out}.cache" if out else f"{folder}/cache"
        results = stack.enter_context(open_results(cache, resume=resume))
        try:
            stored, read = run_audit(results, find_repositories(places), processes, engine)
        except KeyboardInterrupt:
            hint = "finished repositories are kept; go on with the same command and --resume"
            print_error(f"note: Interrupted: {hint if out else 'nothing is kept without --out'}")
            return 130
        lines = {table: stack.enter_context(open(f"{folder}/{table}", "w+b")) for table in COLUMNS}  # noqa: PTH123
        kept = stack.enter_context(replace_output(cache))
        for place, line in stored.items():
            result = results.read(place, line)
            kept.write(encode_json(result) + b"\n")
            builder.add(result)
            for table, file in lines.items():
                file.writelines(encode_json(row) + b"\n" for row in result.list_rows(table))
            shown = [each for each in result.findings if each.severity != "note"]
            findings += [[result.repository, *(make_cell(getattr(f, c)) for c in COLUMNS["findings"])] for f in shown]
            failing |= any(word == f.severity or f.code.startswith(word) for f in result.findings for word in fail_on)
        if out:
            for file in lines.values():
                file.flush()
            _write_rows({table: file.name for table, file in lines.items()}, out)
    summary = builder.finish(read)
    if html:
        heads = "repository", *COLUMNS["findings"]
        tables = [*list_tables(summary), DataTable("findings", "Findings", heads, findings)]
        plots = sorted(((name, [*by.values()]) for name, by in builder.tokens.items()), key=lambda each: -len(each[1]))
        title = f"Audit of {count_noun(summary.repositories, 'repository')}"
        with replace_output(html) as page:
            page.write(make_tables_page(title, tables, plots[:MAX_PLOTS]).encode("utf-8", "replace"))
    if as_json:
        write_json(summary)
    else:
        show_summary(summary)
        if written := [f"{what}: {path}" for what, path in (("rows", out), ("page", html)) if path]:
            print_line("\n" + "\n".join(written))
    for each in summary.failed:
        print_error(f"warning: {each.repository}: {each.problem}")
    if summary.unreadable == summary.repositories:
        print_error("error: No repository could be read")
        return 2
    return 2 if fail_on and summary.failed else int(failing)


def _check_options(
    places: tuple[str, ...], out: str | None, html: str | None, fail_on: tuple[str, ...], *, resume: bool
) -> None:
    """Refuse what can't work before any work."""
    if "" in (*places, out, html):
        raise ConfigError("A path is empty.", hint="Pass a path, or omit the option.")
    if resume and not out:
        raise ConfigError("--resume needs --out.", hint="Only what is written can be resumed.")
    others = (*SEVERITIES, *VERDICTS)
    check_codes([word for word in fail_on if not any(word and code.startswith(word) for code in others)], "--fail-on")
    suffix = os.path.splitext(out or ".jsonl")[1].lower() or out
    if out and suffix not in SUFFIXES:
        raise ConfigError(f"--out {out!r} is not of a known form.", hint=f"Pass a {', '.join(SUFFIXES)} file.")
    if out and suffix != ".jsonl":
        require_packages(f"A {suffix} file", "batch", "duckdb")


def _write_rows(lines: Mapping[str, str], out: str) -> None:
    """Files of lines -> a database, or a file for each table: `out` has the uses."""
    stem, suffix = os.path.splitext(out)
    sources = lines if suffix.lower() == ".jsonl" else _convert(lines, suffix.lower())
    for table, path in sources.items():
        target = out if table == "uses" else f"{stem}.{table}{suffix}"
        with open(path, "rb") as source, replace_output(target) as file:  # noqa: PTH123
            shutil.copyfileobj(source, file)


def _convert(lines: Mapping[str, str], suffix: str) -> dict[str, str]:
    """The same as files of Parquet, or all as one database."""
    import duckdb

    numbers, lists = ("tokens", "last_line", "lines", "times", "line"), ("agents", "submodules")
    made = {table: f"{path}{suffix}" for table, path in lines.items()}
    with duckdb.connect(made["uses"] if suffix == ".duckdb" else ":memory:") as connection:
        for table, path in lines.items():
            columns = {
                name: "bigint" if name in numbers else "varchar[]" if name in lists else "varchar"
                for name in ("repository", "commit", *COLUMNS[table])
            }
            connection.execute(
                f"create table {table} as from read_json('{path}', format='newline_delimited', {columns=})"
            )
            if suffix == ".parquet":
                connection.execute(f"copy {table} to '{made[table]}' (format parquet)")
    return made if suffix == ".parquet" else {"uses": made["uses"]}
