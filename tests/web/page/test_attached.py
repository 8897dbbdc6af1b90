"""`overture serve --attach`: the page of an agent that runs in another process."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from overture import Session
from overture.known_models.model_table import packaged_table
from overture.testing import FakeWorld
from overture.web.page.attached_page import AttachedPage
from overture.web.page.turn_history import TurnHistory
from tests.contract.cli.run import assert_refused, run

from ...session.publish.agents_that_publish import SECONDS, agent, own_home
from ..running import started

AGENT = """
s = session(state={"session": {"id": "boats-1"}})
for line in sys.stdin:
    s.update(memories=[line]); say(s.turn(line).prompt.fingerprint)
s.close()
"""


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where sessions are published."""
    return own_home(monkeypatch, tmp_path)


def until(client: httpx.Client, path: str, done: Any) -> Any:
    """What the page answers, once it is what is waited for."""
    end = time.monotonic() + SECONDS
    while True:
        answer = client.get(path)
        if done(answer):
            return answer.json()
        assert time.monotonic() < end, answer.text[:500]
        time.sleep(0.05)


def news(client: httpx.Client) -> Iterator[tuple[str, Any]]:
    """What the page's browser is told."""
    with client.stream("GET", "/page/events") as stream:
        name = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))


def test_the_turns_of_a_running_agent_are_seen_from_another_process(tmp_path: Path) -> None:
    """The page waits for an agent and says how to begin one; then each of its turns is there, and its end is told."""
    with started("--attach", "--port", "0", "--cwd", tmp_path, "--home", tmp_path) as (process, address):
        with httpx.Client(base_url=address, trust_env=False, timeout=SECONDS) as client:
            waiting = client.get("/page/sheet")
            assert waiting.status_code == 503 and "overture.Session(…, inspect=True)" in waiting.json()["detail"]
            assert waiting.json()["title"] == "Not ready yet"
            with agent(AGENT, tmp_path) as running:
                assert running.stdin and running.stdout
                for number in (1, 2):
                    print(f"boat {number}", file=running.stdin, flush=True)
                    sent = running.stdout.readline().strip()
                    seen = until(client, "/page/sheet", lambda a, n=number: a.is_success and a.json()["turn"] == n)
                    assert seen["fingerprint"] == sent
                turns = client.get("/page/turns").json()
                assert [row["turn"] for row in turns["turns"]] == [1, 2] and turns["live"] == "session"
                assert f"boats-1 · process {running.pid}" in turns["title"]
                changed = client.get("/page/diff?a=1&b=2").json()
                assert any(block["change"] != "same" for block in changed["blocks"])
                assert "overture serve" in client.get("/page/state").json()["detail"]
                assert client.post("/page/play", json={}).status_code == 404
                running.stdin.close()
                running.wait(SECONDS)
                told = next(data for name, data in news(client) if name == "gone")
                assert told["message"] == "the session has ended"
        process.terminate()
        errors = process.communicate(timeout=20)[1]
        assert process.returncode == 0
        assert "No agent publishes its session yet" in errors and "attached to" in errors and "boats-1" in errors


@pytest.mark.slow
def test_what_can_not_be_attached_to_is_refused_in_one_line(tmp_path: Path) -> None:
    """A session that nobody publishes, and options that would make another prompt, are errors at once."""
    home = ("--cwd", str(tmp_path), "--home", str(tmp_path))
    assert_refused(
        run("serve", "--attach", "nobody", *home),
        "No session 'nobody' is published here",
        "Start an agent with overture.Session",
    )
    assert_refused(run("serve", *home, "--budget", "100", "--attach"), "Omit the recipe")


def wait(done: Any) -> None:
    """Until something holds."""
    end = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
def test_the_next_agent_is_followed_when_one_has_ended() -> None:
    """Whoever runs an agent again and again leaves the page open: it shows the newest."""
    page = AttachedPage(None, packaged_table())
    page.start()
    try:
        for name in ("first", "second"):
            state = {"session": {"id": name}}
            world = FakeWorld({"/p/AGENTS.md": name})
            with Session("house", world=world, count=len, inspect=True, state=state) as session:
                session.turn("Go")
                wait(lambda want=name: want in page.history.title and [r.turn for r in page.history.rows] == [0, 1])
            wait(lambda: page.history.gone is not None)
    finally:
        page.end()


@pytest.mark.slow
def test_whoever_comes_after_the_end_is_told_of_it() -> None:
    """A browser that is opened late sees the turns, and that there will be no more."""
    import asyncio

    history = TurnHistory("session", "harbor")
    history.leave("the session has ended")

    async def first() -> str:
        with history.subscribe() as listener:
            return (await listener.events.get()).name

    assert asyncio.run(first()) == "gone"
