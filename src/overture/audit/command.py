"""`overture audit` shows what every agent loads in each of many repositories, and writes what it found."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory

import click

from ..batch.job_folder import PARTS, WRITE_HINT, Job, OutputFolder, open_output, read_job, replace_output
from ..batch.row_files import convert_rows
from ..check.engine import check_codes
from ..check.findings import SEVERITIES
from ..errors import ConfigError, explain_write_errors, require_packages
from ..model.struct import encode_json
from ..terminal.job_options_and_rate import ENGINE, PROCESSES, RESUME
from ..terminal.options import AS_JSON
from ..terminal.output import print_error, print_line, write_json
from ..terminal.tables_of_structs import write_markdown
from ..text.normalize import find_surrogate
from ..text.words import count_noun
from ..web.tables_page import make_tables_page
from .audit_summary import AuditSummary, PageTables, SummaryBuilder, list_tables, show_audit_summary
from .find_repositories import find_repositories
from .repository_results import TABLES, RepositoryRow
from .run_audit import RESULTS, AuditRun, run_audit

MAX_PLOTS = 8


def write_results(
    folder: OutputFolder, run: AuditRun, rows: str | None, html: str | None, markdown: str | None,
    fail_on: Sequence[str],
) -> tuple[AuditSummary, bool]:  # fmt: skip
    """Writes every file that the command was asked for, and returns whether a finding has to fail the audit."""
    builder, page, failing = SummaryBuilder(run.previous), PageTables(list), False
    lines = folder.locate(f"{PARTS}/{RESULTS}")
    with replace_output(lines) as file:
        for place, stored in run.results:
            result = stored.read(place)
            file.write(encode_json(result) + b"\n")
            builder.add(result)
            if html:
                page.add(result)
            shown = [(each.severity, each.code) for each in result.findings if not each.ignored]
            failing |= any(word == severity or code.startswith(word) for severity, code in shown for word in fail_on)
    if rows:
        _write_rows(lines, rows, folder.locate(f"{PARTS}/draft"))
    summary = builder.finish(run.audited)
    folder.write("summary.json", encode_json(summary) + b"\n")
    tables, title = [*list_tables(summary)], f"Audit of {count_noun(summary.repositories, 'repository')}"
    agents = sorted(builder.tokens.items(), key=lambda each: -len(each[1]))[:MAX_PLOTS]
    plots = [(name, [*tokens.values()]) for name, tokens in agents]
    texts = {markdown: write_markdown(title, tables)} if markdown else {}
    texts |= {html: make_tables_page(title, page.order_tables(tables), plots)} if html else {}
    for path, text in texts.items():
        with replace_output(path) as file:
            file.write(text.encode("utf-8", "replace"))
    # The results are there last: a run that is killed before compares with the last audit once more.
    _copy(lines, folder.locate(RESULTS))
    return summary, failing


def _write_rows(lines: str, path: str, draft: str) -> None:
    """Make a file of lines: a row per repository with lists of rows, or a database with a table for each list."""
    if not path.lower().endswith(".jsonl"):
        with explain_write_errors(path, WRITE_HINT):
            with suppress(FileNotFoundError):
                os.unlink(draft)  # of a run that was killed
            convert_rows(lines, draft, RepositoryRow, TABLES, as_database=path.lower().endswith(".duckdb"))
        lines = draft
    _copy(lines, path)


def _copy(source: str, path: str) -> None:
    with open(source, "rb") as draft, replace_output(path) as file:  # noqa: PTH123
        shutil.copyfileobj(draft, file)


FILE_SUFFIXES = (".jsonl", ".parquet", ".duckdb")


@click.command("audit")
@click.argument("places", nargs=-1, metavar="PLACE…")
@click.option("--out", metavar="PATH", help="Write all rows: a .parquet, .jsonl or .duckdb file, or a folder.")
@click.option("--html", metavar="FILE", help="Also write a page for the browser.")
@click.option("--markdown", metavar="FILE", help="Also write a page for a wiki.")
@click.option("--fail-on", multiple=True, metavar="CODE",
              help="Exit 1 on findings of this check or severity (error, warning, info), and 2 where a repository "
                   "can't be read. Repeatable.")  # fmt: skip
@RESUME
@PROCESSES
@ENGINE
@AS_JSON
def command(
    places: tuple[str, ...], out: str | None, html: str | None, markdown: str | None, fail_on: tuple[str, ...],
    resume: bool, processes: int | None, engine: str, as_json: bool,
) -> int:  # fmt: skip
    """Audit many repositories: what each agent loads there, what is wrong, and what changed.

    PLACE is a checkout, a bare repository, a mirror, a tarball, a folder of any of these, the unpacked
    export of a GitHub organization, PATH@REVISION, or @FILE with a place per line (@- is standard input). A
    repository is read at its HEAD commit: changes that are not committed are not seen. A folder without git is read as
    it is. Nothing is checked out, unpacked or run, and no settings of a repository are trusted.

    The next audit with the same --out reads only the repositories that are at another commit, and shows what changed.
    Beside a file, a folder FILE.cache remembers them.

    \b
    overture audit ~/code --html page.html                all checkouts there
    overture audit @list.txt --out audit.parquet          a row per repository
    overture audit mirrors/ --out audit --fail-on secret  for CI
    """
    _check_paths(places, out, html, markdown)
    check_codes([word for word in fail_on if word not in SEVERITIES], "--fail-on")
    with _open_target(out, resume) as (path, file):
        repositories = find_repositories(places)
        if not repositories:
            raise ConfigError("No place to audit.", hint="overture audit FOLDER")
        job = Job("audit", {"places": [os.path.abspath(word) for word in places]})
        with open_output(path, job, resume=resume, rerun=True) as folder:
            if folder.job.finished:  # what --resume would go on with is done: it is another audit
                folder.note_job(job)
            try:
                run = run_audit(folder, repositories, processes, engine)
            except KeyboardInterrupt:
                hint = "finished repositories are kept; go on with the same command and --resume"
                print_error(f"note: Interrupted: {hint if out else 'nothing is kept without --out'}")
                return 130
            summary, failing = write_results(folder, run, file, html, markdown, fail_on)
            folder.finish()
    if as_json:
        write_json(summary)
    else:
        show_audit_summary(summary)
        written = {"rows": file, "page": html, "Markdown": markdown}
        if lines := [f"{name}: {path}" for name, path in written.items() if path]:
            print_line("\n" + "\n".join(lines))
    for each in summary.failed:
        print_error(f"warning: {each.repository}: {each.note}")
    if summary.unreadable == summary.repositories:
        print_error("error: No repository could be read")
        return 2
    return 2 if fail_on and summary.failed else int(failing)


def _check_paths(places: tuple[str, ...], *written: str | None) -> None:
    """Each of the files has a path of its own; an empty one is a variable that is not set."""
    if "" in (*places, *written):
        raise ConfigError("A path is empty.", hint="Pass a path, or omit the option.")
    if "-" in written:
        raise ConfigError("Standard output has the summary.", hint="Pass a file in place of `-`; ./- is one.")
    paths = [os.path.abspath(path) for path in written if path]
    if len({*paths}) < len(paths):
        raise ConfigError("--out, --html and --markdown need different files.")


@contextmanager
def _open_target(out: str | None, resume: bool) -> Iterator[tuple[str, str | None]]:
    """The working folder of the audit, which it remembers, and the file of rows if `--out` is one."""
    if out is None:
        if resume:
            raise ConfigError("--resume needs --out.", hint="Only what is written can be resumed.")
        with TemporaryDirectory(prefix="overture-audit-") as folder:
            yield folder, None
        return
    suffix = os.path.splitext(out)[1].lower()
    if suffix not in FILE_SUFFIXES and suffix[1:].isalpha() and not os.path.isdir(out):
        hint = f"Pass {', '.join(FILE_SUFFIXES)}; a folder of that name ends with a slash."
        raise ConfigError(f"--out {out!r}: {suffix} is not a known form.", hint=hint)
    if suffix not in FILE_SUFFIXES or os.path.isdir(out):
        yield os.path.abspath(out), None
        return
    if suffix != ".jsonl":
        require_packages(f"A {suffix} file", "batch", "duckdb")
        if find_surrogate(out) is not None:
            raise ConfigError(f"--out {out!r}: DuckDB writes to paths in UTF-8 alone.", hint="Use another name.")
    memory = f"{os.path.abspath(out)}.cache"
    if os.path.lexists(out) and read_job(memory) is None:
        raise ConfigError(f"{out!r} exists, and is not of an audit.", hint="Use another name, or delete it.")
    yield memory, out
