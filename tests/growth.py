"""Hostile inputs of any size, and what is done with each: `tests/test_growth.py` runs them, `bench/growth.py` measures.

A path is made for a size, in characters of text or in things (skills, messages, blocks), and then run.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import overture
from overture import Budget, Message, OvertureError, Session
from overture.agents.make_reports import report_agents
from overture.discover.agent_and_memories import read_agent, read_memories
from overture.discover.configuration.load_config import load_config
from overture.discover.disk.working_directory import Location
from overture.discover.instructions.agent_frontmatter_and_rules import list_spoilers, parse_by_line, parse_with_quotes
from overture.discover.instructions.read_skill_file import read_skill
from overture.discover.parse_json_and_toml import decode_json
from overture.errors import suggest
from overture.model.diagnostic import warning
from overture.model.prompt.saved_prompt import SavedBlock, SavedPrompt, Tokens
from overture.model.state.discovery import Discovery, Look
from overture.providers.render import facts_for
from overture.recipes.ptc import check
from overture.report.explain import explain
from overture.report.sheet.make_sheet import make_sheet
from overture.report.sheet.sheet import SheetContext
from overture.report.text_diff import diff_lines, diff_words
from overture.report.why import why
from overture.sections.signature import from_schema, parse
from overture.session.prompt_templates import fill_prompt_template, read_template, split_arguments
from overture.session.session import get_parts
from overture.session.turn_and_context import measure_prompt_context
from overture.tap.attribute.source_lines import attribute_texts
from overture.testing import FakeWorld, make_state
from overture.text.fences_and_headings import closing_tags
from overture.text.frontmatter import parse_frontmatter as frontmatter
from overture.tokens.counter import Counter, estimate

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


def saved_blocks(n: int) -> Run:
    """Two saved prompts with nothing in common."""

    def prompt(letter: str) -> SavedPrompt:
        blocks = tuple(SavedBlock(f"{letter}{i}", i, i + 1, "turn", 1, (), ()) for i in range(n))
        return SavedPrompt("x", "y" * n, "f", n, Tokens(1, "estimate", exact=False), blocks)

    return lambda: overture.diff(prompt("a"), prompt("b"))


def asked_why(n: int) -> Run:
    """Every file of one name."""
    state = make_state(**skills(n))
    looked = tuple(Look(skill.location, "skill", "loaded") for skill in state.skills)
    return lambda: why("SKILL.md", "/p/SKILL.md", overture.build("house", state), Discovery(state, (), looked, {}))


def marked(n: int) -> Run:
    """A sheet with two marks on every line."""
    text = "".join(f"Line {at} has a mark\u200b and </skills> goes on for a while.\n" for at in range(n // 60))
    skills = [{"name": "s", "description": "d", "location": "/s/SKILL.md"}]
    prompt = overture.build("opal", make_state(context_files=[{"path": "/A.md", "content": text}], skills=skills))
    around = SheetContext(measure_prompt_context(prompt), facts_for("anthropic"), "anthropic")
    return lambda: make_sheet(prompt, around)


def reworded(n: int) -> Run:
    """Two texts of which every third word differs."""
    old, new = (" ".join(f"w{at}{mark if at % 3 == 0 else ''}" for at in range(n // 6)) for mark in "ab")
    return lambda: diff_words(old, new)


def noted(n: int) -> Run:
    """As many things wrong in files as in the prompt."""
    wrong = tuple(warning("odd", f"number {i}", "/p") for i in range(n))
    state = make_state(memories=[f"a\u200b{i}" for i in range(n)])
    from overture.assemble.build import build
    from overture.recipes import builtin

    return lambda: build(builtin("house"), state, found=wrong).diagnostics


def changed(n: int) -> Run:
    """Files that changed and matter to nobody, in a project of many skills."""
    files = {f"/p/.agents/skills/s{i}/SKILL.md": "---\ndescription: d\n---\n" for i in range(20)}

    def run() -> None:
        session = Session("house", cwd="/p", world=FakeWorld({"/p/AGENTS.md": "x", **files}))
        _ = session.prompt
        ground = get_parts(session).current.files
        assert ground is not None
        ground.__dict__["paths"] = frozenset(f"/p/d{i}/AGENTS.md" for i in range(n))
        session.refresh(*(f"/p/other/x{i}" for i in range(n)))

    return run


def ids(n: int, form: str, sep: str = "") -> str:
    """`form` with 0, 1, 2, …."""
    return sep.join(form % i for i in range(n))


def schema_of(n: int, kind: str) -> Any:
    """A hostile schema."""
    names = [f"p{i}" for i in range(n)]
    return {
        "required": {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names},
        "types": {"type": ["string"] * n, **dict.fromkeys(names, 1)},
        "chain": {"$defs": {f"a{i}": {"$ref": f"#/$defs/a{i + 1}"} for i in range(n)}, "$ref": "#/$defs/a0"},
        "enum": {
            "$defs": {"e": {"enum": list(range(n))}},
            "type": "object",
            "properties": {name: {"$ref": "#/$defs/e"} for name in names},
        },
    }[kind]


def json_of(text: str) -> Run:
    """A state, memories and an agent in JSON."""

    def run() -> None:
        read_memories(text, "m.json")
        read_agent(text, "a.json")
        decode_json(text.encode(), "s.json")

    return run


HOSTILE: dict[str, Callable[[int], str]] = {
    "imports": lambda n: "@a.md " * (n // 6),
    "imports of nothing": lambda n: ids(n // 9, "@x%d.md "),
    "comments that begin": lambda n: "<!--\n" * (n // 5),
    "comments on lines": lambda n: "<!-- a --> b\n<!-- c -->\n" * (n // 24),
    "code spans and imports": lambda n: "`@a` @b <!-- @c -->\n" * (n // 20),
    "indented lines and an import": lambda n: "    a\n\n" * (n // 7) + "@b",
    "blanks in a path": lambda n: "@" + "\\ " * (n // 2),
    "globs of a rule": lambda n: "---\npaths:\n" + "- '**/{a,b}/*'\n" * min(n // 16, 3000) + "---\nRule.",
    "one long glob": lambda n: f"---\npaths: '{'{a,b}*' * (n // 6)}'\n---\nRule.",
}
"""Files that agents of others read, as somebody who means them ill would write them."""


def agent_reading(name: str, text: str) -> Run:
    """What an agent is told where such a file lies."""
    files = {f"/p/{path}": text for path in ("CLAUDE.md", "GEMINI.md", "AGENTS.md", ".claude/rules/a.md", "QWEN.md")}
    settings = "// a\n" * (len(text) // 5) + "{}"
    world = FakeWorld({**files, "/p/.git/HEAD": "", "/p/.gemini/settings.json": settings}, cwd="/p")
    return lambda: report_agents([name], world=world)


PATHS: tuple[Path, ...] = (
    *(
        Path(f"{agent}: {name}", lambda n, agent=agent, text=text: agent_reading(agent, text(n)))  # type: ignore[misc]
        for agent in ("claude-code", "gemini-cli", "qwen-code")
        for name, text in HOSTILE.items()
    ),
    *(Path(f"build: {name}", lambda n, text=text: building(text(n))) for name, text in TEXTS.items()),  # type: ignore[misc]
    *(Path(f"fit: {name}", lambda n, text=text: fitting(text(n))) for name, text in TEXTS.items()),  # type: ignore[misc]
    Path("sheet: two marks a line", marked),
    Path("words that differ", reworded),
    Path("SYSTEM.md, cut", lambda n: said("pi", 1500, overrides={"system": "# h\n" * (n // 4)})),
    Path("SYSTEM.md: {{tools}}", lambda n: said("pi", overrides={"system": "{{tools}}\n" * (n // 10)})),
    Path("template: $@", lambda n: lambda: fill_prompt_template("$@" * (n // 2), ["x" * n])),
    Path("template: ${@:2}", lambda n: lambda: fill_prompt_template(ids(n // 10, "${@:%d}"), ["x"] * n)),
    Path("template: arguments", lambda n: lambda: split_arguments("a\"b'" * (n // 4))),
    Path("template: quotes in quotes", lambda n: lambda: read_template("> " * (n // 2) + "```\n", "/p/t.md")),
    Path("closing tags", lambda n: lambda: closing_tags("<a>" * (n // 8) + "</b>" * (n // 8), "</a>" * (n // 8))),
    Path("mission: {{a}}", lambda n: mission(prompt="{{a}} b\n" * (n // 8), data={"a": "x"})),
    Path("mission: {{a}}{{a}}", lambda n: mission(prompt="{{a}}" * (n // 5), data={"a": "x" * 400})),
    Path("mission: {{_a}}", lambda n: mission(prompt=ids(n // 9, "{{_%d}}"), data={})),
    Path("mission: backslashes", lambda n: mission(prompt="\\" * n)),
    Path("mission: braces", lambda n: mission(prompt="{{" * (n // 2))),
    Path("mission: rows", lambda n: mission(data={f"k{i}": i for i in range(n)}), 5_000),
    Path("reply: an opening line", lambda n: lambda: check(f"```{'x' * n}`")),
    Path("reply: blanks", lambda n: lambda: check(f"```{' ' * n}`")),
    Path("program: a nest", lambda n: program("(" * n)),
    Path("program: a string", lambda n: program('"' + "\\n" * (n // 2))),
    Path("signature: a name", lambda n: lambda: parse(f"({'a-' * (n // 2)} :int)")),
    Path("signature: a string", lambda n: lambda: parse(f'("{"a" * n}')),
    *(
        Path(f"schema: {kind}", lambda n, kind=kind: lambda: from_schema(schema_of(n, kind)), 20_000)  # type: ignore[misc]
        for kind in ("required", "types", "chain", "enum")
    ),
    Path("frontmatter: keys", lambda n: headed(ids(n // 8, "k%d: a\n"))),
    Path("frontmatter: aliases", lambda n: headed(f"a: &x [{'1,' * 8_000}]\n" + ids(n, "k%d: *x\n")), 3_000),
    Path("frontmatter: a nest", lambda n: headed("a: " + "[" * n), 60_000),
    Path("frontmatter: blanks in a broken line", lambda n: headed(f"a: b: {' ' * n}x"), 30_000),
    Path("frontmatter: colons in a broken line", lambda n: headed("a: b" + ": c" * (n // 3)), 30_000),
    Path("frontmatter: blank lines before it", lambda n: lambda: list_spoilers(" \n" * (n // 2) + "---")),
    Path("SKILL.md: brackets", lambda n: lambda: read_skill(f"---\nallowed-tools: {'a(' * n}\n---\n", "/x/S"), 30_000),
    Path("JSON: a late key twice", lambda n: json_of("{" + ids(n // 9, '"k%d":1', ",") + f',"k{n // 9 - 1}":2}}')),
    Path("JSON: a nest", lambda n: json_of("[" * n)),
    Path("JSON: numbers", lambda n: json_of(f"[{'1,' * (n // 2)}1]"), 100_000),
    Path("JSON: digits", lambda n: json_of("1" * n)),
    Path("JSON: wrong names", lambda n: lambda: read_agent(json.dumps({"capabilities": ["memry"] * n}), "a"), 20_000),
    Path("TOML: a dotted key", lambda n: configured("a." * (n // 2) + "a = 1")),
    Path("TOML: a dotted table", lambda n: configured(f"[{'a.' * (n // 2)}a]")),
    Path("TOML: a quoted key", lambda n: configured('"a".' * (n // 4) + "a = 1")),
    Path("TOML: an inline table", lambda n: configured(f"a = {{{'a.' * (n // 2)}a = 1}}")),
    Path("TOML: digits", lambda n: configured(f"a = {'1' * n}")),
    Path("TOML: an unknown key", lambda n: configured(f"features_{'a' * n} = 1")),
    Path("names", lambda n: lambda: suggest("skill-name-00x", [f"skill-name-{i:06}" for i in range(n)]), 100_000),
    Path("long names", lambda n: lambda: suggest("ab" * n, ["ab" * n + "c"]), 100_000),
    Path("count: marks", lambda n: lambda: Counter("e", estimate, additive=True).by_lines("\u0301" * n)),
    *(Path(f"skills in {name}, cut", lambda n, name=name: said(name, 4000, **skills(n)), 4_000)  # type: ignore[misc]
      for name in ("house", "opal", "pi")),
    Path("skills, by a counter that adds", lambda n: lambda: overture.fit(
        overture.build("house", make_state(**skills(n))), Budget(sections={"skills": 2000}), lambda text: len(text) + 40
    ), 2_000),
    Path("memories, cut", lambda n: said("house", 3000, memories=[f"Remember {i}." for i in range(n)]), 10_000),
    Path("memories with fences", lambda n: said("house", memories=[f"a\n```\n{i}\n```" for i in range(n)]), 8_000),
    Path("tools with fences", lambda n: said("moltis", native_tools=False, tools=[
        {"name": f"t{i}", "parameters": {"type": "object", "description": "```\nx"}} for i in range(n)
    ]), 2_000),
    Path("tools given twice", lambda n: said("house", tools=[{"name": f"t{i % (n // 2)}"} for i in range(n)]), 20_000),
    Path("tools of a mission", lambda n: said(
        "ptc", mission={"prompt": "x", "tools": ["t0"]}, tools=[{"name": f"t{i}"} for i in range(n)]
    ), 6_000),
    Path("notes", noted, 8_000),
    Path("explain", lambda n: lambda: explain(overture.build("house", make_state(**skills(n)))), 5_000),
    Path("why", asked_why, 5_000),
    Path("diff", saved_blocks, 20_000),
    Path("changed lines", lambda n: lambda: list(diff_lines(ids(n, "%d", "\n"), ids(n, "-%d", "\n"))), 20_000),
    Path("lines that recur", lambda n: lambda: list(diff_lines(
        "\n".join(str(i * i % 1009) for i in range(n)), "\n".join(str(i * 7 % 1013) for i in range(n))
    )), 20_000),
    Path("calls", called, 3_000),
    Path("calls, gone back", lambda n: called(n, branch=True), 3_000),
    *(Path(f"messages for {name}", lambda n, name=name: talked(n, name), 10_000)  # type: ignore[misc]
      for name in ("anthropic", "gemini", "openai-chat")),
    Path("changed files", changed, 20_000),
    *(Path(f"sent: {kind}", lambda n, make=make: sent(make(n), {"/p/A.md": make(n // 2), "/p/B.md": make(n // 3)}))  # type: ignore[misc]
      for kind, make in TEXTS.items()),
    Path("sent: a file that repeats itself", lambda n: sent(
        ids(n // 40, "a b c d e f g h %d ") * 2, {"/p/A.md": ids(n // 80, "a b c d e f g h %d ") * 2}
    )),
    Path("sent: sixteen files that begin alike", lambda n: sent(
        ids(n // 8, "word%d "), {f"/p/{at}.md": f"{ids(n // 8, 'word%d ')}{at}" for at in range(16)}
    )),
    Path("sent: a period of words", lambda n: sent(
        "a b c d e f g h i j k " * (n // 22), {f"/p/{at}.md": "a b c d e f g h i j k " * at for at in range(12)}
    )),
    Path("sent: lines between lines", lambda n: sent(
        ids(n // 60, "one two three four five six seven eight %d\nx\ny\nz\n"),
        {"/p/A.md": ids(n // 60, "one two three four five six seven eight %d\nz\ny\nx\n")},
    )),
    Path("sent: descriptions", lambda n: sent(
        ids(n // 40, "- name: makes fine coffee %d\n"),
        {f"/p/{at}/SKILL.md": f"---\nname: name\ndescription: makes fine coffee {at}\n---\n" for at in range(n // 400)},
    )),
)  # fmt: skip
