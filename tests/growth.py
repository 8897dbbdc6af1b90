"""Hostile inputs of any size, and what is done with each: `tests/test_growth.py` runs them, `bench/growth.py` measures.

A path is made for a size, in characters of text or in things (skills, messages, blocks), and then run.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import overture
from overture import Message, OvertureError, Session
from overture.discovery.configuration.config import load_config
from overture.discovery.parse_json_and_toml import decode_json
from overture.discovery.people import read_agent, read_memories
from overture.discovery.place import Location
from overture.errors import suggest
from overture.providers.render import facts_for
from overture.recipes.ptc import check
from overture.report.sheet.make_sheet import make_sheet
from overture.report.sheet.sheet import SheetContext
from overture.report.text_diff import diff_lines
from overture.session.prompt_templates import fill_prompt_template
from overture.session.turn_and_context import measure_prompt_context
from overture.tap.attribute.source_lines import attribute_texts
from overture.testing import FakeWorld, make_state
from overture.text.broken_frontmatter import list_spoilers, parse_by_line, parse_with_quotes
from overture.text.fences_and_headings import closing_tags
from overture.text.frontmatter import parse_frontmatter as frontmatter

Run = Callable[[], object]


class Path(NamedTuple):
    """What is run, by name: `make` gives it for a size, and `size` is one that is far too much for its square."""

    name: str
    make: Callable[[int], Run]
    size: int = 80_000

    def run(self, size: int | None = None) -> None:
        """Do it once; that it is refused is fine."""
        act = self.make(size or self.size)
        with suppress(OvertureError):
            act()


TEXTS: dict[str, Callable[[int], str]] = {
    "headings": lambda n: "# h\n" * (n // 4),
    "lines that announce": lambda n: "a:\n" * (n // 3),
    "blank lines": lambda n: f"a{chr(10) * n}b",
    "fences": lambda n: "```\n" * (n // 4 | 1),
    "backticks": lambda n: "`" * n,
    "quotes in quotes": lambda n: "> " * (n // 2) + "```\nx",
    "items in items": lambda n: "- " * (n // 2) + "```\nx",
    "items and blank lines": lambda n: "- " * (n // 4) + "x\n" + "\n" * (n // 2) + "```\n",
    "quoted items and quotes": lambda n: "> " + "- " * (n // 4) + "x\n" + ">\n" * (n // 4) + "```\n",
    "combining marks": lambda n: "a" + "\u0301" * n,
    "flags": lambda n: "\U0001f1e9" * n,
    "one word": lambda n: "a" * n,
    "tags": lambda n: "<a>" * (n // 12) + "x" * (n // 2),
    "sentences": lambda n: "a. " * (n // 3),
    "list": lambda n: "- a\n" * (n // 4),
}


def state_of(text: str) -> overture.State:
    """A state with one project file."""
    return make_state(context_files=[{"path": "/p/AGENTS.md", "content": text}])


def building(text: str, recipe: str = "house") -> Run:
    """A build from nothing, its text and its report."""
    return lambda: [(prompt := overture.build(recipe, state_of(text))).text, prompt.diagnostics]


def fitting(text: str, recipe: str = "house") -> Run:
    """The same, cut to a part of it."""
    return lambda: overture.fit(overture.build(recipe, state_of(text)), budget=2000)


def skills(n: int) -> dict[str, Any]:
    """So many skills, and a way to load them."""
    said = "Use when a form has to be filled in. Then do it."
    menu = [{"name": f"s{i:06}", "description": said, "location": f"/p/s/s{i:06}/SKILL.md"} for i in range(n)]
    return {"skills": menu, "tools": [{"name": "use_skill"}, {"name": "read"}]}


def said(recipe: str, budget: int | None = None, **fields: Any) -> Run:
    """A build of these fields, perhaps cut."""

    def run() -> object:
        prompt = overture.build(recipe, make_state(**fields))
        return [prompt.text, prompt.diagnostics] if budget is None else overture.fit(prompt, budget=budget)

    return run


def mission(**fields: Any) -> Run:
    """A mission."""
    return said("ptc", mission={"prompt": "x", **fields})


def configured(text: str) -> Run:
    """A project's configuration."""
    return lambda: load_config(Location(FakeWorld({"/p/overture.toml": text}), "/p", "/home/user"))


def program(text: str) -> Run:
    """A reply with a program."""
    return lambda: check(f"```clojure\n{text}\n```")


def headed(text: str) -> Run:
    """Frontmatter, in all the ways in which agents read it."""
    ways = (frontmatter, parse_with_quotes, parse_by_line, list_spoilers)
    return lambda: [read(f"---\n{text}\n---\nbody") for read in ways]


def sent(text: str, files: dict[str, str]) -> Run:
    """A text that was sent is attributed to files."""
    return lambda: attribute_texts([text], files)


def live() -> Session:
    """A session after its first turn."""
    session = Session("house", cwd="/p", world=FakeWorld({"/p/AGENTS.md": "x"}))
    session.turn("a")
    return session


def called(n: int, *, branch: bool = False) -> Run:
    """So many calls in one message, and their results."""

    def run() -> None:
        session = live()
        session.assistant("x", calls=[{"id": f"c{i}", "name": "t", "arguments": {}} for i in range(n)])
        for i in reversed(range(n)):
            session.result(f"c{i}", "r")
        session.branch("left", n - 2) if branch else session.turn("b").render("anthropic")

    return run


def talked(n: int, provider: str) -> Run:
    """So many messages of one role."""

    def run() -> None:
        session = live()
        for _ in range(n):
            session.add(Message("user", "y"))
        session.turn("b").render(provider)

    return run


def marked(n: int) -> Run:
    """A sheet with two marks on every line."""
    text = "".join(f"Line {at} has a mark\u200b and </skills> goes on for a while.\n" for at in range(n // 60))
    skills = [{"name": "s", "description": "d", "location": "/s/SKILL.md"}]
    prompt = overture.build("opal", make_state(context_files=[{"path": "/A.md", "content": text}], skills=skills))
    around = SheetContext(measure_prompt_context(prompt), facts_for("anthropic"), "anthropic")
    return lambda: make_sheet(prompt, around)


def ids(n: int, form: str, sep: str = "") -> str:
    """`form` with 0, 1, 2, …."""
    return sep.join(form % i for i in range(n))


def json_of(text: str) -> Run:
    """A state, memories and an agent in JSON."""

    def run() -> None:
        read_memories(text, "m.json")
        read_agent(text, "a.json")
        decode_json(text.encode(), "s.json")

    return run


PATHS: tuple[Path, ...] = (
    *(Path(f"build: {name}", lambda n, text=text: building(text(n))) for name, text in TEXTS.items()),  # type: ignore[misc]
    *(Path(f"fit: {name}", lambda n, text=text: fitting(text(n))) for name, text in TEXTS.items()),  # type: ignore[misc]
    Path("sheet: two marks a line", marked),
    Path("SYSTEM.md, cut", lambda n: said("pi", 1500, overrides={"system": "# h\n" * (n // 4)})),
    Path("template: $@", lambda n: lambda: fill_prompt_template("$@" * (n // 2), ["x" * n])),
    Path("template: ${@:2}", lambda n: lambda: fill_prompt_template(ids(n // 10, "${@:%d}"), ["x"] * n)),
    Path("closing tags", lambda n: lambda: closing_tags("<a>" * (n // 8) + "</b>" * (n // 8), "</a>" * (n // 8))),
    Path("mission: {{a}}", lambda n: mission(prompt="{{a}} b\n" * (n // 8), data={"a": "x"})),
    Path("mission: {{a}}{{a}}", lambda n: mission(prompt="{{a}}" * (n // 5), data={"a": "x" * 400})),
    Path("program: a nest", lambda n: program("(" * n)),
    Path("frontmatter: keys", lambda n: headed(ids(n // 8, "k%d: a\n"))),
    Path("frontmatter: aliases", lambda n: headed(f"a: &x [{'1,' * 8_000}]\n" + ids(n, "k%d: *x\n")), 3_000),
    Path("frontmatter: a nest", lambda n: headed("a: " + "[" * n), 60_000),
    Path("JSON: a nest", lambda n: json_of("[" * n)),
    Path("TOML: a dotted key", lambda n: configured("a." * (n // 2) + "a = 1")),
    Path("names", lambda n: lambda: suggest("skill-name-00x", [f"skill-name-{i:06}" for i in range(n)]), 100_000),
    *(Path(f"skills in {name}, cut", lambda n, name=name: said(name, 4000, **skills(n)), 4_000)  # type: ignore[misc]
      for name in ("house", "opal", "pi")),
    Path("memories, cut", lambda n: said("house", 3000, memories=[f"Remember {i}." for i in range(n)]), 10_000),
    Path("changed lines", lambda n: lambda: list(diff_lines(ids(n, "%d", "\n"), ids(n, "-%d", "\n"))), 20_000),
    Path("calls", called, 3_000),
    *(Path(f"messages for {name}", lambda n, name=name: talked(n, name), 10_000)  # type: ignore[misc]
      for name in ("anthropic", "gemini", "openai-chat")),
    *(Path(f"sent: {kind}", lambda n, make=make: sent(make(n), {"/p/A.md": make(n // 2), "/p/B.md": make(n // 3)}))  # type: ignore[misc]
      for kind, make in TEXTS.items()),
)  # fmt: skip
