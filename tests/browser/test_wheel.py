"""The wheel has the page: one script and one style, and nothing of a checkout is needed."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from overture.web.make_bundle import NAMES, make_bundle
from tests.contract.browser.conftest import Open, Served, harbor
from tests.contract.browser.seen import section

pytestmark = pytest.mark.slow


ROOT = Path(__file__).parents[2]
SOURCES = ("src", "hatch_build.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE")


def build(source: Path, kind: str, to: Path) -> Path:
    """Build as `pip install` does, of a folder that nobody else uses."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(to)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(path for path in to.iterdir() if path.suffix in (".whl", ".gz"))


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of a wheel that was built from the source distribution."""
    folder = tmp_path_factory.mktemp("wheel")
    clone = folder / "clone"
    clone.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, clone / name)
    with tarfile.open(build(clone, "sdist", folder / "sdist")) as source:
        source.extractall(folder / "source", filter="data")
    (source_folder,) = (folder / "source").iterdir()
    with zipfile.ZipFile(build(source_folder, "wheel", folder / "built")) as wheel:
        wheel.extractall(folder / "packages")
    return folder / "packages"


@pytest.fixture
def installed(unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """The example project, served by what the wheel holds."""
    root = harbor(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(unpacked))
    found = Served(root, cwd=root / "services" / "berths")
    yield found
    found.end()


def test_a_wheel_from_the_source_distribution_has_the_bundle(unpacked: Path) -> None:
    """The two files are those that the modules of the tree make."""
    made = make_bundle(ROOT / "src" / "overture" / "web" / "static")
    assert [(unpacked / "overture" / "web" / "bundle" / name).read_text("utf-8") for name in NAMES] == [*made]


def test_the_page_of_a_wheel_works(installed: Served, unpacked: Path, look: Open) -> None:
    """It is served from the wheel alone, shows the prompt, and answers."""
    code = "import overture; print(overture.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", code], cwd=unpacked.parent, env={**os.environ}, capture_output=True, text=True
    )
    assert where.stdout.startswith(str(unpacked))
    page = look(installed)
    expect(section(page, "identity")).to_be_visible()
    page.keyboard.press("2")
    expect(page.get_by_text("1 prompt since the page was opened")).to_be_visible()
    page.goto("about:blank")
