"""A real browser, a real server, and a copy of the example project to edit."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

HARBOR = Path(__file__).parents[2] / "examples" / "harbor"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
Open = Callable[..., Page]

expect.set_options(timeout=15_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, as the system has it."""
    if CHROMIUM is None:
        pytest.skip("There is no Chromium here to look at the page with: `make browser` installs it.")
    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield found
        found.close()


class Served:
    """A server on a project of its own."""

    def __init__(self, root: Path, *options: str, recipe: str = "opal", cwd: Path | None = None) -> None:
        self.root, self.cwd = root, cwd or root
        command = [sys.executable, "-m", "overture", "serve", recipe, "--port", "0", "--cwd", str(self.cwd)]
        command += ["--root", str(root), "--home", str(root / "home"), *options]
        plain = {**os.environ, "NO_COLOR": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=plain, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            _, said = self.process.communicate()
            raise AssertionError(said)

    def end(self) -> None:
        """Ask it to end, and wait."""
        self.process.terminate()
        self.process.communicate(timeout=20)


def harbor(folder: Path) -> Path:
    """A copy of the example project, a repository of its own, to edit."""
    root = folder / "harbor"
    shutil.copytree(HARBOR, root)
    (root / ".git").mkdir()
    return root


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The example project, for tests that only look."""
    root = harbor(tmp_path_factory.mktemp("served"))
    found = Served(root, cwd=root / "services" / "berths")
    yield found
    found.end()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Served]:
    """The same, for a test that edits files."""
    root = harbor(tmp_path)
    found = Served(root, cwd=root / "services" / "berths")
    yield found
    found.end()


@pytest.fixture
def look(browser: Browser) -> Iterator[Open]:
    """Open an address in a window of its own: `look(served, "#/map", width=400, theme="dark")`.

    Whatever the page complains about in its console fails the test.
    """
    pages: list[tuple[Page, list[str]]] = []

    def open_page(
        served: Served | str,
        place: str = "",
        *,
        width: int = 1280,
        height: int = 860,
        theme: Literal["light", "dark"] = "light",
    ) -> Page:
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
        said: list[str] = []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        pages.append((page, said))
        page.goto((served if isinstance(served, str) else served.address) + place)
        return page

    yield open_page
    for page, said in pages:
        page.close()
        assert said == []
