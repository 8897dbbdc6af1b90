"""Wishes over the prompt that is sent: the prompt follows, faults are named by their place, nothing else is read."""

import json
from pathlib import Path
from typing import Any

import pytest

from overture.web.page.simulate_prompt import Simulator, Wishes

from .shown import NOW, Paged, paged, write
from .test_sheet import text_of


def played(page: Paged, **wishes: Any) -> Any:
    answer = page.post("/page/play", **wishes)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_without_a_wish_it_is_what_is_sent(page: Paged) -> None:
    """The same sheet as the newest turn's, and nothing besides."""
    assert played(page) == {"sheet": page.get("/page/sheet")}


def test_a_budget_cuts_and_brings_nothing_else(page: Paged) -> None:
    """The prompt keeps to it, and the sheet says what went."""
    whole = page.get("/page/sheet")["tokens"]
    sheet = played(page, budget=whole - 30)["sheet"]
    assert sheet["tokens"] <= whole - 30
    assert sheet["budget"]["whole"] == whole
    assert sheet["cuts"]


def test_a_budget_that_cant_be_met(tmp_path: Path) -> None:
    """A problem in words, with the place; no fault of the service's."""
    with paged(tmp_path, "pi") as page:
        answer = page.post("/page/play", budget=1)
    assert (answer.status_code, answer.json()["path"]) == (409, "budget")
    assert "can't be met" in answer.json()["detail"]


def test_tools_and_skills_are_switched_off(page: Paged) -> None:
    """What is off is in neither the prompt nor the tools; a name that is not there changes nothing."""
    told = played(page, tools_off=["shell", "nothing"], skills_off=["pdf"])
    assert "shell" not in [tool["name"] for tool in told["sheet"]["context"]["tools"]]
    assert "csv" in text_of(told["sheet"])
    assert "pdf" not in text_of(told["sheet"])


def test_any_field_can_be_set(tmp_path: Path) -> None:
    """By its path, with a JSON value; null takes it away."""
    values = {"task": {"id": "7"}, "task.title": "Mend the roof", "channel": "telegram", "memories[0]": "x"}
    with paged(tmp_path, "nova", state={"now": NOW, "memories": ["It rains in."]}) as page:
        told = text_of(played(page, set=values)["sheet"])
        assert "Mend the roof" in told
        assert "It rains in." not in told
        sent = text_of(played(page)["sheet"])
        assert "It rains in." in sent
        assert "It rains in." not in text_of(played(page, set={"memories": None})["sheet"])


@pytest.mark.parametrize(
    ("wishes", "path"),
    [
        ({"set": {"task": {"title": "x", "steps": [{"title": "a"}, {"title": 7}]}}}, "state.task.steps[1].title"),
        ({"recipe": "pi"}, "recipe"),
        ({"state": {"agent": {"name": "Ada"}}}, "state"),
        ({"set": {"task.title": 7}}, "state.task.title"),
        ({"set": {"agnet.name": "Ada"}}, "state.agnet"),
        ({"set": {"tools[99].name": "x"}}, "state.tools[99].name"),
        ({"set": {"now": "yesterday"}}, "state.now"),
        ({"set": []}, "set"),
        ({"budget": 0}, "budget"),
        ({"budget": "x"}, "budget"),
        ({"tools_off": [1]}, "tools_off[0]"),
        ({"wish": 1}, "wish"),
        ({"set": {"secrets": "show"}}, "state.secrets"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named_by_its_place(page: Paged, wishes: dict[str, Any], path: str) -> None:
    """422, one line, and the path of the value."""
    answer = page.post("/page/play", **wishes)
    assert (answer.status_code, answer.json()["path"]) == (422, path), answer.text


def test_twenty_megabytes_are_refused(page: Paged) -> None:
    """413, before they are read."""
    body = json.dumps({"set": {"extra.x": "x" * 20_000_000}})
    answer = page.client.post("/page/play", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


def test_keys_stay_hidden(tmp_path: Path) -> None:
    """Neither the state nor a copy holds a key that the prompt does not show."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    write(tmp_path, AGENTS_dot_md=f"Use {key} to push.\n")
    with paged(tmp_path) as page:
        for path in ("/page/sheet", "/page/state"):
            assert key not in page.client.get(path).text
        assert key not in page.post("/page/play", set={"channel": "cli"}).text
        for form in ("text", "json", "python", "command", "anthropic"):
            assert key not in page.post("/page/copy", set={"channel": "cli"}, **{"as": form}).text


def test_a_budget_is_dragged_without_building_anew(tmp_path: Path) -> None:
    """On a project of 200 skills and ten long files, each step only cuts what was built once."""
    skills = [
        {"name": f"skill-{n:03}", "description": "Use when a form is filled in.", "location": f"/p/{n}/SKILL.md"}
        for n in range(200)
    ]
    files = [{"path": f"/p/{n}/AGENTS.md", "content": "- Run `make test` before you commit.\n" * 32} for n in range(10)]
    with paged(tmp_path, state={"skills": skills, "context_files": files}) as page:
        whole = played(page)["sheet"]["tokens"]
        player = Simulator(page.live)
        wholes = set()
        for part in range(2, 9):
            budget = whole * part // 10
            assert played(page, budget=budget)["sheet"]["tokens"] <= budget
            prompt, made = player.play(Wishes(budget=budget))
            assert prompt.tokens <= budget
            wholes.add(id(made.prompt))
        assert len(wholes) == 1
