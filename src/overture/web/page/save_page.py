"""`overture serve --save`: the page for one prompt, as a single file to attach to an issue or a CI run."""

import sys

from ...discover.disk.paths import contains_path
from ...errors import ConfigError
from ...project.resolve import find_top_folder
from ...terminal.gather_state import gather_state, models_for
from ...terminal.options import CommandOptions
from ...terminal.output import print_diagnostics, print_hint, write, write_text
from ...terminal.progress import report_step
from .saved_page import ReportSubject, report_page

STDOUT = "-"


def save_page(options: CommandOptions, output: str, with_files: bool) -> None:
    """Write the page into a file, or to standard output where that is no terminal."""
    if output == STDOUT and sys.stdout.isatty():
        raise ConfigError("A page is too long for a terminal. Name a file: --save page.html.")
    gathered = gather_state(options)
    prompt = gathered.build()
    report_step("looking at what agents read, and checking")
    subject = ReportSubject(prompt, gathered.found, gathered.project, models_for(gathered.options), with_files)
    page = report_page(subject)
    if output == STDOUT:
        write(page)
        return
    private = private_text(subject)
    write_text(output, page, mode=0o600 if private else None)
    print_diagnostics(prompt.diagnostics)
    alone = f"; only you can read it, since it holds {private}" if private else ""
    print_hint(f"{output}: {len(page.encode()):,} bytes; open it in a browser{alone}")


def private_text(subject: ReportSubject) -> str:
    """What in the prompt is of the user's own, and not the project's; empty where nothing is."""
    state = subject.prompt.state
    if state.memories:
        return "memories"
    if state.user is not None:
        return "who the user is"
    top = find_top_folder(subject.project) if subject.project else "/"
    paths = (span.source.path for span in subject.prompt.spans if span.source.kind == "file")
    return next((path for path in paths if path and not contains_path(top, path)), "")
