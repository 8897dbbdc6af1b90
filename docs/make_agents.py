"""Write docs/agents/*.md from the agents' modules: `make docs`."""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from agent_page import Page, quoted
from markdown_table import table

from overture.agents.views import EVIDENCE_PHRASE
from overture.discovery.place import locate
from overture.known_agents import AGENTS, agent
from overture.project.resolve import resolve
from overture.testing import FakeWorld

FOLDER = Path(__file__).parent / "agents"
MADE = "<!-- Made by docs/make_agents.py. Change the agent's module, then run `make docs`. -->\n\n"
COMMON = 4
"""So many agents look for a common name."""
SHOWN = 5
"""So many names are in a cell."""
ABOVE, ROOT, BETWEEN, HERE, BELOW = "/w", "/w/top", "/w/top/a", "/w/top/a/here", "/w/top/a/here/b"
SPANS = {ABOVE: "above the root", ROOT: "root", BETWEEN: "below the root", HERE: "working directory"}
INTRO = """\
# What agents read

Which of your files does an agent load, in which order, and why does it skip the others?
Each agent has its own page; this page compares them.

The **root** is the root of the repository.
The **working directory** is the folder where the agent is started, or the folder that is opened in an editor.

## Does it read my file?
"""
USUAL = """\
## What is usual

Unless an agent's page says otherwise:

- Names are case-sensitive. `*` matches files that begin with a dot, but not folders.
- Symlinks are followed, and an empty file is skipped. The text is loaded as it is, with its frontmatter.
- A rule is loaded at the start if its frontmatter has no patterns, only `**`, or is invalid.
  With other patterns it waits for a matching file. They are relative to the root; one without a `/` matches anywhere.
- A skill is a folder with a `SKILL.md`, directly in a folder of skills.
  The key `disable-model-invocation` excludes it.
"""


def pages() -> dict[str, str]:
    """Every page by its file name: one for each agent, and the comparison of all."""
    agents = sorted(map(Page, AGENTS), key=lambda page: page.facts.title.casefold())
    made = {"README.md": compare(agents), **{f"{page.name}.md": page.write() for page in agents}}
    return {name: MADE + text.rstrip() + "\n" for name, text in made.items()}


def compare(agents: Sequence[Page]) -> str:
    """The page about all agents."""
    names = _find_common_names(agents)
    readers = ("file", "at the start", "at the start, unless beside another", "below, once it works there")
    columns = ("agent", "files of a project", "from … to", "limit", "skills", "known from", "version", "last checked")
    counts = Counter(folder for page in agents for folder in page.skill_folders)
    shared = sorted((each[0] in "~/", -count, each) for each, count in counts.items() if count > 1)
    users = [(f"`{each}`", _link(page for page in agents if each in page.skill_folders)) for *_, each in shared]
    return (
        f"{INTRO}\nThe names that at least {COMMON} agents look for, and who loads them. A setting may add others. "
        "In parentheses: the files that hide it.\n\n"
        f"{table(readers, [_find_readers(agents, name, names) for name in names])}\n"
        f"## All agents\n\nKnown from, best evidence first: {', '.join(EVIDENCE_PHRASE.values())}.\n\n"
        f"{table(columns, [_compare(page, names) for page in agents])}\n"
        f"## Which agents look for skills in a folder\n\nThe folders that several agents search.\n\n"
        f"{table(('folder', 'agents'), users)}\n{USUAL}"
    )


def _link(agents: Iterable[Page]) -> str:
    return ", ".join(f"[{page.facts.title}]({page.name}.md)" for page in agents)


def _find_common_names(agents: Sequence[Page]) -> list[str]:
    """The names that most agents look for; of those that differ in letter case alone, the most common."""
    counts = Counter(name for page in agents for name in dict.fromkeys("|".join(page.project_names).split("|")))
    common = [name for name, count in counts.most_common() if count >= COMMON and "*" not in name]
    return [name for at, name in enumerate(common) if name.casefold() not in map(str.casefold, common[:at])]


def _find_readers(agents: Sequence[Page], name: str, names: Sequence[str]) -> tuple[str, ...]:
    """Who loads a file of that name, alone in a project or beside another; and below the working directory."""
    hidden = {}
    for page in agents:
        if folders := _find_folders(page, name):
            others = (other for other in names if other != name)
            hidden[page.name] = [other for other in others if not _loads(page.name, folders[-1], name, other)]
    always = [page for page in agents if hidden.get(page.name) == []]
    unless = [f"{_link([page])} ({quoted(hidden[page.name])})" for page in agents if hidden.get(page.name)]
    below = [page for page in agents if _loads(page.name, BELOW, name)]
    return f"`{name}`", _link(always), "; ".join(unless), _link(below)


def _compare(page: Page, names: Sequence[str]) -> tuple[str, ...]:
    """An agent's row."""
    folders = sorted({folder for name in names for folder in _find_folders(page, name)}) or [""]
    ends = dict.fromkeys(SPANS.get(folder, "–") for folder in (folders[0], folders[-1]))
    over = {"file": "a file", "together": "together"}
    limits = [f"{each.most:,} {each.unit} {over[each.over]}" for each in page.wants.limits]
    skills = [folder for folder in page.skill_folders if folder[0] not in "~/"]
    return (
        _link([page]),
        _few(page.project_names) or "none by itself",
        (" to " if BETWEEN in folders else " and ").join(ends),
        "; ".join(limits) or "none known",
        _few(skills) or "none known",
        EVIDENCE_PHRASE[page.facts.known],
        page.facts.version,
        str(page.facts.checked),
    )


def _few(names: Sequence[str]) -> str:
    shown = quoted(name.partition("|")[0] for name in names[:SHOWN])
    return f"{shown} and {len(names) - SHOWN} more" if len(names) > SHOWN else shown


def _find_folders(page: Page, file: str) -> list[str]:
    return [folder for folder in (ABOVE, ROOT, BETWEEN, HERE) if _loads(page.name, folder, file)]


@cache
def _loads(agent_name: str, folder: str, *files: str) -> bool:
    """Whether an agent loads the first of these files in a folder; below the working directory, once it works there."""
    texts = {f"{folder}/{file}": file for file in (*files, "x.py")}
    world = FakeWorld({**texts, f"{ROOT}/.git/HEAD": "ref: refs/heads/main\n"}, cwd=HERE)
    project = resolve(agent(agent_name), locate(HERE, None, None, None, world))
    found = project._replace(touching=(f"{BELOW}/x.py",) if folder == BELOW else ()).find(None)
    return any(look.path == f"{folder}/{files[0]}" and look.outcome == "loaded" for look in found.looked_at)


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"docs/agents/{name}\n")


if __name__ == "__main__":
    main()
