"""How long builds and discovery take on this machine: `make bench`.

Each figure is the best of several runs. What matters is the ratio of the lines to each other: machines differ.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import overture
from overture.model.prompt.prompt import Prompt
from tokens import measure_tokens

TARGETS = {"nothing changed": 5.0, "clock changed, above joining": 20.0, "fresh": 400.0}
"""Microseconds for the large state."""

LINE = "- Run `make test` before you commit, and say in the message why the change is needed.\n"
PAGE = "## Conventions\n\n" + LINE * 8 + "\nSee <https://example.org> and `<name>` below.\n\n"


def best(run: Callable[[], object], seconds: float = 0.4) -> float:
    """The shortest run, in microseconds."""
    run()
    shortest = float("inf")
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        run()
        shortest = min(shortest, time.perf_counter_ns() - start)
    return shortest / 1000


def small_and_large() -> dict[str, overture.State]:
    """The two states that are measured."""
    return {
        "small": state(tools=4, files=2, skills=3, page=PAGE),
        "large": state(tools=20, files=10, skills=200, page=PAGE * 4),
    }


def state(tools: int, files: int, skills: int, page: str) -> overture.State:
    """A state with so many tools, files and skills."""
    names = ["read", "bash", "edit", "write", "read_file", "edit_file", "write_file", "shell", "use_skill"]
    names = [*names, *(f"tool_{i}" for i in range(20))][:tools]
    return overture.State.from_dict(
        {
            "tools": [{"name": name, "snippet": f"Does what {name} does"} for name in names],
            "context_files": [{"path": f"/p/{'d/' * i}AGENTS.md", "content": page} for i in range(files)],
            "skills": [
                {
                    "name": f"skill-{i:03}",
                    "description": "Use when a form has to be filled in or a table read.",
                    "location": f"/p/.agents/skills/skill-{i:03}/SKILL.md",
                }
                for i in range(skills)
            ],
            "runtime": {"cwd": "/p", "timezone": "America/Chicago", "home": "/home/user"},
            "now": "2026-03-07T08:55:05-06:00",
            "session": {"id": "bench"},
        }
    )


def measure_build(name: str, size: str, state: overture.State) -> None:
    """Fresh, with nothing changed, and with only the clock changed."""
    recipe = overture.load_recipe(name)
    prompt = overture.build(recipe, state)
    equal = state.replace()
    assert state.now is not None
    later = state.replace(now=state.now + timedelta(seconds=1))
    joining = best(lambda: "\n\n".join([block.text for block in prompt.blocks]))
    clock = best(lambda: text_of(overture.build(recipe, later, since=prompt)))
    rows = {
        "fresh": best(lambda: text_of(overture.build(recipe, state))),
        "nothing changed": best(lambda: overture.build(recipe, equal, since=prompt)),
        "clock changed, above joining": clock - joining,
        "joining": joining,
    }
    for label, value in rows.items():
        target = f"target {TARGETS[label]:g}" if size == "large" and label in TARGETS else ""
        show(f"{name} {size} ({len(prompt.text):,} chars): {label}", value, "µs", target)


def text_of(prompt: Prompt) -> str:
    """The joined text, so that joining is part of what is measured."""
    return prompt.text


def measure_discovery(name: str) -> None:
    """10 files and 200 skills from disk, cold and with nothing changed."""
    with tempfile.TemporaryDirectory() as folder:
        cwd, home = project(Path(folder))
        time.sleep(0.2)  # files written this very moment are read again
        recipe = overture.load_recipe(name)

        def cold() -> Prompt:
            found = overture.discover(recipe, cwd=cwd, home=home, root=folder)
            return overture.build(recipe, found.state)

        found = overture.discover(recipe, cwd=cwd, home=home, root=folder)
        prompt = overture.build(recipe, found.state)

        def warm() -> Prompt:
            again = overture.discover(recipe, cwd=cwd, home=home, root=folder, since=found)
            return overture.build(recipe, again.state, since=prompt)

        assert len(found.state.context_files) == 10, len(found.state.context_files)
        assert len(found.state.skills) == 200, len(found.state.skills)
        show(f"{name}: discovery and build, cold", best(cold, 2) / 1000, "ms", "target 40")
        show(f"{name}: discovery and build, nothing changed on disk", best(warm, 1) / 1000, "ms", "target 5")


def project(folder: Path) -> tuple[Path, Path]:
    """Ten nested folders with an AGENTS.md each, and a home with 200 skills."""
    here = folder / "p"
    for level in range(10):
        here.mkdir(parents=True)
        (here / "AGENTS.md").write_text((PAGE * 4).replace("make test", f"make test-{level}"))
        here = here / f"d{level}"
    for i in range(200):
        skill = folder / "home/.agents/skills" / f"skill-{i:03}"
        skill.mkdir(parents=True)
        front = f"---\nname: skill-{i:03}\ndescription: Use when a form has to be filled in.\nlicense: MIT\n---\n"
        (skill / "SKILL.md").write_text(front + LINE * 20)
    return here.parent, folder / "home"


def show(label: str, value: float, unit: str, target: str = "") -> None:
    """One line."""
    print(f"{label:<78} {value:>9.2f} {unit}  {target}")


def main() -> None:
    """Measure everything."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, best of several runs")
    for size, made in small_and_large().items():
        for name in ("opal", "pi"):
            measure_build(name, size, made)
    measure_tokens(best, show)
    for name in ("opal", "pi"):
        measure_discovery(name)


if __name__ == "__main__":
    main()
