"""What a command does not run it does not load: modules and patterns of the main commands, counted in a fresh Python.

A number here is what the command needs today, and a little more. Whoever has to raise one has loaded something for all
commands that few of them need: import it where it is used.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

HARBOR = Path(__file__).parents[1] / "examples" / "harbor"
COUNT = """
import contextlib, io, json, re._compiler, sys
compiled = []
compile = re._compiler.compile
re._compiler.compile = lambda pattern, *more: compiled.append(str(pattern)) or compile(pattern, *more)
sys.argv = ["overture", *sys.argv[1:]]
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(SystemExit):
    from overture.cli.main import main
    main()
print(json.dumps([sorted(sys.modules), len(compiled)]))
"""
MAX_MODULES = {
    ("--help",): 13,
    (): 219,
    ("agents",): 187,
    ("agents", "codex"): 164,
    ("check",): 209,
    ("build",): 153,
    ("explain",): 185,
}
"""A command -> modules of ours."""
MAX_PATTERNS = {(): 158, ("agents",): 101, ("check",): 153, ("build",): 67, ("explain",): 77}
"""A command -> patterns that are compiled, those of other packages included; a long path of the checkout needs two."""
PRODUCTS = {"tap", "web", "lock", "session", "testing", "report_api"}
"""What serves other commands, and stays away from these."""
HEAVY = {"asyncio", "ssl", "email", "http", "sqlite3", "hypothesis", "uvicorn", "starlette", "httpx", "watchfiles"}


@cache
def run(*words: str) -> tuple[set[str], int]:
    """The modules that a command has loaded when it ends in the example, and how many patterns it compiled."""
    command = [sys.executable, "-c", COUNT, *words]
    environment = {**os.environ, "HOME": str(HARBOR / "home")}
    result = subprocess.run(
        command, cwd=HARBOR / "services" / "berths", env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    loaded, patterns = json.loads(result.stdout.splitlines()[-1])
    return set(loaded), patterns


def own(loaded: set[str]) -> list[str]:
    """Those that are ours."""
    return sorted(name for name in loaded if name.partition(".")[0] == "overture")


@pytest.mark.parametrize("words", MAX_MODULES, ids=lambda words: " ".join(words) or "bare")
def test_a_command_loads_few_modules(words: tuple[str, ...]) -> None:
    """No more of ours than it needs."""
    loaded = own(run(*words)[0])
    assert len(loaded) <= MAX_MODULES[words], "\n".join(loaded)


@pytest.mark.parametrize("words", MAX_PATTERNS, ids=lambda words: " ".join(words) or "bare")
def test_a_command_compiles_few_patterns(words: tuple[str, ...]) -> None:
    """A pattern is compiled for a text that needs it, not because its module is loaded."""
    assert run(*words)[1] <= MAX_PATTERNS[words]


@pytest.mark.parametrize("words", MAX_MODULES, ids=lambda words: " ".join(words) or "bare")
def test_a_command_loads_no_other_product(words: tuple[str, ...]) -> None:
    """Neither tap, web, lock nor session, and no package for networks or servers."""
    loaded = run(*words)[0]
    assert {f"overture.{name}" for name in PRODUCTS} & loaded == set()
    assert loaded & HEAVY == set()


def test_text_of_a_build_needs_no_provider() -> None:
    """`overture build` prints text: no provider's form, no table of models, no budget, no hash is loaded for that."""
    loaded = run("build")[0]
    unused = {"overture.providers.render", "overture.known_models", "overture.fit.fit", "overture.report", "hashlib"}
    assert unused & loaded == set()


def test_agents_are_read_without_toml(tmp_path: Path) -> None:
    """All agents' recipes are made without a parser of TOML."""
    code = (
        "import sys, json\nfrom overture.known_agents import AGENTS, agent, agent_program\n"
        "made = [agent(name) for name in AGENTS] + [agent_program(name) for name in AGENTS]\n"
        "print(json.dumps('tomllib' in sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(result.stdout) is False


def test_a_build_in_python_loads_no_command() -> None:
    """`overture.build` of a state loads no command line, no provider, no tokenizer and no table of models."""
    code = "import sys, json, overture\noverture.build('pi', overture.State()).text\nprint(json.dumps([*sys.modules]))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded: set[str] = set(json.loads(result.stdout))
    unused = {"overture.cli", "overture.terminal", "overture.providers", "overture.known_models", "click", "hashlib"}
    unused |= {"overture.text.secrets.search_and_decode", "overture.model.convert_tools", "dataclasses", "pkgutil"}
    assert (unused | {"overture.discover.load_tokenizer"}) & loaded == set()
    assert len(own(loaded)) <= 78


def test_a_prompt_of_a_given_state_needs_no_discovery() -> None:
    """Whoever builds from a State waits for nothing that reads the world, its configuration or other recipes."""
    program = (
        "import json, sys, overture; overture.build('pi', overture.State()).text; print(json.dumps([*sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {
        name
        for name in own(set(json.loads(done.stdout)))
        if name.startswith(("overture.discover.", "overture.project"))
    }
    assert loaded == {"overture.discover.disk", "overture.discover.disk.world"}


def test_a_command_of_the_tap_loads_no_other() -> None:
    """`overture tap programs` needs neither logs of other programs nor the comparison of two calls."""
    loaded = {name for name in run("tap", "programs")[0] if name.startswith("overture.tap.commands.")}
    assert loaded == {"overture.tap.commands.choose_store_and_calls"}
