"""`overture audit` shows what every agent loads in each of many repositories."""

import os

import click

from ..check.run_rules import SEVERITIES, check_codes
from ..discover.revisions.find_repositories import find_repositories
from ..errors import ConfigError
from ..jobs.output_folder import JOB_FILE, Job, open_output
from ..jobs.run_chunks import check_processes
from ..terminal.options import AS_JSON
from ..terminal.output import print_error, print_line, write_json
from .run_audit import PARTS, RESULTS, run_audit
from .show_summary import show_summary
from .write_results import SUMMARY, AuditOutput, write_results
from .write_tables import FORMATS, check_packages


@click.command("audit")
@click.argument("places", nargs=-1, metavar="PLACE…")
@click.option(
    "--from", "lists", multiple=True, metavar="FILE", help="A list with a place per line; - is standard input."
)
@click.option("--out", required=True, metavar="DIR", help="The folder to write to. The next audit compares with it.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="jsonl", show_default=True,
              help="Of the tables; parquet and duckdb need overture[batch].")  # fmt: skip
@click.option("--html", metavar="NAME", help="Also write a page for the browser, as DIR/NAME.")
@click.option("--markdown", metavar="NAME", help="Also write a page for a wiki, as DIR/NAME.")
@click.option("--fail-on", multiple=True, metavar="CODE",
              help="Exit 1 on findings of this check or severity (error, warning, info). Repeatable.")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on with an audit that was interrupted.")
@click.option("--processes", type=int, metavar="N", help="Processes that read. Default: one per core.")
@click.option("--engine", type=click.Choice(("ray",)), help="Read as tasks of Ray instead.")
@AS_JSON
def command(
    places: tuple[str, ...], lists: tuple[str, ...], out: str, form: str, html: str | None, markdown: str | None,
    fail_on: tuple[str, ...], resume: bool, processes: int | None, engine: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Audit many repositories: what each agent loads there, what is wrong, and what changed.

    PLACE is a checkout, a bare repository, a mirror, a tarball, a folder of any of these, the unpacked
    export of a GitHub organization, PATH@REVISION, or @FILE with a place per line. A repository is read at its HEAD
    commit: changes that are not committed are not seen. A folder without git is read as it is. Nothing is checked
    out, unpacked or run, and no settings of a repository are trusted.

    Writes tables, summary.json and pages to DIR. The next audit with the same DIR reads only the repositories that
    are at another commit, and shows what changed.

    \b
    overture audit ~/code --out audit --html page.html    all checkouts there
    overture audit @list.txt --out audit --format parquet
    overture audit mirrors/ --out audit --fail-on secret  for CI
    """
    check_packages(form, engine)
    check_codes([word for word in fail_on if word not in SEVERITIES], "--fail-on")
    output = AuditOutput(form, _check_name("--html", html), _check_name("--markdown", markdown), fail_on)
    found = find_repositories(places, lists)
    if not found:
        raise ConfigError("No place to audit.", hint="overture audit FOLDER --out audit")
    facts = {"places": [os.path.abspath(word) for word in places], "lists": [*lists], "format": form}
    with open_output(os.path.abspath(out), Job("audit", facts), resume=resume, rerun=True) as folder:
        if resume and folder.job.finished:
            print_error(f"{out}: this audit has finished; run it without --resume to audit again")
            return 0
        try:
            run = run_audit(folder, found, 0 if engine else check_processes(processes))
        except KeyboardInterrupt:
            print_error("interrupted: finished repositories are kept; go on with the same command and --resume")
            return 130
        summary, failing = write_results(folder, run, output)
        folder.finish(PARTS)
    if as_json:
        write_json(summary)
    else:
        show_summary(summary)
        for page in filter(None, (output.html, output.markdown)):
            print_line(f"\npage: {os.path.join(out, page)}")
    for each in summary.failed:
        print_error(f"warning: {each.repository}: {each.note}")
    return 2 if len(summary.failed) == summary.repositories else int(failing)


def _check_name(option: str, name: str | None) -> str | None:
    """A page is beside the tables, and takes the place of none of them."""
    if name is not None and (os.path.basename(name) != name or name in (SUMMARY, RESULTS, JOB_FILE, PARTS)):
        hint = f"The page is written to --out, e.g. {option} page{'.html' if option == '--html' else '.md'}."
        raise ConfigError(f"{option} takes a new file name without a folder.", hint=hint)
    return name
