"""What was found for a call comes from disk, byte for byte, and only while the call and the files are the very same."""

import os
from pathlib import Path

import msgspec
import pytest

from overture.tap.attribute import attribute_call
from overture.tap.attribute.agent_sources import find_sources
from overture.tap.attribute.attribute_call import find_call_files
from overture.tap.attribute.attribute_text import attribute_texts
from overture.tap.attribute.saved_index import make_index_path
from overture.tap.recorded_call import RecordedCall
from tests.tap.test_work_of_calls import count_calls

from .places import PAGE, call_of

pytestmark = pytest.mark.slow


TIDES = "The tide tables are made in spring, and printed in the first week of June.\n"
CALL = call_of(f"You are Ada.\n{PAGE}", f"{TIDES}Some words of a user.", "in short")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, a home, and an empty cache folder; however little there is to compare, it is kept."""
    monkeypatch.setenv("OVERTURE_CACHE", "on")
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setattr(attribute_call, "MIN_WORK", 0)
    for path, text in {"AGENTS.md": PAGE, "docs/tides.md": TIDES, "docs/other.md": "Nothing of it is sent.\n"}.items():
        write(tmp_path / "p" / path, text)
    return tmp_path


def write(path: Path, text: str) -> None:
    """Write a file that was last changed a while ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (path.stat().st_mtime - 10,) * 2)


def look(folder: Path, call: RecordedCall = CALL, *, cached: bool = True) -> tuple[bytes, int]:
    """The files behind a call as JSON, and how often texts were compared for that."""
    found: list[bytes] = []

    def work() -> None:
        sources = find_sources("codex", cwd=folder / "p", home=folder / "home", cached=cached)
        found.append(msgspec.json.encode(find_call_files(call, sources)))

    count = count_calls(work, attribute_texts).get("attribute_texts", 0)
    return found[0], count


def look_and_compare(folder: Path, call: RecordedCall = CALL) -> int:
    """How often texts were compared; what is found is what is found without a cache."""
    found, count = look(folder, call)
    assert found == look(folder, call, cached=False)[0]
    return count


def test_a_call_is_compared_once(folder: Path) -> None:
    """A second look at the same call compares nothing, and finds the same; another call is compared."""
    assert [look_and_compare(folder) for _ in range(3)] == [1, 0, 0]
    assert look_and_compare(folder, call_of(f"You are Bob.\n{PAGE}")) == 1


@pytest.mark.parametrize("change", ["edit", "add", "remove", "rename"])
def test_other_files_are_compared_anew(folder: Path, change: str) -> None:
    """A file that is edited, added, removed or renamed may be behind the call, or may have been."""
    look(folder)
    docs = folder / "p" / "docs"
    if change == "edit":
        write(docs / "tides.md", TIDES.replace("spring", "autumn"))
    elif change == "add":
        write(docs / "more.md", TIDES)
    elif change == "remove":
        (docs / "tides.md").unlink()
    else:
        (docs / "tides.md").rename(docs / "waters.md")
    assert [look_and_compare(folder) for _ in range(2)] == [1, 0]


def test_what_was_known_of_the_files_is_gone(folder: Path) -> None:
    """The files of the spans are read again: what is said of them needs their lines."""
    look(folder)
    Path(make_index_path(os.environ, str(folder / "home"), str(folder / "p"))).write_bytes(b"broken")
    assert look_and_compare(folder) == 0


def test_nobody_reads_what_is_kept_without_the_call(folder: Path) -> None:
    """The names of files that a call sent are not in the file."""
    look(folder)
    kept = folder / "home" / "overture" / "tap" / "spans"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert b"tides" not in kept.read_bytes()


def test_without_a_cache_nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the user switched the cache off, each look compares."""
    monkeypatch.setenv("OVERTURE_CACHE", "off")
    assert [look_and_compare(folder) for _ in range(2)] == [1, 1]
    assert not (folder / "home" / "overture" / "tap" / "spans").exists()


def test_little_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To compare a short text with a few files takes no longer than to look it up."""
    monkeypatch.setattr(attribute_call, "MIN_WORK", 100_000)
    assert [look_and_compare(folder) for _ in range(2)] == [1, 1]
