"""What a person sees of a prompt on the page, and what the command line says it is."""

from pathlib import Path

from playwright.sync_api import Locator, Page

from ..cli.run import run
from .conftest import Served


def built(served: Served, recipe: str = "opal", *options: str | Path) -> str:
    """The prompt as `overture build` prints it, to the byte."""
    where = ("--cwd", served.cwd, "--root", served.root, "--home", served.root / "home")
    done = run("build", recipe, *where, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def texts(page: Page) -> list[str]:
    """The text of each section on the page, as it stands there."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('.prompt-text section')].map(section =>"
        " [...section.querySelectorAll('.run')].map(run => run.textContent).join(''))"
    )
    return found


def is_whole(page: Page, text: str) -> bool:
    """Whether the sections, one after the other, are all of a text; between them it has only line breaks."""
    for section in texts(page):
        text = text.lstrip("\n")
        if not text.startswith(section):
            return False
        text = text[len(section) :]
    return not text.strip("\n")


def section(page: Page, name: str) -> Locator:
    """A section of the prompt by its name."""
    return page.get_by_role("region", name=name, exact=True)


def told(page: Page) -> Locator:
    """What stands beside the prompt: where the text comes from."""
    return page.get_by_role("complementary", name="Where the text comes from")
