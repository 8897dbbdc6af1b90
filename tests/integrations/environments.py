"""`make integrations`: the contract of the integrations, with each framework at its lowest and its newest version.

The frameworks can't be installed beside each other, nor beside all that the other tests need: each gets an environment
of its own, in a folder that is removed afterwards. Names of frameworks as arguments run these alone.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parents[2]
VERSION = re.compile(r'^(LOWEST|NEWEST) = "([^"]+)"$', re.MULTILINE)
TOOLS = ("pytest==9.2.0", "pytest-xdist==3.8.0", "hypothesis==6.170.15", "httpx==0.28.1", "opentelemetry-sdk>=1.30")
"""What the tests of this folder need; the rest of the dev extra pins clients that some frameworks refuse."""


class Framework(NamedTuple):
    """A row of the table: the module of the integration, the package, and what is installed beside it."""

    module: str
    package: str
    extras: tuple[str, ...] = ()
    lowest_extras: tuple[str, ...] = ()
    """What is installed beside the lowest version: packages of the same time, where it takes later ones by mistake."""
    version: str = ""
    """The version tried, of a framework that has no module: docs/integrations.md shows the code."""


TABLE = (
    Framework("pydantic_ai", "pydantic-ai-slim"),
    Framework("openai_agents", "openai-agents"),
    Framework("litellm", "litellm", ("mcp",)),
    Framework("langchain", "langchain", ("langchain-anthropic",), ("langchain-anthropic", "langgraph-prebuilt==1.0.8")),
    Framework("google_adk", "google-adk"),
    Framework("claude_agent_sdk", "claude-agent-sdk"),
    Framework("smolagents", "smolagents", version="1.26.0"),
    Framework("dspy", "dspy", version="3.4.1"),
)


def read_versions(framework: Framework) -> dict[str, str]:
    """The lowest and the newest version, as the integration states them."""
    if framework.version:
        return {"NEWEST": framework.version}
    text = (PROJECT / f"src/overture/integrations/{framework.module}.py").read_text("utf-8")
    return dict(VERSION.findall(text))


def run_contract(framework: Framework, version: str, lowest: bool) -> bool:
    """Whether all tests of this folder pass with that version."""
    with tempfile.TemporaryDirectory(prefix="overture-") as place:
        python = str(Path(place, "bin", "python"))
        uv = shutil.which("uv")
        install = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
        extras = framework.lowest_extras if lowest and framework.lowest_extras else framework.extras
        driver = ("test_" if framework.version else "frameworks.") + framework.module
        # DSPy brings a LiteLLM that lacks what the tests of LiteLLM need: it has tests of its own.
        tests = f"tests/integrations/{driver}.py" if framework.version else "tests/integrations"
        steps = [
            [uv, "venv", "--quiet", "--python", sys.executable, place] if uv else [sys.executable, "-m", "venv", place],
            [*install, "--quiet", "--editable", ".", *TOOLS, f"{framework.package}=={version}", *extras],
            [python, "-c", f"import tests.integrations.{driver}"],
            [
                python,
                "-m",
                "pytest",
                "-o",
                "addopts=--strict-markers",
                "-q",
                "-W",
                "ignore::UserWarning",
                tests,
            ],
        ]
        return all(subprocess.run(step, cwd=PROJECT, check=False).returncode == 0 for step in steps)


def main() -> int:
    """Run each framework at both versions, and say how it went."""
    outcomes: dict[str, str] = {}
    for framework in TABLE:
        if sys.argv[1:] and framework.module not in sys.argv[1:]:
            continue
        for kind, version in read_versions(framework).items():
            print(f"== {framework.package} {version} ==", flush=True)
            passes = run_contract(framework, version, kind == "LOWEST")
            outcomes[f"{framework.package} {version}"] = "passes" if passes else "FAILS"
    print("\n".join(f"{name}: {outcome}" for name, outcome in outcomes.items()))
    return 0 if outcomes and "FAILS" not in outcomes.values() else 1


if __name__ == "__main__":
    sys.exit(main())
