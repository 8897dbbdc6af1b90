"""A tokenizer that is installed counts everywhere; where none is, the estimate does, everywhere too."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import overture
from overture.errors import SessionError
from overture.model.prompt.prompt import Prompt
from overture.report.stats_and_cut_notes import stats
from overture.testing import make_state
from overture.tokens.counter import estimate
from tests.contract.cli.run import run

SKILLS = [
    {"name": f"s{n}", "location": f"/s/{n}/SKILL.md", "description": f"Moors ship {n} at quay {n}. " * 6}
    for n in range(9)
]
STATE = make_state(
    context_files=[{"path": "/p/AGENTS.md", "content": "Ein Satz über Krähen. 鳥が飛ぶ。\n" * 20}],
    skills=SKILLS,
    tools=[{"name": "use_skill"}],
    session={"id": "night"},
)
BEST = overture.counter()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with instructions on which the estimate and o200k differ."""
    (tmp_path / "AGENTS.md").write_text("Ein Satz über Krähen. 鳥が飛ぶ。\n" * 20, encoding="utf-8")
    return tmp_path


def exactly(prompt: Prompt) -> bool:
    """Whether a prompt's tokens are those of the tokenizer that is installed, and not the estimate's."""
    return BEST.exact and prompt.tokens == BEST(prompt.text) != estimate(prompt.text) and prompt.counter is BEST


def test_build_counts_with_the_tokenizer_that_is_installed(project: Path) -> None:
    """`prompt.tokens` is what `stats` says, for a project, for a state, for a change, and within a budget."""
    prompt = overture.build("house", cwd=project, home=project, root=project)
    assert exactly(prompt)
    assert prompt.to_dict()["tokens"] == {"total": prompt.tokens, "tokenizer": BEST.name, "exact": True}
    first = overture.build("opal", STATE)
    second = overture.build("opal", STATE.replace(skills=STATE.skills[:3]), since=first)
    assert exactly(first) and exactly(second)
    assert stats(first).tokens == first.tokens
    small = overture.fit(first, 600)
    assert exactly(small) and small.tokens <= 600


def test_a_session_counts_with_the_tokenizer_that_is_installed() -> None:
    """The prompt, its record and the budget of a session have one count, and it is that of `build`."""
    live = overture.Session("opal", state=STATE, budget=600)
    turn = live.turn("Go")
    assert exactly(turn.prompt) and turn.prompt.cuts and turn.prompt.tokens <= 600
    assert turn.entry.tokens == turn.entry.to_dict()["tokens"] == turn.prompt.tokens
    free = overture.Session("opal", state=STATE)
    assert exactly(free.prompt) and free.turn("Go").entry.counter is BEST


def test_the_commands_have_one_count(project: Path) -> None:
    """`build`, `context` and `explain` say the same number for the same text."""
    where = ("house", "--cwd", str(project), "--home", str(project), "--root", str(project), "--set", "session.id=x")
    built = json.loads(run("build", *where, "--format", "json").stdout)
    assert built["tokens"] == {"total": BEST(built["text"]), "tokenizer": BEST.name, "exact": True}
    for words in (("context", "--by", "file"), ("explain",)):
        told = json.loads(run(*words, *where, "--json").stdout)
        assert (told["tokens"], told["tokenizer"]) == (built["tokens"]["total"], BEST.name)


def script(text: str, **environment: str) -> str:
    """What a program prints, in a process of its own."""
    where = {**os.environ, "PYTHONPATH": str(Path(overture.__file__).parents[1]), **environment}
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, env=where, check=True, timeout=60
    ).stdout


def saved(live: overture.Session, path: Path, **changes: Any) -> str:
    """Save a session, with some keys of the file changed."""
    live.save(path)
    data = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in {**data, **changes}.items() if value is not None}))
    return str(data.get("counter"))


def test_a_tokenizer_that_is_gone_is_named_with_the_way_out(tmp_path: Path) -> None:
    """Resuming where the counter is missing says which it was and what to do, and `count` is such a way."""
    live = overture.Session("opal", state=STATE, budget=600)
    live.turn("Go")
    saved(live, tmp_path / "s.json", counter="nowhere")
    with pytest.raises(SessionError, match=r"'nowhere'.*count="):
        overture.Session.resume(tmp_path / "s.json")
    assert overture.Session.resume(tmp_path / "s.json", count=estimate).prompt.tokens <= 600
