"""`--fix`: what would be mended is shown as a diff, somebody agrees, and it is written."""

import sys

import click

from ..terminal.terminal import aside, complain, counted, say, style, tell, visible
from ..text.paths import shown_path
from .fix import diff, mended
from .fix_files import refusal, write_mended
from .ground import Ground
from .run import Checked

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def mend(ground: Ground, checked: Checked, yes: bool, *, quiet: bool) -> bool:
    """Show the diff, ask, and write. Whether anything was written. `quiet`: standard output is for a program."""
    texts = {page.path: page.text for page in ground.pages}
    new = mended(checked.findings, texts)
    for path in list(new):
        why = refusal(path, ground.root, texts[path])
        if why is not None:
            complain(f"warning: {path}: not mended: {why}")
            del new[path]
    if not new:
        aside("Nothing here has a safe mend.")
        return False
    _show(ground, texts, new, quiet)
    if not (yes or _agreed(len(new))):
        return False
    failed = write_mended(new, ground.root)
    for path, why in failed.items():
        complain(f"error: {path}: not mended: {why}")
    if not quiet:
        tell(f"Mended {counted(len(new) - len(failed), 'file')}.")
        say()
    return True


def _show(ground: Ground, texts: dict[str, str], new: dict[str, str], quiet: bool) -> None:
    for path in sorted(new):
        for line in diff(shown_path(path, ground.root), texts[path], new[path]):
            if quiet:
                complain(line)
            else:
                say(style(visible(line), fg=COLOURS.get(line[:1])))


def _agreed(files: int) -> bool:
    """Whoever sits at a terminal is asked; nobody else agreed to anything."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        complain("Nothing was written: give --yes with --fix to write what the diff shows.")
        return False
    return click.confirm(f"Write {'this file' if files == 1 else f'these {files} files'}?", default=False, err=True)
