"""`overture cache` and the providers' forms of `overture build`, run as people run them."""

import json
from pathlib import Path

import pytest

from .test_build import STATE, Result, assert_refused, build, run


def cached(*words: str | Path, state: object = STATE, recipe: str = "pi", **environment: str) -> Result:
    text = json.dumps(state)
    return run("cache", recipe, "--no-discover", "--state", "-", *words, stdin=text, environment=environment)


@pytest.mark.parametrize("form", ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama"])
def test_build_prints_a_providers_request(form: str) -> None:
    """`--format` with a provider prints the request as JSON, tools included, and nothing else."""
    body = build(STATE, "--format", form).json()
    prompt = build(STATE).out.removesuffix("\n")
    assert json.dumps(prompt)[1:-1] in json.dumps(body)
    assert '"bash"' in json.dumps(body)


def test_build_takes_the_model() -> None:
    """`--model` is in the request, and decides on the role."""
    body = build(STATE, "--format", "openai-chat", "--model", "gpt-4o").json()
    assert (body["model"], body["messages"][0]["role"]) == ("gpt-4o", "system")


def test_build_without_a_model_suits_every_model() -> None:
    """Neither role nor breakpoints are those of one model, unless the state names it; the request names none."""
    body = build(STATE, "--format", "openai-chat").json()
    assert (body.get("model"), body["messages"][0]["role"]) == (None, "system")
    runtime = {**STATE.get("runtime", {}), "model": "gpt-6-sol"}
    body = build({**STATE, "runtime": runtime}, "--format", "openai-chat").json()
    assert (body.get("model"), body["messages"][0]["role"]) == (None, "developer")


def test_an_unknown_format_is_refused_with_the_nearest() -> None:
    """Exit 2, and one line."""
    assert_refused(build(STATE, "--format", "antropic"), "No format named 'antropic'", "exists: `anthropic`")


def test_a_request_that_json_cannot_carry_is_refused() -> None:
    """Half a surrogate pair in a state: one clear line, no traceback."""
    state = json.dumps({"agent": {"system_prompt": "x"}}).replace('"x"', '"\\ud83d"')
    result = build(state, "--format", "anthropic", recipe="opal")
    assert result.code == 2
    assert result.err.count("error: ") == 1


def test_cache_reports_turn_by_turn() -> None:
    """A person sees shares, causes and money, and that all of it is predicted."""
    result = cached("--provider", "ollama", "--scenario", "clock")
    assert result.code == 0, result.err
    assert "only the clock moves" in result.out
    assert "in clock-and-cwd: now (clock)" in result.out
    assert "Predicted" in result.out
    assert "hit" not in result.out.replace("real cache hits", "")


def test_cache_as_json() -> None:
    """Everything that is shown is in the JSON, the facts of the model with their date too."""
    report = cached("--json").json()
    assert [session["name"] for session in report["sessions"]] == ["clock", "tool", "skill", "file", "day"]
    assert report["facts"]["as_known_on"]
    assert report["sessions"][3]["turns"][3]["blame"]["kind"] == "content"


def test_several_recipes_are_compared() -> None:
    """With more than one recipe, a column each."""
    result = run("cache", "opal", "pi", "--no-discover", "--state", "-", stdin=json.dumps(STATE))
    assert result.code == 0, result.err
    assert "opal  pi" in result.out
    assert "Cost of 1,000 such sessions" in result.out


def test_cache_draws(tmp_path: Path) -> None:
    """`--svg` writes the picture; a path that can't be written to is refused."""
    assert cached("--svg", tmp_path / "c.svg").code == 0
    assert (tmp_path / "c.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert_refused(cached("--svg", tmp_path / "no" / "c.svg"), "can't be written", "no such file or directory")
    assert cached("--svg", "-").out.startswith("<svg ")


def test_a_recorded_session_of_states_and_saved_prompts(tmp_path: Path) -> None:
    """Each item of the list is a turn: a state to be said, or a prompt saved with build --format json."""
    file = tmp_path / "session.json"
    later = {**STATE, "now": "2026-03-07T09:55:05-06:00"}
    for turns in ([STATE, later], [build(STATE, "--format", "json").json(), build(later, "--format", "json").json()]):
        file.write_text(json.dumps(turns))
        (session,) = cached("--session", file, "--json").json()["sessions"]
        assert session["name"] == "recorded"
        assert session["turns"][1]["blame"]["section"] == "clock-and-cwd"
        assert session["turns"][1]["blame"]["inputs"] == ["now"]


def test_a_recipe_does_not_rename_saved_prompts(tmp_path: Path) -> None:
    """Prompts that another recipe made are refused, not shown as if nothing had been asked for."""
    file = tmp_path / "session.json"
    file.write_text(json.dumps([build(STATE, "--format", "json").json()]))
    (recipe,) = {turn["recipe"] for turn in json.loads(file.read_text())}
    assert_refused(run("cache", "moltis", "--session", file), f"their recipe is `{recipe}`, not `moltis`", "Omit it")
    assert run("cache", recipe, "--session", file).code == 0
    assert run("cache", "--session", file).code == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", "a recorded session is a JSON list"),
        ("[]", "a recorded session is a JSON list"),
        ("[{}, 3]", "[1]: "),
        ('[{"tool": []}]', "exists: `tools`"),
        ('[{"blocks": 3}]', "session.json: [0]"),
        ("[", "Invalid JSON"),
    ],
)
def test_a_bad_recording_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """Exit 2, and one line that names the file and the turn."""
    file = tmp_path / "session.json"
    file.write_text(text)
    assert_refused(cached("--session", file), "session.json", told)


def test_a_price_file_of_ones_own(tmp_path: Path) -> None:
    """The setting `models` names it; a model that is in no table has no price, and a broken file is refused."""
    project, file = tmp_path / "project", tmp_path / "project" / "models.toml"
    project.mkdir()
    (project / "overture.toml").write_text('models = "models.toml"\n')
    file.write_text("[providers.anthropic.models]\nclaude-minuet-9 = { minimum = 10, input = 7.0 }\n")
    ask = ("cache", "pi", "--cwd", project, "--home", tmp_path, "--scenario", "clock", "--model")
    assert "$7 per million input tokens" in run(*ask, "claude-minuet-9").out
    unknown = run(*ask, "claude-gavotte-1").out
    assert "which is unknown" in unknown
    assert "price unknown" in unknown
    file.write_text("[providers")
    assert_refused(run(*ask, "claude-minuet-9"), "models.toml", "Invalid TOML")
    assert_refused(run("build", "pi", "--format", "anthropic", "--cwd", project), "models.toml", "Invalid TOML")
    file.write_text("[providers.anthropic]\nread = 'cheap'\n")
    assert_refused(run(*ask, "claude-minuet-9"), "read", "expected a number")


def test_an_unknown_provider_and_time_to_live_are_refused() -> None:
    """Exit 2, with the names that there are."""
    assert_refused(cached("--provider", "gemny"), "No provider named 'gemny'", "gemini")
    assert_refused(cached("--ttl", "3h"), "`ttl`: '3h' is not a cache lifetime of")
