import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .forked import run_overture


def overture(top: Path, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run the command line as a process, from `top`/p, with `top`/home as home."""
    (top / "p").mkdir(exist_ok=True)
    done = run_overture(words, b"", top / "p", {"HOME": str(top / "home"), **variables})
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def told(top: Path, *words: str, **variables: str) -> dict[str, Any]:
    """What `overture config --json` says."""
    done = overture(top, "config", *words, "--json", **variables)
    assert (done.returncode, done.stderr) == (0, "")
    rows: dict[str, Any] = json.loads(done.stdout)
    return rows


def test_defaults(tmp_path: Path) -> None:
    """Without any configuration every value is the default, the recipe's own where it has one."""
    rows = told(tmp_path, "pi")
    assert rows["recipe"] == {"value": "pi", "origin": "command line"}
    assert rows["tools"] == {"value": ["read", "bash", "edit", "write"], "origin": "default of pi"}
    assert rows["features.context.enabled"] == {"value": True, "origin": "default"}
    assert rows["features.context.filenames"] == {"value": ["AGENTS.md", "CLAUDE.md"], "origin": "default of pi"}
    assert rows["features.context.nested"] == {"value": False, "origin": "default of pi"}
    assert told(tmp_path, "house")["features.context.nested"] == {"value": True, "origin": "default of house"}
    assert rows["features.links.outside"] == {"value": False, "origin": "default"}
    assert rows["recipes.pi.folder"] == {"value": ".sf", "origin": "default"}


def test_each_value_names_its_origin(tmp_path: Path) -> None:
    """Each value is printed with the layer that won it."""
    user = put(tmp_path / "home/.config/overture/overture.toml", 'recipe = "opal"\nfeatures.skills.enabled = false\n')
    project = put(tmp_path / "overture.toml", 'recipe = "pi"\ntools = ["read"]\n[recipes.pi]\nfolder = ".pi"\n')
    rows = told(
        tmp_path,
        "-c",
        'features.context.filenames=["X.md"]',
        OVERTURE_FEATURES_SKILLS_EXTRA_DIRS="/",
        OVERTURE_FEATURES_CONTEXT_FILENAMES="Y.md",
    )
    assert rows["recipe"] == {"value": "pi", "origin": str(project)}
    assert rows["tools"] == {"value": ["read"], "origin": str(project)}
    assert rows["features.skills.enabled"] == {"value": False, "origin": str(user)}
    assert rows["features.skills.extra_dirs"] == {"value": ["/"], "origin": "OVERTURE_FEATURES_SKILLS_EXTRA_DIRS"}
    assert rows["features.context.filenames"] == {"value": ["X.md"], "origin": "command line"}
    assert rows["recipes.pi.folder"] == {"value": ".pi", "origin": str(project)}
    nested = told(tmp_path, "pi", "-c", "features.context.nested=on")["features.context.nested"]
    assert nested == {"value": True, "origin": "command line"}


def test_opal_begins_with_the_switches_of_its_document(tmp_path: Path) -> None:
    """Project files and skills are on, the names are AGENTS.md and OPAL.md, and no further folder is searched."""
    rows = told(tmp_path, "opal")
    assert rows["features.context.enabled"] == {"value": True, "origin": "default"}
    assert rows["features.context.filenames"] == {"value": ["AGENTS.md", "OPAL.md"], "origin": "default of opal"}
    assert rows["features.skills.enabled"] == {"value": True, "origin": "default"}
    assert rows["features.skills.extra_dirs"] == {"value": [], "origin": "default"}


def test_the_table_for_a_person(tmp_path: Path) -> None:
    """Without --json each setting is one line under headings: key, value as JSON, origin."""
    put(tmp_path / "p/overture.toml", "features.skills.enabled = false\n")
    done = overture(tmp_path, "config", "pi")
    rows = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    assert ["features.skills.enabled", "false", "overture.toml"] in rows
    assert ["recipes.pi.folder", '".sf"', "default"] in rows
    heads, first, *_ = done.stdout.splitlines()
    assert heads.split() == ["setting", "value", "from"]
    assert first.split() == ["recipe", '"pi"', "command", "line"]


def test_what_is_typed_wins_over_a_recipes_table(tmp_path: Path) -> None:
    """-c wins over a file's table for the recipe, and the origin says so."""
    put(tmp_path / "p/overture.toml", "[recipes.pi.features.skills]\nenabled = true\n")
    rows = told(tmp_path, "pi", "-c", "features.skills.enabled=false")
    assert rows["features.skills.enabled"] == {"value": False, "origin": "command line"}


def test_build_uses_the_configured_recipe(tmp_path: Path) -> None:
    """`overture build` without a recipe builds the configured one with the configured tools."""
    put(tmp_path / "overture.toml", 'recipe = "pi"\ntools = ["grep"]\n')
    done = overture(tmp_path, "build")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n- grep: " in done.stdout
    assert "\n- read: " not in done.stdout


def test_a_tools_file_beside_the_configuration(tmp_path: Path) -> None:
    """A relative tools file is found beside its configuration, from any working directory."""
    put(tmp_path / "overture.toml", 'tools = "tools.json"\n')
    put(tmp_path / "tools.json", '{"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}')
    done = overture(tmp_path, "state", "pi")
    assert done.stderr == ""
    assert [tool["name"] for tool in json.loads(done.stdout)["tools"]] == ["look"]


def test_an_error_is_one_line(tmp_path: Path) -> None:
    """A configuration that can't be used ends every command with 2 and one line."""
    put(tmp_path / "p/overture.toml", "[feature.skills]\nenabled = false\n")
    for command in ("config", "build", "state"):
        done = overture(tmp_path, command, "pi")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: No setting named `feature`\n --> overture.toml\n")
        assert done.stderr.count("error: ") == 1


def test_a_number_too_long_is_one_line(tmp_path: Path) -> None:
    """A number that Python refuses to read is no traceback: an error in our file, a warning in another's."""
    text = f"a = {'1' * 5000}\n"
    path = put(tmp_path / "p/pyproject.toml", text)
    done = overture(tmp_path, "config", "pi")
    assert done.returncode == 0
    assert done.stderr.startswith(f"warning: {path}: ")
    put(tmp_path / "p/overture.toml", text)
    done = overture(tmp_path, "config", "pi")
    assert done.returncode == 2
    assert done.stderr.startswith("error: It contains a number that is too long: ")
    assert done.stderr.endswith("\n --> overture.toml\n")
    assert done.stderr.count("error: ") == 1


def test_a_misspelt_option_is_one_line(tmp_path: Path) -> None:
    """-c with an unknown key, no value or a wrong type ends with 2 and one line that names it."""
    cases = {
        "features.skill.enabled=false": "exists: `features.skills.enabled`",
        "features.skills.enabled": "is not KEY=VALUE",
        "features.skills.enabled=maybe": "`features.skills.enabled`: ",
        "recipes.pi.foldr=x": "exists: `folder`",
        "recipes.pi.features.skills.enabled=maybe": "features.skills.enabled`: ",
    }
    for option, said in cases.items():
        done = overture(tmp_path, "config", "pi", "-c", option)
        assert done.returncode == 2, option
        assert said in done.stderr
        assert done.stderr.count("error: ") == 1


def test_a_warning_does_not_stop(tmp_path: Path) -> None:
    """A broken pyproject.toml is one warning on standard error; the prompt is built."""
    path = put(tmp_path / "p/pyproject.toml", "[tool.overture\n")
    done = overture(tmp_path, "build", "pi")
    assert done.returncode == 0
    assert done.stderr.startswith(f"warning: {path}: skipped: invalid TOML")
    assert done.stderr.count("\n") == 1
    assert done.stdout.startswith("You are")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('audience = "Public"', "`audience`: `Public` is not one of private, public. Did you mean `public`? It is"),
        ('secrets = "always"', "`secrets`: `always` is not one of redact, show. It is `always`"),
        ('[check.severity]\nsecret = "fatal"', "`fatal` is not one of error, warning, note. It is"),
        ('[mcp.servers.a]\ncommand = "x"\ntimeout = 0', "[...].timeout: it must be greater than 0. It is"),
        ("[mcp.servers.a]\nurll = 1", "unknown key `urll`. Did you mean `url`? Known: command, args,"),
    ],
)
def test_an_invalid_value_names_the_valid_ones(tmp_path: Path, text: str, message: str) -> None:
    """An error about a setting lists the words that it takes, or its limit."""
    put(tmp_path / "p/overture.toml", f"{text}\n")
    done = overture(tmp_path, "build")
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_every_commented_default_of_the_template_is_valid(tmp_path: Path) -> None:
    """The template with all its comments taken away is still a valid configuration."""
    lines = overture(tmp_path, "config", "pi", "--template").stdout.splitlines()
    put(tmp_path / "p/overture.toml", "\n".join(line.removeprefix("# ") if " = " in line else line for line in lines))
    done = overture(tmp_path, "config")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--template" in overture(tmp_path, "config", "--template", "--json").stderr
