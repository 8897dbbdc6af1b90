"""`make versions`: the whole suite on each Python that pyproject.toml names, as far as this machine has them.

Of several releases of a version the oldest is taken: what is wrong there was mended in the later ones. Interpreters
are looked for on PATH, among those of pyenv and uv, and in the variable PYTHONS.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[1]
NAMED = "Programming Language :: Python :: 3."
ASK = "import sys; print(*sys.version_info[:3], sep='.')"


def named_versions() -> list[str]:
    """`3.11`, `3.12` and so on, as the project's classifiers have them."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    return [each.rpartition(" ")[2] for each in project["classifiers"] if each.startswith(NAMED)]


def interpreters(version: str) -> Iterator[str]:
    """Whatever may be a Python of that version."""
    yield from filter(None, (shutil.which(f"python{version}", path=each) for each in os.get_exec_path()))
    yield from map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    yield from map(str, Path.home().glob(f".local/share/uv/python/*-{version}.*/bin/python"))
    yield from filter(None, os.environ.get("PYTHONS", "").split(os.pathsep))


def oldest(version: str) -> tuple[str, str] | None:
    """The oldest release of a version that is here, and where."""
    found: dict[tuple[int, ...], str] = {}
    for path in interpreters(version):
        said = subprocess.run([path, "-c", ASK], capture_output=True, text=True, check=False).stdout.strip()
        if said.startswith(f"{version}."):
            found[tuple(map(int, said.split(".")))] = path
    release = min(found, default=None)
    return (".".join(map(str, release)), found[release]) if release else None


def run_suite(release: str, python: str) -> bool:
    """Whether all tests pass there, in an environment of its own."""
    place = PROJECT / f".venv-{release}"
    inner = str(place / "bin" / "python")
    steps = [
        [python, "-m", "venv", str(place)],
        [inner, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", ".[web,dev]"],
        [inner, "-m", "pytest", *sys.argv[1:]],
    ]
    return all(subprocess.run(step, cwd=PROJECT, check=False).returncode == 0 for step in steps)


def main() -> int:
    """Run what can be run, and say of each version how it went."""
    said: dict[str, str] = {}
    for version in named_versions():
        found = oldest(version)
        if found is None:
            said[version] = "not here"
            continue
        print(f"== Python {found[0]} ==", flush=True)
        said[found[0]] = "passes" if run_suite(*found) else "FAILS"
    print("\n".join(f"Python {version}: {outcome}" for version, outcome in said.items()))
    return 1 if "FAILS" in said.values() or set(said.values()) == {"not here"} else 0


if __name__ == "__main__":
    sys.exit(main())
