"""A saved session is taken wherever a state or a prompt is, and told apart from them by what it holds."""

import json
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import Session
from overture.testing import FakeWorld

from .run import assert_refused, read_stdout, run
from .saved import saved, world

NEITHER = "not a state, a saved prompt or a saved session"
STATE: dict[str, Any] = {"runtime": {"cwd": "/p"}, "tools": [{"name": "read"}], "now": "2026-01-01T12:00:00Z"}


def put(path: Path, value: Any) -> Path:
    """JSON in a file."""
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def data(*words: str | Path) -> Any:
    """What a command says as JSON."""
    return json.loads(read_stdout(*words, "--json"))


@pytest.mark.parametrize("recipe", ["house", "opal", "pi", "moltis"])
def test_build_prints_what_was_sent(tmp_path: Path, recipe: str) -> None:
    """The bytes are those of the last turn, a hook's edits included."""
    place = world()
    file = tmp_path / "saved.json"
    live = Session(recipe, world=place)
    live.hook("before_agent_start", lambda _: overture.Change.append("Hooked."), name="h")
    live.turn("One")
    place.files["/p/AGENTS.md"] = b"Use blanks."
    live.refresh()
    text = live.turn("Two").prompt.text
    live.save(file)
    assert read_stdout("build", file) == text + "\n"
    assert read_stdout("build", "--state", file) == text + "\n"
    assert "Hooked." in text


@pytest.mark.slow
@pytest.mark.parametrize("budget", [150, {"skills": 30}])
def test_a_budget_cuts_as_it_did(tmp_path: Path, budget: Any) -> None:
    """What a budget cut is cut as it was, and said so."""
    limit = overture.Budget(budget) if isinstance(budget, int) else overture.Budget(None, budget)
    file, text = saved(tmp_path / "saved.json", "house", budget=limit, place=world(**{"AGENTS.md": "Line.\n" * 400}))
    assert run("build", file).stdout == text + "\n"
    assert data("explain", file)["budget"]["limit"] == limit.limit


@pytest.mark.slow
def test_explain_and_stats(tmp_path: Path) -> None:
    """Both account for the very prompt that was sent; files are those of the session, wherever they are now."""
    file, text = saved(tmp_path / "saved.json")
    explained = data("explain", file)
    assert (explained["recipe"], explained["chars"]) == ("house", len(text))
    looked = {look["path"]: look for look in explained["looked_at"]}
    assert looked["/p/AGENTS.md"]["outcome"] == "loaded"
    assert looked["/p/.agents/skills/tides/SKILL.md"]["what"] == "skill"
    assert looked["/p/sub/AGENTS.md"]["reason"]["args"] == ["it is in a message, because a tool touched a file near it"]
    measured = data("context", "--by", "file", file)
    assert (measured["recipe"], measured["chars"]) == ("house", len(text))
    assert sum(row["tokens"] for row in measured["sections"]) == measured["tokens"]
    assert data("context", "--by", "file", "--state", file) == measured
    assert "in the prompt of house: 9 characters" in read_stdout("explain", file, "--why", "/p/AGENTS.md")


@pytest.mark.slow
def test_state(tmp_path: Path) -> None:
    """The state of a session can be taken out of it."""
    file, _ = saved(tmp_path / "saved.json")
    state = json.loads(read_stdout("state", file))
    assert state["context_files"][0]["content"] == "Use tabs."


@pytest.mark.slow
def test_a_request_holds_the_conversation(tmp_path: Path) -> None:
    """In a provider's form the request is the session's: its messages, and its tools in the session's order."""
    file, _ = saved(tmp_path / "saved.json")
    body = json.loads(run("build", file, "--format", "anthropic").stdout)
    again = Session.resume(file, world=FakeWorld())
    again.hook("before_agent_start", lambda _: None)
    assert body["messages"] == again.turn().render("anthropic")["messages"]
    assert [tool["name"] for tool in body["tools"]] == [tool.name for tool in again.turn().tools]


@pytest.mark.slow
def test_diff_takes_any_mixture(tmp_path: Path) -> None:
    """A session, a prompt, a state and a recipe stand on either side."""
    first, text = saved(tmp_path / "first.json")
    second, other = saved(tmp_path / "second.json", place=world(**{"AGENTS.md": "Use blanks."}))
    patch = data("diff", first, second)
    assert [block["name"] for block in patch["blocks"] if block["change"] != "same"] == ["project-context"]
    assert text[: patch["first"]] == other[: patch["first"]]
    prompt = put(tmp_path / "prompt.json", read_stdout("build", first, "--format", "json"))
    assert read_stdout("diff", first, prompt) == read_stdout("diff", prompt, first) == "The two prompts are the same.\n"
    state = put(tmp_path / "state.json", read_stdout("state", first))
    patch = data("diff", first, state, "--no-discover")
    assert patch["recipes"] == ["house", "house"]
    assert data("diff", state, second, "--no-discover")["recipes"] == ["house", "house"]
    assert data("diff", first, "opal", "--no-discover")["recipes"] == ["house", "opal"]


@pytest.mark.slow
def test_with_state_it_can_be_said_otherwise(tmp_path: Path) -> None:
    """`--state` takes the session's state: another recipe says it, and --set changes it; nothing is discovered."""
    file, text = saved(tmp_path / "saved.json")
    assert "Use tabs." in read_stdout("build", "pi", "--state", file)
    changed = read_stdout("build", "--state", file, "--set", "runtime.cwd=/elsewhere")
    assert "/elsewhere" in changed and changed != text + "\n"
    (tmp_path / "AGENTS.md").write_text("Not in the session.")
    assert "Not in the session" not in read_stdout("build", "opal", "--state", file, "--cwd", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [("--set", "runtime.cwd=/x"), ("--budget", "100"), ("--subagent",), ("--now", "2026-01-01T12:00:00Z"),
     ("--state", "other.json"), ("--tools", "tools.json")],
)  # fmt: skip
def test_what_would_change_it_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    """By its path a session is shown as it was: an option that would change it is an error with the way out."""
    file, _ = saved(tmp_path / "saved.json")
    assert_refused(run("build", file, *words), words[0], "as sent", f"--state {file}")


@pytest.mark.slow
def test_a_saved_prompt_is_explained_too(tmp_path: Path) -> None:
    """A prompt of `build --format json` is measured and explained without its recipe or its files."""
    file, text = saved(tmp_path / "saved.json")
    prompt = put(tmp_path / "prompt.json", read_stdout("build", file, "--format", "json"))
    assert read_stdout("build", prompt) == text + "\n"
    whole, again = data("context", "--by", "file", file), data("context", "--by", "file", prompt)
    assert {key: again[key] for key in ("chars", "tokens", "sections", "paces", "sources")} == {
        key: whole[key] for key in ("chars", "tokens", "sections", "paces", "sources")
    }
    first, second = data("explain", file), data("explain", prompt)
    assert second["omitted"] == first["omitted"]
    assert [block["shares"] for block in second["blocks"]] == [block["shares"] for block in first["blocks"]]
    assert_refused(run("build", "opal", "--state", prompt), "prompt.json", "saved prompt", "has no state")


@pytest.mark.slow
def test_a_state_by_its_path(tmp_path: Path) -> None:
    """A state may stand where a recipe does: it is what --state reads."""
    file = put(tmp_path / "state.json", STATE)
    assert read_stdout("build", file, "--no-discover") == read_stdout("build", "--no-discover", "--state", file)


@pytest.mark.slow
def test_any_name_of_a_file(tmp_path: Path) -> None:
    """The file need not end in .json; a recipe of that name comes first."""
    file, text = saved(tmp_path / "harbor.session")
    assert run("build", "harbor.session", cwd=tmp_path).stdout == text + "\n"
    file.rename(tmp_path / "opal")
    assert run("build", "opal", "--no-discover", cwd=tmp_path).stdout != text + "\n"
    assert run("build", "./opal", cwd=tmp_path).stdout == text + "\n"


@pytest.mark.slow
def test_standard_input(tmp_path: Path) -> None:
    """`--state -` takes a session as well."""
    from .forked import run_overture

    file, text = saved(tmp_path / "saved.json")
    done = run_overture(("build", "--state", "-"), file.read_bytes(), None, {})
    assert done.stdout.decode() == text + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["build", "explain", "context", "diff"])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", ("Invalid JSON",)),
        ("", ("Invalid JSON",)),
        ("[1]", ("a list", "a JSON object")),
        ("3", ("a number", "a JSON object")),
        ('{"name": "x", "version": "1.0"}', (NEITHER, "'name', 'version'")),
        ('{"system": "x", "messages": []}', (NEITHER,)),
        ('{"version": 99, "recipe": "opal", "state": {}, "messages": []}', ("version 99", "version 2")),
        ('{"version": 2, "recipe": "opal", "state": {}, "mesages": []}', ("mesages", "exists: `messages`")),
        ('{"version": 2, "recipe": "opal", "state": {"tols": []}}', ("tols",)),
        ('{"blocks": 3}', ("blocks",)),
        ('{"tols": [], "now": "2026-01-01T12:00:00Z"}', ("tols", "tools")),
    ],
)  # fmt: skip
def test_what_is_neither_is_refused(tmp_path: Path, command: str, content: str, words: tuple[str, ...]) -> None:
    """Broken JSON, another version, and what is none of the three: one line with the file's name."""
    file = put(tmp_path / "file.json", content)
    more = (file,) if command == "diff" else ()
    assert_refused(run(command, file, *more, "--no-discover"), "file.json", *words)


@pytest.mark.slow
def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A path that leads to nothing says so, and what may stand there."""
    assert_refused(run("explain", tmp_path / "gone.json"), "gone.json", "No such file: ")
    assert_refused(run("explain", tmp_path), "is a directory")


@pytest.mark.slow
def test_a_recipe_that_is_gone(tmp_path: Path) -> None:
    """A session in a recipe of the project's own needs that recipe."""
    recipe = tmp_path / "mine.toml"
    recipe.write_text('[[sections]]\nname = "one"\ntext = "One."\n')
    live = Session(str(recipe), cwd=tmp_path, home=tmp_path)
    live.turn("Go")
    live.save(tmp_path / "saved.json")
    assert read_stdout("build", tmp_path / "saved.json") == "One.\n"
    recipe.write_text('[[sections]]\nname = "one"\ntext = "Two."\n')
    done = run("build", tmp_path / "saved.json")
    assert done.stdout == "Two.\n"
    assert "has changed since" in done.stderr
    recipe.unlink()
    assert_refused(run("build", tmp_path / "saved.json"), "mine.toml")


@pytest.mark.slow
def test_nothing_of_it_is_run(tmp_path: Path) -> None:
    """Looking at a session loads no extension, neither its own nor the project's."""
    (tmp_path / "evil.py").write_text(
        f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\ndef setup(session): pass\n"
    )
    (tmp_path / "overture.toml").write_text('extensions = ["evil.py:setup"]\n')
    home = tmp_path / "home" / ".config" / "overture"
    home.mkdir(parents=True)
    (home / "overture.toml").write_text(f'trusted = ["{tmp_path}"]\n')
    live = Session("opal", cwd=tmp_path, home=tmp_path / "home")
    live.turn("Go")
    live.save(tmp_path / "saved.json")
    (tmp_path / "ran").unlink()
    for command in ("build", "explain", "context"):
        assert run(command, tmp_path / "saved.json").returncode == 0
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_a_counter_of_ones_own(tmp_path: Path) -> None:
    """Who counted does not matter for what was sent, unless a budget cut by that count."""
    file, text = saved(tmp_path / "saved.json", count=len)
    assert read_stdout("build", file) == text + "\n"
    cut, _ = saved(tmp_path / "cut.json", count=len, budget=700)
    assert_refused(run("build", cut), "'len'", "budget")


@pytest.mark.slow
def test_half_a_character(tmp_path: Path) -> None:
    """A session in which a tool said half a surrogate pair is shown like any other."""
    live = Session("opal", world=world())
    live.turn("Go")
    live.send_message("half \ud83d")
    text = live.turn("On").prompt.text
    live.save(tmp_path / "saved.json")
    assert read_stdout("build", tmp_path / "saved.json") == text + "\n"
    assert run("context", tmp_path / "saved.json").returncode == 0
