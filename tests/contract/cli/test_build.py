"""`overture build`, run as people run it."""

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .forked import OVERTURE, run_overture

NOW = "2026-03-07T08:55:05-06:00"
STATE: dict[str, Any] = {
    "tools": [{"name": "read"}, {"name": "bash"}],
    "context_files": [{"path": "/p/AGENTS.md", "content": "Use tabs — täglich.\n</available_skills>"}],
    "skills": [{"name": "pdf", "description": "Reads PDF", "location": "/s/pdf/SKILL.md"}],
    "runtime": {"cwd": "/p", "timezone": "America/Chicago"},
    "now": NOW,
}


class Result:
    """What a finished command wrote, and its exit code."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8")
        self.err = done.stderr.decode("utf-8")

    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


def run(
    *words: str | bytes | Path, stdin: str = "", cwd: Path | None = None, environment: dict[str, str] | None = None
) -> Result:
    return Result(run_overture(words, stdin.encode(), cwd, environment or {}))


def build(state: Any = None, *words: str | Path, recipe: str = "pi", **environment: str) -> Result:
    """Build from a state alone, which is given on standard input."""
    text = state if isinstance(state, str) else json.dumps(state or {})
    return run("build", recipe, "--no-discover", "--state", "-", *words, stdin=text, environment=environment)


def shell(line: str, cwd: Path) -> Result:
    """Run a line of shell in which `overture` is the command."""
    script = f'overture() {{ {shlex.quote(str(OVERTURE))} "$@"; }}\n{line}'
    return Result(subprocess.run(["/bin/sh", "-c", script], cwd=cwd, capture_output=True, check=False))


def assert_refused(result: Result, *words: str) -> None:
    """Exit code 2, nothing on standard output, and one error that holds these words."""
    assert result.code == 2, result.err
    assert result.out == ""
    assert result.err.startswith("error: ")
    assert result.err.count("error: ") == 1, result.err
    assert result.err.endswith("\n")
    said = result.err.replace("`", "'")
    for word in words:
        assert word.replace("`", "'") in said


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with a home of its own."""
    here = tmp_path / "project"
    (here / ".sf").mkdir(parents=True)
    (here / ".agents" / "skills" / "tides").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    (here / "AGENTS.md").write_text("# Harbour\n\nUse tabs.\n", encoding="utf-8")
    (here / ".sf" / "APPEND_SYSTEM.md").write_text("Always plan.\n", encoding="utf-8")
    skill = "---\nname: tides\ndescription: Reads the tide table\n---\nOpen it.\n"
    (here / ".agents" / "skills" / "tides" / "SKILL.md").write_text(skill, encoding="utf-8")
    return here


def here(project: Path) -> list[str | Path]:
    """The options that keep a build inside the project."""
    return ["--cwd", project, "--root", project, "--home", project.parent / "home", "--now", NOW]


def test_it_prints_the_prompt_and_one_newline() -> None:
    """Standard output is the prompt and one newline; standard error is empty where nothing is wrong."""
    fields = {**STATE, "context_files": []}
    text = build(fields, "--format", "json").json()["text"]
    result = build(fields)
    assert (result.code, result.out, result.err) == (0, f"{text}\n", "")
    assert text.endswith("Current working directory: /p")


def test_diagnostics_go_to_standard_error_one_line_each() -> None:
    """Each problem is one line `warning: PATH: …` on standard error, and the prompt is printed all the same."""
    files = [
        {"path": "/p/A\nB.md", "content": "</project-context>\n\u200b"},
        {"path": "/p/C.md", "content": "<identity>"},
    ]
    result = build({"context_files": files}, recipe="opal")
    assert result.code == 0
    lines = result.err.splitlines()
    assert len(lines) == 4
    assert lines.pop(2).startswith("warning: context_files[0].path: a line break ")
    assert all(line.startswith("warning: /p/") for line in lines)
    assert lines[2].startswith("warning: /p/C.md: line 1, column 1: ")


def test_strict_fails_on_any_diagnostic() -> None:
    """With --strict the exit code is 1 if there is a diagnostic, and the prompt is printed nevertheless."""
    assert build(STATE, "--strict").code == 1
    assert build(STATE, "--strict").out == build(STATE).out
    assert build({**STATE, "context_files": []}, "--strict").code == 0


def test_the_json_form_is_that_of_the_contract() -> None:
    """`--format json` has the contract's keys; blocks lie in order and their parts cover them."""
    data = build(STATE, "--format", "json").json()
    assert list(data)[:6] == ["recipe", "text", "fingerprint", "chars", "tokens", "blocks"]
    assert {"messages", "omitted", "cuts", "diagnostics"} <= set(data)
    assert data["chars"] == len(data["text"])
    at = 0
    for block in data["blocks"]:
        assert data["text"][at : block["start"]].strip() == ""
        assert block["start"] < block["end"]
        assert block["pace"] in ("static", "session", "turn")
        at = block["start"]
        for part in block["parts"]:
            assert part["start"] == at < part["end"]
            assert part["source"]["kind"] in ("file", "state", "rule", "recipe", "hook")
            at = part["end"]
        assert at == block["end"]
    assert at == data["chars"]
    assert {part["source"]["kind"] for block in data["blocks"] for part in block["parts"]} == {
        "file", "state", "rule", "recipe",
    }  # fmt: skip
    assert [d["code"] for d in data["diagnostics"]] == ["contained-tag"]
    assert all(omitted["name"] and omitted["reason"] for omitted in data["omitted"])


def test_a_state_may_come_from_a_file_or_standard_input(tmp_path: Path) -> None:
    """`--state FILE` and `--state -` give the same prompt, with or without a BOM."""
    file = tmp_path / "state.json"
    file.write_text(json.dumps(STATE), encoding="utf-8-sig")
    assert run("build", "pi", "--no-discover", "--state", file).out == build(STATE).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["agent.system_prompt=You are Ada."], "You are Ada.\n"),
        (['agent.system_prompt="quoted"'], "quoted\n"),
        (["agent.system_prompt=a=b"], "a=b\n"),
        (['agent={"system_prompt": "x"}'], "x\n"),
        (
            ["agent.system_prompt=x", "runtime.cwd=/a b"],
            "x\n\n<environment>\nWorking directory: /a b\n</environment>\n",
        ),
        (
            ["agent.system_prompt=x", "context_files[0].path=/p", "context_files[0].content=c"],
            'x\n\n<project-context source="/p">\nc\n</project-context>\n',
        ),
        (
            ["agent.system_prompt=x", "skills.0.name=s", "skills.0.description=d", "skills.0.location=/l"],
            "x\n\n<skills>\nUse the `use_skill` tool to load a skill's full instructions when relevant.\n\n"
            "- **s**: d\n</skills>\n",
        ),
    ],
)
def test_set_gives_one_field(words: list[str], said: str) -> None:
    """`--set PATH=VALUE` takes JSON or text, nested keys and places in a list, and may be repeated."""
    assert build({}, *(word for text in words for word in ("--set", text)), recipe="opal").out == said


def test_set_wins_over_the_state() -> None:
    """`--set` changes a value that --state gives; the rest of it stays."""
    result = build(STATE, "--set", "runtime.cwd=/q", "--set", "tools[1].name=edit")
    assert "Current working directory: /q\n" in result.out
    assert "- edit: " in result.out
    assert "- bash: " not in result.out
    assert "America/Chicago" not in result.err


def test_set_to_null_takes_a_field_away() -> None:
    """A field that is set to null counts as not given, as in --state."""
    assert build(STATE, "--set", "tools=null").out == build({**STATE, "tools": None}).out
    assert "(none)" in build(STATE, "--set", "tools=null").out


def test_tools_may_come_in_any_form(tmp_path: Path) -> None:
    """`--tools FILE` takes another system's tools, and they win over those of the state."""
    file = tmp_path / "tools.json"
    file.write_text('{"result": {"tools": [{"name": "edit", "inputSchema": {"type": "object"}}]}}', encoding="utf-8")
    out = build(STATE, "--tools", file).out
    assert "Available tools:\n- edit: Make surgical edits" in out
    assert "- read:" not in out


def test_now_is_the_clock() -> None:
    """`--now` is the time that is printed."""
    assert "Current date and time: Thursday, January 1, 2026 at 12:00:00 PM UTC+02:00\n" in (
        build({}, "--now", "2026-01-01T12:00:00+02:00").out
    )


@pytest.mark.slow
def test_without_discovery_nothing_but_the_state_counts(project: Path, tmp_path: Path) -> None:
    """With --no-discover neither directory, home, zone, locale, hash seed, configuration nor environment counts."""
    (project / "overture.toml").write_text('recipe = "opal"\ntools = ["ls"]\n', encoding="utf-8")
    words = ("build", "pi", "--no-discover", "--format", "json", "--state", "-")
    here = {"TZ": "Asia/Tokyo", "LANG": "C", "PYTHONHASHSEED": "1"}
    there = {
        "HOME": str(tmp_path),
        "TZ": "America/Lima",
        "LC_ALL": "POSIX",
        "PYTHONHASHSEED": "2",
        "OVERTURE_RECIPE": "opal",
        "OVERTURE_TOOLS": "nonsense",
    }
    one = run(*words, stdin=json.dumps(STATE), cwd=project, environment=here)
    two = run(*words, stdin=json.dumps(STATE), cwd=tmp_path, environment=there)
    assert one.code == two.code == 0
    assert (one.out, one.err) == (two.out, two.err)


def test_a_prompt_can_be_reproduced_anywhere(project: Path, tmp_path: Path) -> None:
    """`overture state | overture build --no-discover --state -` gives the prompt of `overture build`, byte for byte."""
    for recipe in ("pi", "opal"):
        built = run("build", recipe, *here(project))
        assert built.code == 0, built.err
        state = run("state", recipe, *here(project))
        again = run("build", recipe, "--no-discover", "--state", "-", stdin=state.out, cwd=tmp_path)
        assert again.out == built.out
        assert "Use tabs." in built.out


def test_the_state_wins_over_what_is_discovered_field_by_field(project: Path) -> None:
    """A field that --state gives replaces the discovered one; the others stay, down to the single key."""
    given = json.dumps({"runtime": {"timezone": "Asia/Tokyo"}, "context_files": []})
    out = run("build", "pi", *here(project), "--state", "-", stdin=given).out
    assert "Use tabs." not in out
    assert "Always plan." in out
    assert f"at 11:55:05 PM JST\nCurrent working directory: {project}\n" in out


def test_text_that_is_given_is_not_traced_to_a_file(project: Path) -> None:
    """Text from the command line in place of a file's is not said to stand in that file."""
    data = run("build", "pi", *here(project), "--set", "overrides.append=From me.", "--format", "json").json()
    sources = {
        part["source"]["kind"]
        for block in data["blocks"]
        for part in block["parts"]
        if "From me." in data["text"][part["start"] : part["end"]]
    }
    assert sources == {"state"}


@pytest.mark.slow(unless=("ascii",))
@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "LANG": "C"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["C", "ascii", "no UTF-8 mode"],
)
def test_output_is_utf_8_whatever_the_locale(environment: dict[str, str]) -> None:
    """The prompt and the diagnostics are written as UTF-8 under any locale."""
    state = {"context_files": [{"path": "/p/日本.md", "content": "täglich 🦉 </project-context>"}]}
    result = build(state, recipe="opal", **environment)
    assert (result.code, "täglich 🦉" in result.out, "/p/日本.md" in result.err) == (0, True, True)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("{", ["standard input", "Invalid JSON"]),
        ("", ["standard input", "Invalid JSON"]),
        ("\xff\xfe", ["standard input", "Invalid JSON"]),
        ("[]", ["a state is a JSON object"]),
        ('{"memories": ["a"], "memories": []}', ["standard input", "'memories' is given twice"]),
        ('{"agent": {"name": "A", "name": "B"}}', ["standard input", "'name' is given twice"]),
        ("null", ["a state is a JSON object"]),
        ('{"tools": [{"name": "a"}, {"name": "b"}, {"name": 3}]}', ["tools[2].name", "expected text"]),
        ('{"tols": []}', ["`tols`", "exists: `tools`"]),
        ('{"runtime": {"cdw": "/"}}', ["runtime", "`cdw`", "exists: `cwd`"]),
        ('{"now": "noon"}', ["now", "ISO 8601"]),
        ('{"a\\nb": 1}', ["unknown key"]),
        ('{"extra": ' + "[" * 100_000 + "]" * 100_000 + "}", ["standard input"]),
        ('{"extra": ' + '{"a":' * 100_000 + "1" + "}" * 100_000 + "}", ["standard input"]),
        ('{"agent": {"name": "\\ud800"}}', ["standard input"]),
    ],
)
def test_a_bad_state_is_one_clear_line(state: str, words: list[str]) -> None:
    """A state that is no JSON, of the wrong shape or nested without end is refused with one line."""
    assert_refused(build(state), *words)


@pytest.mark.parametrize("depth", [300, 500, 900, 2_000])
def test_a_deep_state_is_built_or_refused(depth: int) -> None:
    """A state that nests deeply is either said or refused with one line, in text and in JSON."""
    state = '{"extra": ' + '{"a":' * depth + "1" + "}" * depth + "}"
    for form in ("text", "json"):
        result = build(state, "--format", form)
        if result.code:
            assert_refused(result)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["build", "oppal"], ["`oppal`", "exists: `opal`"]),
        (["bulid"], ["`bulid`", "exists: `build`"]),
        (["build", "--no-discove"], ["--no-discove", "--no-discover"]),
        (["build", "pi", "opal"], ["opal"]),
        (["build", "--format", "yaml"], ["yaml", "json"]),
        (["build", "--state"], ["--state"]),
        (["build", "--state", "/no/such.json"], ["/no/such.json", "o such file"]),
        (["build", "--state", "/"], ["/", "directory"]),
        (["build", "--tools", "/no/such.json"], ["/no/such.json", "o such file"]),
        (["build", "--state", "x" * 5_000], ["can't be read"]),
        (
            ["build", "--cwd", "/no/such/folder"],
            ["error: The working directory '/no/such/folder' is not a directory\nhint: Pass one that exists\n"],
        ),
        (["build", "--home", "/no/such/folder"], ["/no/such/folder", "--home"]),
        (["build", "--root", "/no/such/folder"], ["/no/such/folder"]),
        (["build", "--now", "noon"], ["now", "ISO 8601"]),
        (["build", "--now", "2026-03-07"], ["now"]),
        (["build", "--now", "2026-03-07T08:55:05"], ["now", "offset"]),
        (["build", "--now", "2026-13-45T99:00:00Z"], ["now"]),
        (["build", "--set", "agent"], ["PATH=VALUE"]),
        (["build", "--set", "=x"], ["PATH=VALUE"]),
        (["build", "--set", "agent.nmae=x"], ["agent", "`nmae`", "exists: `name`"]),
        (["build", "--set", "agent.name=3"], ["expected text", "hint: Quote the text: `--set 'agent.name=\"3\"'`"]),
        (["build", "--no-discover", "--set", "tools[3].name=x"], ["tools[3]"]),
        (["build", "--no-discover", "--set", "tools[²].name=x"], ["tools[²]"]),
        (["build", "--no-discover", "--set", f"tools[{'9' * 5_000}].name=x"], ["--set"]),
        (["build", "--no-discover", "--set", "memories=1"], ["memories", "expected a list"]),
        (["build", "--no-discover", "--set", b"agent.name=\xff"], []),
        (["build", "--state", ""], ["--state"]),
        (["build", "--tools", ""], ["--tools"]),
        (["build", "--now", ""], ["now"]),
        (["build", "-c", "recipe"], ["KEY=VALUE"]),
        (["build", "-c", "recip=pi"], ["`recip`", "exists: `recipe`"]),
    ],
    ids=lambda words: " ".join(map(str, words))[:40],
)
def test_bad_usage_is_one_clear_line(words: list[str | bytes], told: list[str], tmp_path: Path) -> None:
    """Whatever is misspelt, missing or malformed: exit code 2 and one line that names it."""
    assert_refused(run(*words, cwd=tmp_path, environment={"HOME": str(tmp_path)}), *told)


def test_a_bad_tools_file_is_one_clear_line(tmp_path: Path) -> None:
    """A tool that does not fit is named by its file and its place in the list."""
    file = tmp_path / "tools.json"
    for text, words in (
        ('[{"name": "a"}, {"nam": "b"}]', ["[1]", "'name'"]),
        ("{", ["Invalid JSON"]),
        ("3", ["list"]),
    ):
        file.write_text(text, encoding="utf-8")
        assert_refused(build({}, "--tools", file), str(file), *words)


@pytest.mark.parametrize("now", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])
def test_the_edges_of_the_calendar_are_no_traceback(now: str) -> None:
    """A time that its zone would move out of the calendar is no reason to fail."""
    for zone in ("Asia/Tokyo", "America/Chicago"):
        result = build({}, "--now", now, "--set", f"runtime.timezone={zone}")
        assert (result.code, "Traceback" in result.err) == (0, False)


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    """`overture build | head -1` prints one line and nothing on standard error."""
    big = {"context_files": [{"path": "/p/A.md", "content": "line\n" * 40_000}]}
    (tmp_path / "big.json").write_text(json.dumps(big), encoding="utf-8")
    for form in ("text", "json"):
        result = shell(f"overture build opal --no-discover --state big.json --format {form} | head -1", tmp_path)
        assert (result.code, result.out.count("\n"), result.err) == (0, 1, "")


@pytest.mark.slow(unless=("disk full", "disk full, unbuffered", "directory gone"))
@pytest.mark.parametrize(
    "line",
    [
        "PYTHONUNBUFFERED= overture build opal --no-discover > /dev/full",
        "PYTHONUNBUFFERED=1 overture build opal --no-discover > /dev/full",
        "overture agents > /dev/null; PYTHONUNBUFFERED= overture agents > /dev/full",
        "overture build opal --no-discover >&-",
        "overture build opal --no-discover --state - <&-",
        "mkdir gone; cd gone; rmdir ../gone; overture build pi",
    ],
    ids=["disk full", "disk full, unbuffered", "printed again", "output closed", "input closed", "directory gone"],
)
def test_a_broken_machine_is_one_clear_line(line: str, tmp_path: Path) -> None:
    """A full disk, a closed stream and a directory that is gone end with one line, not with a traceback."""
    assert_refused(shell(line, tmp_path))


def test_a_directory_that_is_gone_does_not_matter_where_another_is_given(tmp_path: Path) -> None:
    """With --cwd, --root and --home given, the directory of the process need not exist."""
    words = f"--cwd {tmp_path} --root {tmp_path} --home {tmp_path}"
    result = shell(f"mkdir gone; cd gone; rmdir ../gone; overture build pi {words}", tmp_path)
    assert (result.code, result.err) == (0, "")


def test_a_directory_whose_name_is_no_utf_8_can_be_worked_in(tmp_path: Path) -> None:
    """A project in a directory with a name that can't be decoded is built in every form."""
    odd = os.fsencode(tmp_path) + b"/\xff"
    try:
        os.mkdir(odd)
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    for words in (["build"], ["build", "--format", "json"], ["state"]):
        result = run(words[0], "pi", *words[1:], b"--cwd", odd, "--home", tmp_path)
        assert result.code == 0, result.err


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


def test_a_broken_file_of_models_is_refused(tmp_path: Path) -> None:
    """The setting `models` names it."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "overture.toml").write_text('models = "models.toml"\n')
    (project / "models.toml").write_text("[providers")
    where = ("build", "pi", "--format", "anthropic", "--cwd", project, "--home", tmp_path)
    assert_refused(run(*where), "models.toml", "Invalid TOML")
    (project / "models.toml").write_text("[providers.anthropic]\nread = 'cheap'\n")
    assert_refused(run(*where), "read", "expected a number")
