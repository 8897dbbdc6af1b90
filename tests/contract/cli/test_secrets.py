"""No command prints a key, a token or what was hidden, wherever it stood; unless somebody asks for it."""

import json
from pathlib import Path

import pytest

from ..secret_samples import block, made
from .run import run

MINE: dict[str, bool] = {}


def key() -> str:
    """A new key, and the part of it by which it is known again."""
    core = made(36)
    MINE[core] = True
    return f"ghp_{core}"


def state() -> dict[str, object]:
    """A state with a key of its own in every text that it has."""
    return {
        "agent": {
            **{name: f"I am {key()}." for name in ("name", "emoji", "creature", "vibe", "soul", "identity")},
            "instructions": f"Say {key()}",
            "role": key(),
            "responsibilities": [{"title": key(), "content": key()}],
        },
        "user": {"name": key(), "timezone": key(), "location": key()},
        "overrides": {"append": f"Append {key()}"},
        "context_files": [{"path": f"/p/{key()}/AGENTS.md", "content": f"# Title\n\nUse {key()} here.\n"}],
        "workspace_files": [{"name": "TOOLS.md", "path": f"/h/{key()}", "content": key()}],
        "skills": [{"name": "pdf", "description": f"Reads {key()}", "location": f"/s/{key()}/SKILL.md", "body": key()}],
        "tools": [
            {
                "name": "read",
                "description": f"Reads {key()}",
                "snippet": key(),
                "guidelines": [key()],
                "parameters": {"type": "object", "properties": {key(): {"type": "string", "description": key()}}},
            },
            {"name": f"t_{key()}", "description": "Other."},
        ],
        "runtime": {
            "cwd": f"/p/{key()}",
            "home": f"/h/{key()}",
            "directories": [key()],
            "docs": {"main": key()},
            **{name: key() for name in ("host", "os", "arch", "shell", "provider", "model", "session", "location")},
            "sandbox": {"enabled": True, "mode": key(), "image": key()},
        },
        "session": {"id": key(), "plan_path": f"/p/{key()}.md"},
        "channel": key(),
        "memories": [f"Remember {key()}."],
        "task": {
            "id": key(),
            "title": key(),
            "description": key(),
            "status": key(),
            "owner": key(),
            "steps": [{"title": key(), "done": False}],
        },
        "mission": {
            "prompt": f"Find {{{{a}}}} with {key()}",
            "data": {"a": f"x {key()}", "b": {key(): [key()]}},
            "error": {"type": key(), "message": key(), "details": {"c": key()}},
        },
        "extra": {key(): key()},
    }


COMMANDS = [
    ["build"],
    ["build", "--format", "json"],
    ["build", "--budget", "600"],
    ["build", "--format", "anthropic"],
    ["build", "--format", "openai-responses"],
    ["explain"],
    ["explain", "--json"],
    ["context", "--by", "file"],
    ["context", "--by", "file", "--json"],
    ["context"],
    ["context", "--json"],
    ["state"],
    ["build", "--subagent"],
]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state in a file."""
    path = tmp_path_factory.mktemp("given") / "state.json"
    path.write_text(json.dumps(state()))
    return path


@pytest.mark.slow(unless=("build-house", "build-moltis", "build-ptc", "explain-house", "explain-moltis", "explain-ptc"))
@pytest.mark.parametrize("recipe", ["house", "moltis", "ptc"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_prints_a_key(given: Path, recipe: str, command: list[str]) -> None:
    """In whichever field a key stands, no command prints it, nor a half of it."""
    result = run(command[0], recipe, *command[1:], "--state", given, "--no-discover")
    assert result.returncode in (0, 1), result.stderr
    assert not [core for core in MINE if core[:12] in result.stdout or core[:12] in result.stderr]
    assert result.stdout or recipe == "ptc"


def test_what_is_built_of_a_printed_state_is_the_same_prompt(given: Path, tmp_path: Path) -> None:
    """`state` writes keys by their kinds, says so, and still gives the same prompt elsewhere."""
    told = json.loads(given.read_text())
    del told["tools"][0]["parameters"], told["mission"]["data"]["b"]  # where a key is the name of something
    given = tmp_path / "given.json"
    given.write_text(json.dumps(told))
    printed = run("state", "house", "--state", given, "--no-discover", "--now", "2026-03-07T08:55:05Z")
    assert "keys and tokens are written as `[secret: kind]`; --no-redact prints the values" in printed.stderr
    again = tmp_path / "again.json"
    again.write_text(printed.stdout)
    now = ("--no-discover", "--now", "2026-03-07T08:55:05Z")
    assert run("build", "house", "--state", again, *now).stdout == run("build", "house", "--state", given, *now).stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose instructions hold a key on line 3."""
    (tmp_path / "p/.git").mkdir(parents=True)
    (tmp_path / "h/.config/overture").mkdir(parents=True)
    (tmp_path / "p/AGENTS.md").write_text(f"Be brief.\n\nUse {KEY} here.\n")
    return tmp_path


KEY = f"ghp_{made(36)}"


def here(project: Path, *words: str, secrets: str | None = None) -> tuple[int, str, str]:
    """What a command says in the project."""
    where = ("--cwd", project / "p", "--home", project / "h")
    result = run(*words, *where, OVERTURE_SECRETS=secrets) if secrets else run(*words, *where)
    return result.returncode, result.stdout, result.stderr


def test_a_key_in_a_file_is_reported_with_its_place(project: Path) -> None:
    """File, line, column and kind are told, and with --strict it is a failure."""
    code, out, err = here(project, "build", "house", "--strict")
    assert code == 1
    assert "\nUse [secret: GitHub token] here.\n" in out
    assert f"warning: {project}/p/AGENTS.md: line 3, column 5: a GitHub token: it is written" in err
    assert KEY[:8] not in out + err


@pytest.mark.parametrize("way", ["option", "setting", "environment", "file"])
def test_a_key_is_left_where_the_user_says_so(project: Path, way: str) -> None:
    """--no-redact, -c, the environment and the user's own file leave it; it is reported nevertheless."""
    words = {"option": ["--no-redact"], "setting": ["-c", "secrets=show"]}.get(way, [])
    if way == "file":
        (project / "h/.config/overture/overture.toml").write_text('secrets = "show"\n')
    code, out, err = here(
        project, "build", "house", "--strict", *words, secrets="show" if way == "environment" else None
    )
    assert (code, f"Use {KEY} here." in out) == (1, True)
    assert "line 3, column 5: a GitHub token: it is not changed" in err
    assert KEY[:8] not in err


@pytest.mark.parametrize("line", ['secrets = "show"', '[recipes.house]\nsecrets = "show"'])
def test_a_project_can_not_switch_it_off(project: Path, line: str) -> None:
    """What a project's own file says of it is not used, and reported with the way to mean it."""
    (project / "p/overture.toml").write_text(f"{line}\n")
    _, out, err = here(project, "build", "house")
    assert KEY not in out
    assert "a project can only hide more, not less" in err
    assert "overture trust" in err


def test_a_project_can_not_open_what_the_user_keeps_private(project: Path) -> None:
    """Where the user says public, a project's `private` does not count; its `public` does."""
    (project / "h/.config/overture/overture.toml").write_text('audience = "public"\n')
    (project / "p/overture.toml").write_text('audience = "private"\n')
    assert "\n<host>\n" not in here(project, "build", "house")[1]
    (project / "h/.config/overture/overture.toml").write_text("")
    (project / "p/overture.toml").write_text('audience = "public"\n')
    assert "\n<host>\n" not in here(project, "build", "house")[1]


@pytest.mark.parametrize("words", [["-c", "secrets=sohw"], ["--audience", "puplic"], ["-c", "audience=puplic"]])
def test_another_word_is_an_error(project: Path, words: list[str]) -> None:
    """A slip does not count as either."""
    code, out, err = here(project, "build", "house", *words)
    assert (code, out, err.count("error: ")) == (2, "", 1)


def test_hidden_data_is_printed_nowhere(tmp_path: Path) -> None:
    """What stands under a key with `_` in a mission's data is in no output, the keys of a map there included."""
    data = {
        "a": 1,
        "_card": {"ssnfield": "123-45-6789", "inner": {"deepfield": 4711}},
        "u": {"_t": {"tokfield": "abcvalue"}},
    }
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"mission": {"prompt": "Go on with {{a}}.", "data": data}}))
    for command in COMMANDS:
        if command[0] == "skills":
            continue
        result = run(command[0], "ptc", *command[1:], "--state", path, "--no-discover")
        for word in ("ssnfield", "123-45", "deepfield", "4711", "tokfield", "abcvalue"):
            assert word not in result.stdout + result.stderr, command
    text = run("build", "ptc", "--state", path, "--no-discover", "--now", "2026-03-07T08:55:05Z").stdout
    assert "| `ctx/_card` | `:map` | [Hidden] |" in text
    again = tmp_path / "again.json"
    again.write_text(run("state", "ptc", "--state", path, "--no-discover").stdout)
    assert run("build", "ptc", "--state", again, "--no-discover", "--now", "2026-03-07T08:55:05Z").stdout == text


PEM = block("RSA PRIVATE KEY")


@pytest.mark.parametrize(
    "words",
    [
        ["build", KEY],
        ["build", "--set", f"agent.nmae={KEY}"],
        ["build", "--set", f"agent={KEY}"],
        ["build", "-c", f"{KEY}=1"],
        ["build", "-c", f"recipe={KEY}"],
        ["build", "--cwd", f"/nowhere/{KEY}"],
        ["build", "--state", f"/nowhere/{KEY}"],
        ["build", "--now", KEY],
        ["build", "--budget", KEY],
        ["build", "--tokenizer", KEY],
        ["build", "--window", KEY, "--budget", "1%"],
        ["build", "--format", KEY],
        ["explain", "--why", f"/nowhere/{KEY}"],
        [KEY],
        ["build", f"--{KEY}"],
        ["diff", KEY, "HEAD"],
        ["build", "--set", f"agent={PEM}"],
        ["build", "--now", PEM],
        ["build", "--tools", f"/nowhere/{KEY}"],
        ["schema", KEY],
    ],
    ids=lambda words: " ".join(words)[:24].replace("\n", " "),
)
def test_an_error_names_no_key(words: list[str]) -> None:
    """What is wrong with a value is said without the key in it."""
    result = run(*words)
    assert KEY[4:16] not in result.stdout + result.stderr
    assert PEM.splitlines()[1][:20] not in result.stdout + result.stderr


EVIL = {
    "escape": "\x1b[31m",
    "bidi": "\u202e",
    "nul": "\\u0000",
    "surrogate": "\udc80",
    "c1": "\x9b",
    "hidden": "\u200b",
    "tags": "\U000e0041",
}


@pytest.mark.slow(unless=("buildr", "build--set", "build--cwd"))
@pytest.mark.parametrize("evil", [name for name in EVIL if name != "nul"])
@pytest.mark.parametrize(
    "words",
    [
        ["build", "r{}"],
        ["build", "{}.toml"],
        ["build", "--set", "agent.{}=1"],
        ["build", "--set", "agent={}"],
        ["build", "--set", "{}=1"],
        ["build", "-c", "{}=1"],
        ["build", "-c", "recipe={}"],
        ["build", "-c", "tools={}.json"],
        ["build", "--cwd", "/no/{}"],
        ["build", "--home", "/no/{}"],
        ["build", "--root", "/no/{}"],
        ["build", "--state", "/no/{}"],
        ["build", "--tools", "/no/{}"],
        ["build", "--now", "{}"],
        ["build", "--budget", "{}"],
        ["build", "--budget", "{}=5"],
        ["build", "--tokenizer", "{}"],
        ["build", "--format", "{}"],
        ["build", "--audience", "{}"],
        ["explain", "--why", "/no/{}"],
        ["{}"],
        ["build", "--x{}"],
        ["diff", "{}", "HEAD"],
        ["schema", "{}"],
        ["recipes", "{}"],
        ["build", "-c", "features.context.filenames={}/.."],
    ],
    ids=lambda words: "".join(words),
)
def test_an_error_holds_no_raw_control_character(words: list[str], evil: str) -> None:
    """Wherever one is written, standard error is one line of characters that can be seen."""
    result = run(*(word.replace("{}", f"a{EVIL[evil]}b") for word in words))
    assert result.returncode in (0, 1, 2), result.stderr
    for line in result.stderr.splitlines():
        assert EVIL[evil] not in line
        assert line.isprintable(), repr(line)


@pytest.mark.slow(unless=("my.toml", "state.json"))
@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("overture.toml", 'recipe = "%"'),
        ("overture.toml", '"%" = 1'),
        ("overture.toml", 'tools = ["%"]'),
        ("overture.toml", '[recipes."%"]\nabout = 1'),
        ("state.json", '{"%": 1}'),
        ("state.json", '{"agent": {"%": 1}}'),
        ("state.json", '{"tools": [{"name": "%", "parameters": 1}]}'),
        ("state.json", '{"channel": ["%"]}'),
        ("state.json", '{"mission": {"prompt": "{{%}}"}}'),
        ("state.json", '{"now": "%"}'),
        ("tools.json", '[{"name": "%", "parameters": "%"}]'),
        ("tools.json", '[{"%": 1}]'),
        ("my.toml", '[[sections]]\nname = "%"\nx = 1'),
        ("my.toml", '[[sections]]\nname = "s"\ntext = "{{ % }}"'),
    ],
    ids=lambda each: each[:40],
)
def test_an_error_about_a_file_holds_none_either(tmp_path: Path, name: str, text: str, evil: str) -> None:
    """Keys, names and values of files are shown as they can be seen."""
    code = {"escape": "\\u001b[31m", "bidi": "\\u202e", "nul": "\\u0000", "surrogate": "\\udc80", "c1": "\\u009b"}
    code |= {"hidden": "\\u200b", "tags": "\\udb40\\udc41" if name.endswith("json") else "\\U000e0041"}
    (tmp_path / name).write_text(text.replace("%", f"a{code[evil]}b"))
    words: dict[str, list[str | Path]] = {
        "state.json": ["ptc", "--state", tmp_path / name],
        "tools.json": ["house", "--tools", tmp_path / name],
    }
    words |= {"my.toml": [str(tmp_path / name)]}
    result = run("build", *words.get(name, []), "--cwd", tmp_path, "--home", tmp_path)
    assert result.returncode in (0, 2)
    assert "Traceback" not in result.stderr
    for line in result.stderr.splitlines():
        assert line.isprintable(), repr(line)
