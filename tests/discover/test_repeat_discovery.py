import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

import overture
from overture import Discovery
from overture.discover.disk.real_world import RealWorld
from overture.discover.stored.recorded_questions import record_into
from overture.project.repeat_discovery import AnswerRecord
from tests.contract.discover.disk import find, link, put, put_skill
from tests.contract.discover.test_since import age


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose files were written some time ago."""
    monkeypatch.delenv("OVERTURE_FEATURES__SKILLS__ENABLED", raising=False)
    put(tmp_path / "p/AGENTS.md", "Moor at quay 4.\n")
    put(tmp_path / "p/shared/rules.md", "Ropes first.\n")
    link(tmp_path / "p/d/AGENTS.md", "../shared/rules.md")
    for name in ("one", "two"):
        put_skill(tmp_path / f"home/.agents/skills/{name}")
    put(tmp_path / "p/overture.toml", "[features.skills]\nenabled = true\n")
    for path in tmp_path.rglob("*"):
        if path.is_file():
            age(path)
    return tmp_path


def look(top: Path, since: Discovery | None = None) -> Discovery:
    """What pi finds in the lower folder."""
    return find(top, "pi", "p/d", since=since)


def write_same_size(path: Path, text: str) -> None:
    """Another text of as many bytes, with the time of the old one."""
    before = path.stat()
    assert len(text) == before.st_size
    path.write_text(text)
    os.utime(path, ns=(before.st_mtime_ns, before.st_mtime_ns))


def turn_link(path: Path, target: str) -> None:
    """Lead a link elsewhere."""
    path.unlink()
    path.symlink_to(target)


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda top: put(top / "p/AGENTS.md", "Moor at quay 5, and wait.\n"),
    "content of the same size and time": lambda top: write_same_size(top / "p/AGENTS.md", "Moor at quay 5.\n"),
    "content behind a link": lambda top: put(top / "p/shared/rules.md", "Anchors first.\n"),
    "link": lambda top: turn_link(top / "p/d/AGENTS.md", "../AGENTS.md"),
    "new skill": lambda top: put_skill(top / "home/.agents/skills/three"),
    "skill gone": lambda top: (top / "home/.agents/skills/two/SKILL.md").unlink(),
    "folder of a skill renamed": lambda top: (top / "home/.agents/skills/two").rename(
        top / "home/.agents/skills/other"
    ),
    "no longer absent": lambda top: put(top / "p/.sf/SYSTEM.md", "Be brief.\n"),
    "settings": lambda top: put(top / "p/overture.toml", "[features.skills]\nenabled = false\n"),
    "variable": lambda top: os.environ.update(OVERTURE_FEATURES__SKILLS__ENABLED="false"),
    "a repository": lambda top: (top / "p/d/.git").mkdir(),
}


def test_nothing_changed_is_the_same_discovery(top: Path) -> None:
    """All that was found is the very same object again, and neither a file nor an old folder is read for it."""
    first = look(top)
    second = look(top, first)
    assert second.looked_at is first.looked_at and second.cached_files is first.cached_files
    assert second.state.replace(now=None).to_dict() == look(top).state.replace(now=None).to_dict()


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen(top: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each of them the result is that of a fresh discovery, and another than before."""
    first = look(top)
    monkeypatch.setenv("OVERTURE_FEATURES__SKILLS__ENABLED", "")
    monkeypatch.delenv("OVERTURE_FEATURES__SKILLS__ENABLED")
    CHANGES[change](top)
    second, fresh = look(top, first), look(top)
    assert second.looked_at is not first.looked_at
    assert second.looked_at == fresh.looked_at
    assert second.diagnostics == fresh.diagnostics
    assert second.state.replace(now=None).to_dict() == fresh.state.replace(now=None).to_dict()


def test_a_file_of_this_moment_is_read_again(top: Path) -> None:
    """Beside a file that was just written no discovery is taken over: it may change without another stamp."""
    put(top / "p/AGENTS.md", "Moor at quay 5.\n")
    first = look(top)
    write_same_size(top / "p/AGENTS.md", "Moor at quay 6.\n")
    assert look(top, first).state.context_files[0].content == "Moor at quay 6."


def test_another_call_is_another_discovery(top: Path) -> None:
    """Another recipe, folder or kind of agent is looked for anew."""
    first = look(top)
    assert find(top, "pi", "p", since=first).looked_at == find(top, "pi", "p").looked_at != first.looked_at
    assert find(top, "nova", "p/d", since=first).looked_at == find(top, "nova", "p/d").looked_at
    sub = find(top, "pi", "p/d", since=first, subagent=True)
    assert sub.looked_at is not first.looked_at


def test_an_equal_recipe_is_another(top: Path) -> None:
    """A recipe is the same where it is the same object: functions in it can't be compared."""
    recipe = overture.load_recipe("pi")
    first = find(top, recipe, "p/d")
    assert find(top, recipe, "p/d", since=first).looked_at is first.looked_at
    assert find(top, structs.replace(recipe), "p/d", since=first).looked_at is not first.looked_at


def test_threads_do_not_share_a_record(top: Path) -> None:
    """What another thread asks meanwhile is not in the record of this one."""
    record = AnswerRecord()

    def ask() -> None:
        RealWorld().real(str(top / "p/AGENTS.md"))

    with record_into(record):
        other = threading.Thread(target=ask)
        other.start()
        other.join()
        assert not record.questions
        ask()
    assert [question[0] for question in record.questions] == ["real"]
