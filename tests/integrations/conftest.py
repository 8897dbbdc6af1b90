"""A project and sessions in it, for the tests of all frameworks."""

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from overture import Session

from .contract import Framework

# Whoever imports LiteLLM would ask the network for prices: tests talk to loopback alone.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
FRAMEWORKS = {
    "pydantic_ai": "pydantic_ai",
    "openai_agents": "agents.testing",
    "langchain": "langchain",
    "google_adk": "google.adk",
    "litellm": "litellm",
    "claude_agent_sdk": "claude_agent_sdk",
}
"""The drivers, and what has to be installed for each."""


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> Framework:
    """A framework that is installed here."""
    pytest.importorskip(FRAMEWORKS[request.param])
    found: Framework = importlib.import_module(f"{__package__}.frameworks.{request.param}")
    if reason := getattr(found, "CANNOT", {}).get(request.node.originalname):
        pytest.skip(f"{request.param}: {reason}")
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with instructions, nested ones, and a skill."""
    root = tmp_path / "project"
    for path, text in {
        "AGENTS.md": "Use tabs.\n",
        "api/AGENTS.md": "Answer in JSON.\n",
        "api/x.py": "x = 1\n",
        ".agents/skills/greet/SKILL.md": "---\nname: greet\ndescription: Says hello.\n---\nSay hello twice.\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (tmp_path / "home").mkdir()
    return root


@pytest.fixture
def make_session(project: Path) -> Callable[..., Session]:
    """Sessions in the project."""

    def make(**more: Any) -> Session:
        return Session(cwd=project, home=project.parent / "home", root=project, **more)

    return make
