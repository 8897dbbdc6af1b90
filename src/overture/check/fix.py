"""Applies the fixes of findings, shows them as a diff, and writes them into files of the project."""

import os
from collections.abc import Iterable, Mapping

from ..discovery.write_file import write_file
from ..terminal.confirm_changes import confirm_writing, diff_texts, find_conflict, style_diff_line
from ..terminal.options import CommandOptions, make_path_printer
from ..terminal.output import count_noun, print_error, print_hint, print_line, print_wrapped
from ..text.path_printer import is_inside, make_root_printer
from .engine import CheckResult
from .findings import Finding, TextEdit
from .input import CheckInput


def apply_fixes(findings: Iterable[Finding], texts: Mapping[str, str]) -> dict[str, str]:
    """The new text of each file that a fix changes. Of two edits that overlap, the first counts."""
    edits: dict[str, list[TextEdit]] = {}
    for finding in findings:
        if finding.edits and finding.path is not None and finding.path in texts:
            edits.setdefault(finding.path, []).extend(finding.edits)
    new = {path: apply_text_edits(texts[path], page_edits) for path, page_edits in edits.items()}
    return {path: text for path, text in new.items() if text != texts[path]}


def apply_text_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """A text with its edits."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if at <= edit.start <= edit.end <= len(text):
            pieces += text[at : edit.start], edit.text
            at = edit.end
    return "".join([*pieces, text[at:]])


def find_fix_refusal(path: str, root: str, old: str) -> str | None:
    """Why a file is not fixed; None if it may be written."""
    if not is_inside(path, root):
        return "it is outside the project"
    if os.path.realpath(path) != os.path.join(os.path.realpath(root), os.path.relpath(path, root)):
        return "it is a symlink"
    return find_conflict(path, old)


def write_fixed_files(new: Mapping[str, str], texts: Mapping[str, str], root: str) -> dict[str, str]:
    """Write the files of a project, each in one go; why some could not be written, such as a change since the diff."""
    failed = {}
    for path, text in new.items():
        if (why := find_fix_refusal(path, root, texts[path])) is not None:
            failed[path] = why
            continue
        try:
            write_file(path, text.encode("utf-8"), within=root)
        except OSError as problem:
            failed[path] = (problem.strerror or str(problem)).lower()
    return failed


def fix_findings(inputs: CheckInput, checked: CheckResult, yes: bool, *, quiet: bool) -> bool:
    """Show the diff, ask, and write. Whether anything was written. `quiet`: standard output is for a program."""
    texts = {page.path: page.text for page in (*inputs.pages, *inputs.settings)}
    new = apply_fixes(checked.findings, texts)
    for path in list(new):
        why = find_fix_refusal(path, inputs.root, texts[path])
        if why is not None:
            print_error(f"warning: {make_path_printer(CommandOptions())(path)}: not fixed: {why}")
            del new[path]
    if not new:
        print_hint("No safe fixes here.")
        return False
    _show_diff(inputs, texts, new, quiet)
    if not (yes or confirm_writing([make_root_printer(inputs.root)(path) for path in sorted(new)])):
        return False
    failed = write_fixed_files(new, texts, inputs.root)
    for path, why in failed.items():
        print_error(f"error: Can't fix {make_path_printer(CommandOptions())(path)}: {why}")
    if not quiet:
        print_wrapped(f"Fixed {count_noun(len(new) - len(failed), 'file')}.")
        print_line()
    return True


def _show_diff(inputs: CheckInput, texts: dict[str, str], new: dict[str, str], quiet: bool) -> None:
    printer = make_root_printer(inputs.root)
    for path in sorted(new):
        for line in diff_texts(printer.relative(path), texts[path], new[path]):
            if quiet:
                print_error(line)
            else:
                print_line(style_diff_line(line))
