"""Installs the agents from their registries, a folder each, without running their install scripts."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.contract.agents.lab.folder import LAB, NODE

from .packages import NODE_PACKAGE, PACKAGES, Package

MINUTES = 15
"""How long one installation may take."""


def agent_folder(agent: str) -> Path:
    """Where an agent is installed."""
    return LAB / "agents" / agent


def installed_version(package: Package) -> str | None:
    """The version that lies in the laboratory, None where there is none."""
    if package.registry == "npm":
        about = agent_folder(package.agent) / "node_modules" / package.name / "package.json"
        return json.loads(about.read_text(encoding="utf-8"))["version"] if about.is_file() else None
    name = package.name.replace("-", "_")
    found = sorted(agent_folder(package.agent).glob(f"lib/python*/site-packages/{name}-*.dist-info"))
    return found[-1].name.removeprefix(f"{name}-").removesuffix(".dist-info") if found else None


def install_all(names: tuple[str, ...] = ()) -> dict[str, str]:
    """Install what is missing; what could not be installed comes back by name, with one line of why."""
    wanted = [each for each in PACKAGES if not names or each.agent in names]
    missing = [each for each in (NODE_PACKAGE, *wanted) if installed_version(each) is None]
    return {each.agent: why for each in missing if (why := _install(each))}


def _install(package: Package) -> str:
    """Why a package could not be installed, empty where it was."""
    folder = agent_folder(package.agent)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for line in _npm(package, folder) if package.registry == "npm" else _pip(package, folder):
            done = subprocess.run(line, cwd=folder, env=_env(), capture_output=True, text=True, timeout=MINUTES * 60)
            if done.returncode:
                return _last_line(done.stderr or done.stdout)
    except (OSError, subprocess.TimeoutExpired) as error:
        return _last_line(str(error))
    return "" if installed_version(package) else "installed, and nothing lies there"


def _npm(package: Package, folder: Path) -> list[list[str]]:
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--cache", str(LAB / "npm")]
    return [["nice", "-n", "10", "npm", "install", *options, package.asked]]


def _pip(package: Package, folder: Path) -> list[list[str]]:
    install = ["-m", "pip", "install", "--quiet", "--prefer-binary", "--cache-dir", str(LAB / "pip"), package.asked]
    return [[_python(), "-m", "venv", str(folder)], ["nice", "-n", "10", str(folder / "bin" / "python"), *install]]


def _python() -> str:
    """The Python for agents in Python: some of them run on 3.12 alone."""
    return os.environ.get("AGENTS_PYTHON") or shutil.which("python3.12") or sys.executable


def _env() -> dict[str, str]:
    return {**os.environ, "PATH": f"{NODE}:{os.environ['PATH']}"}


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and "notice" not in line]
    errors = [line for line in lines if "error" in line.lower() and "error code" not in line]
    return (errors or lines or ["no reason given"])[0][:160]
