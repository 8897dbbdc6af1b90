"""A setting or variable that may change what an agent reads, and that is not followed, is reported where it is set."""

import json
import posixpath
import re
from pathlib import Path

import pytest

import overture
from overture.known_agents import AGENTS, agent_wants
from overture.model.agent_rules import fill_in

VARIABLES = [(name, variable) for name in AGENTS for variable in agent_wants(name).variables]


def findings(name: str, folder: Path) -> list[str]:
    """What is reported as not modelled."""
    (folder / "home").mkdir(exist_ok=True)
    (folder / "repo/.git").mkdir(parents=True, exist_ok=True)
    [agent] = overture.agents(name, cwd=folder / "repo", home=folder / "home").agents
    return [note.message for note in agent.findings if note.code == "not-modelled"]


@pytest.mark.slow(unless=("claude",))
@pytest.mark.parametrize(("name", "variable"), VARIABLES)
def test_a_variable_is_reported(name: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set, it is named; not set, or off, nothing is said."""
    monkeypatch.delenv(variable, raising=False)
    assert findings(name, tmp_path) == []
    monkeypatch.setenv(variable, "0")
    assert findings(name, tmp_path) == []
    monkeypatch.setenv(variable, "1")
    assert findings(name, tmp_path) == [
        f"not modelled: {variable} is set; the agent may read other files than shown here"
    ]


def with_key(path: str, key: str, folder: Path) -> str:
    """A settings file in which a key is set."""
    key, _, value = key.partition("=")
    steps = [step.strip('"').replace("{project}", str(folder / "repo")) for step in re.findall(r'"[^"]*"|[^."]+', key)]
    if path.endswith((".yml", ".yaml")):
        return f"{steps[0]}:\n  - one.md\n"
    if path.endswith(".toml"):
        table = f"[{'.'.join(json.dumps(step) for step in steps[:-1])}]\n" if steps[1:] else ""
        text = value if value in ("true", "false") else json.dumps(value or "one")
        return f"{table}{json.dumps(steps[-1])} = {text}\n"
    given: object = value == "true" if value in ("true", "false") else value or ["one"]
    for step in reversed(steps):
        given = {step: given}
    return json.dumps(given)


@pytest.mark.slow(unless=("claude-code", "codex"))
@pytest.mark.parametrize("name", AGENTS)
def test_a_setting_is_reported(name: str, tmp_path: Path) -> None:
    """Each key, in each file under home or in the project in which the agent looks for it."""
    wants = agent_wants(name)
    own = wants.own_folders({})
    for file in wants.configured:
        for key in file.unmodelled:
            for path in (fill_in(path, own) for path in file.paths if not path.startswith("/")):
                there = tmp_path / (f"home/{path[2:]}" if path.startswith("~/") else f"repo/{path}")
                there.parent.mkdir(parents=True, exist_ok=True)
                there.write_text(with_key(path, key, tmp_path))
                called = key.partition("=")[0].strip('"')
                assert any(called in said for said in findings(name, tmp_path)), (key, posixpath.basename(path))
                there.unlink()
                assert findings(name, tmp_path) == []


@pytest.mark.parametrize("name", ["opencode", "kilo"])
@pytest.mark.parametrize("value", [["docs/a.md", "https://a.example/b.md"], "https://a.example/b.md"])
def test_a_url_among_file_names_is_reported(name: str, value: object, tmp_path: Path) -> None:
    """The agent fetches it, and nothing here does: a file beside it is loaded, and the URL named."""
    (tmp_path / "repo/docs").mkdir(parents=True)
    (tmp_path / "repo/docs/a.md").write_text("Use tabs.\n")
    (tmp_path / f"repo/{name}.json").write_text(json.dumps({"instructions": value}))
    assert findings(name, tmp_path) == [
        "not modelled: https://a.example/b.md in instructions is set; the agent may read other files than shown here"
    ]
