"""Views of the table: agents, one agent, files, one file. Each is data, printed for a terminal or as Markdown."""

import posixpath
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

from msgspec.structs import replace

from ..known_agents import AGENTS, agent_facts
from ..known_agents.file_owners import match_known_file
from ..model.agent_rules import Evidence
from ..terminal.output import PIPE_WIDTH, dim, escape_controls, print_line, print_table, print_wrapped, style
from ..text.escape import code_span, escape_markdown, write_table
from ..text.path_printer import PathPrinter
from ..text.words import count_noun, join_words
from ..tokens.counter import format_tokens, name_unit
from .table import AgentInfo, Table, count_tokens, sort_files
from .uses import LISTED_KINDS, How, Use, explain_use
from .verdicts import LOST, VerdictFinding, Verdicts, explain_finding

T = TypeVar("T")
EVIDENCE_LEGEND = (
    "How known: seen in a run of that version, read in its source, in its vendor's docs, or reported by others."
)
EVIDENCE_WORD: dict[Evidence, str] = {"run": "seen", "code": "source", "docs": "docs", "reported": "reported"}
EVIDENCE_PHRASE: dict[Evidence, str] = {
    "run": "seen in a run", "code": "read in its source", "docs": "documented by its vendor",
    "reported": "reported by others",
}  # fmt: skip
MIN_GROUP_SIZE = 4
"""So many files of one folder with one answer share a line."""
MAX_NAMED = 3
"""Files, or agents, that are named in a cell; the others are counted."""
MAX_LISTED = 12
"""Lines of a list that are printed without `--all`."""
KIND_NOUNS = {"rule": "rule", "skill": "skill", "command": "command", "agent": "sub-agent"}
HOW_WORDS: dict[How, str] = {"on_demand": "loaded on demand"}
ABOUT_TOKENS = (
    "Tokens are counted as {name}; an agent's own tokenizer may differ by a tenth or two. Its own prompt and tools "
    "come on top."
)

Tone = Literal["plain", "strong", "weak", "warning", "path"]


class Cell(NamedTuple):
    """A piece of text and how it looks."""

    text: str
    tone: Tone = "plain"


class Rows(NamedTuple):
    """A table; `wraps` are its columns of prose."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    wraps: tuple[int, ...] = ()


Block = Cell | Rows
"""A paragraph, or a table. A paragraph that is strong is a heading."""


def print_view(blocks: Iterable[Block]) -> None:
    """Print a view on the terminal."""
    before: Block | None = None
    for block in blocks:
        is_head = isinstance(block, Cell) and block.tone == "strong"
        follows_head = isinstance(before, Cell) and before.tone == "strong"
        parts = is_head or isinstance(before, Rows) or (isinstance(block, Rows) and not follows_head)
        if before is not None and parts:
            print_line()
        if isinstance(block, Cell):
            print_wrapped(_colour(block))
        else:
            heads = block.heads if any(block.heads) else ()
            rows = [[_colour(cell) for cell in row] for row in block.rows]
            print_table(rows, "", heads=heads, wraps=block.wraps or None, pipe_width=PIPE_WIDTH)
        before = block


def _colour(cell: Cell) -> str:
    text = escape_controls(cell.text)
    match cell.tone:
        case "strong":
            return style(text, bold=True)
        case "weak":
            return dim(text)
        case "warning":
            return style(text, fg="yellow")
    return text


def format_view(blocks: Iterable[Block]) -> str:
    """A view as Markdown, for a README or a pull request."""
    parts = []
    for block in blocks:
        if isinstance(block, Cell):
            parts.append(
                f"### {escape_markdown(block.text)}" if block.tone == "strong" else escape_markdown(block.text)
            )
        elif block.rows:
            heads = block.heads or ("",) * len(block.rows[0])
            parts.append(write_table([head[:1].upper() + head[1:] for head in heads], map(_write_row, block.rows)))
    return "\n\n".join(parts)


def _write_row(row: Sequence[Cell]) -> list[str]:
    return [code_span(cell.text) if cell.tone == "path" and cell.text else escape_markdown(cell.text) for cell in row]


# Groups


def find_group_folder(use: Use) -> str:
    """The folder of a file; of a skill, the folder that holds skills."""
    folder = posixpath.dirname(use.path)
    return posixpath.dirname(folder) if use.kind == "skill" else folder


def group_many(items: Iterable[T], find_key: Callable[[T], object]) -> list[list[T]]:
    """Items with the same key together, if they are many; else each alone; in the order of the first of each."""
    groups: dict[object, list[T]] = defaultdict(list)
    items = list(items)
    for item in items:
        groups[find_key(item)].append(item)
    parts = [[e] for e in items if len(groups[find_key(e)]) < MIN_GROUP_SIZE]
    parts += [group for group in groups.values() if len(group) >= MIN_GROUP_SIZE]
    places = {id(item): place for place, item in enumerate(items)}
    return sorted(parts, key=lambda part: places[id(part[0])])


def group_uses(uses: Sequence[Use], everything: bool) -> list[list[Use]]:
    """Rows of one agent in their order, many of one folder with one answer together, unless with `--all`."""

    def find_key(use: Use) -> object:
        if everything or use.kind == "settings" or use.last_line is not None:
            return use.path
        if use.kind == "instructions":  # many of one name, each for its own folder
            return use.path if use.how in ("loaded", "truncated") else (posixpath.basename(use.path), use.how, use.code)
        return find_group_folder(use), use.kind, use.how, use.same_as is not None

    return group_many(uses, find_key)


def name_group(group: Sequence[Use], printer: PathPrinter) -> str:
    """`AGENTS.md`, or `26 skills in .agents/skills`."""
    first = group[0]
    if len(group) == 1:
        return printer(first.path)
    if first.kind == "instructions":
        return f"{printer(first.path)} and {len(group) - 1} more"
    return f"{len(group)} {KIND_NOUNS.get(first.kind, 'file')}s in {printer(find_group_folder(first))}"


def explain_group(group: Sequence[Use], table: Table, printer: PathPrinter) -> str:
    """Why, for one row or several of one answer: their common reason, or the most frequent one."""
    texts = [generalize(use, table.explain(use, printer)) for use in group]
    if len(group) == 1:
        return table.explain(group[0], printer)
    first, *others = sorted(set(texts), key=lambda text: -texts.count(text))
    if others and group[0].how == "on_demand":
        return "each applies to certain files: `--all` shows which"
    return f"{first} ({texts.count(first)} of {len(group)}): `--all` shows the others" if others else first


def generalize(use: Use, text: str) -> str:
    """A reason that names something by this file's own name, as it holds for others of its kind."""
    if use.kind == "skill":
        return text.replace(f"/{posixpath.basename(posixpath.dirname(use.path))}/SKILL.md", "/*/SKILL.md")
    return text if use.kind == "instructions" else text.replace(posixpath.basename(use.path), "*")


def describe_how(use: Use) -> str:
    """`loaded`, `truncated after line 412`, `loaded on demand`."""
    if use.how == "truncated":
        return (
            f"truncated after line {use.last_line:,} of {use.lines:,}"
            if use.last_line
            else "truncated in its first line"
        )
    return HOW_WORDS.get(use.how, use.how)


def count_listed(uses: Iterable[Use]) -> list[str]:
    """`14 skills`, `3 commands`: the entries of an agent's lists, kind by kind."""
    kinds = [use.kind for use in uses if use.how == "listed"]
    return [count_noun(kinds.count(kind), KIND_NOUNS[kind]) for kind in LISTED_KINDS if kind in kinds]


# Agents


def view_agents(table: Table, printer: PathPrinter, verdicts: Verdicts | None, others: int = 0) -> Iterator[Block]:
    """A line for each agent, and below it what is wrong."""
    heads = ["agent", name_unit(table.tokenizer), "loads", "on demand", "skips", "how known"]
    rows = [_make_agent_row(table, agent, printer) for agent in table.agents]
    kept = [at for at in range(len(heads)) if any(row[at].text for row in rows)]
    texts = tuple(place for place, at in enumerate(kept) if heads[at] in ("loads", "skips"))
    width = max(len(row[1].text) for row in rows)
    rows = [(row[0], Cell(row[1].text.rjust(width)), *row[2:]) for row in rows]
    yield Rows(tuple(heads[at] for at in kept), [tuple(row[at] for at in kept) for row in rows], texts)
    yield from view_findings(verdicts, printer) if verdicts else ()
    problems = {agent.name: sum(note.level != "info" for note in agent.findings) for agent in table.agents}
    if wrong := [f"{name} ({number})" for name, number in problems.items() if number]:
        yield Cell(f"Problems: {', '.join(wrong)}. `overture agents NAME` lists them.", "warning")
    yield Cell(f"{EVIDENCE_LEGEND} {describe_tokens(table)}", "weak")
    if others:
        yield Cell(f"{count_noun(others, 'more agent')} known (`--all`).", "weak")


def describe_tokens(table: Table) -> str:
    return ABOUT_TOKENS.format(name=table.tokenizer)


def _make_agent_row(table: Table, agent: AgentInfo, printer: PathPrinter) -> tuple[Cell, ...]:
    uses = table.at(agent.name)
    known = f"{EVIDENCE_WORD[agent.known]} {agent.version}" if agent.known == "run" else EVIDENCE_WORD[agent.known]
    return (
        Cell(agent.title, "strong"), Cell(format_tokens(count_tokens(uses), exact=table.exact)),
        Cell(describe_loaded(uses, printer)), Cell(describe_later(uses)), Cell(describe_skipped(uses, printer)),
        Cell(known, "weak"),
    )  # fmt: skip


def describe_loaded(uses: Sequence[Use], printer: PathPrinter) -> str:
    """`AGENTS.md to line 822, 14 skills`."""
    loaded = [use for use in uses if use.how in ("loaded", "truncated") and (use.kind != "settings" or use.tokens)]
    groups = group_uses([use for use in loaded if use.is_text or use.kind == "settings"], False)
    named = []
    for group in groups[-MAX_NAMED:]:  # the nearest come last, and are what one looks for
        first = group[0]
        end = f" to line {first.last_line:,}" if first.how == "truncated" and first.last_line is not None else ""
        end = end or (" twice" if first.times == 2 else f" {first.times} times" if first.times > 2 else "")
        named.append(name_group(group, printer) + end)
    rest = sum(map(len, groups[:-MAX_NAMED]))
    more = [count_noun(rest, "more file")] if rest else []
    return ", ".join([*named, *more, *count_listed(uses)]) or "nothing"


def describe_later(uses: Iterable[Use]) -> str:
    """`1`, `4 skills`, `1, 4 skills`: how many files, and skills, come later."""
    later = [use for use in uses if use.how == "on_demand"]
    texts, skills = sum(use.is_text for use in later), sum(use.kind == "skill" for use in later)
    return ", ".join([*([f"{texts:,}"] if texts else []), *([count_noun(skills, "skill")] if skills else [])])


def list_missing(uses: Iterable[Use]) -> list[Use]:
    """The project's files and skills that an agent does not get under any name, the nearest reason first."""
    skipped = [use for use in uses if use.how == "skipped" and use.same_as is None and not use.personal]
    listed = {
        posixpath.dirname(use.path).rpartition("/")[2] for use in uses if use.kind == "skill" and use.is_delivered
    }
    missing = [use for use in skipped if use.is_text and not use.path.startswith(".")]
    missing.sort(
        key=lambda use: (use.code != "limit", use.code != "hidden", use.code == "unknown", use.path.count("/"))
    )
    skills = [use for use in skipped if use.kind == "skill" and "/." in use.path and use.path.endswith("/SKILL.md")]
    return missing + [use for use in skills if posixpath.dirname(use.path).rpartition("/")[2] not in listed]


def describe_skipped(uses: Iterable[Use], printer: PathPrinter) -> str:
    """`AGENTS.md (hidden by CLAUDE.md), 14 skills`: what is meant for agents, and this one does not get."""
    missing = list_missing(uses)
    texts, skills = [use for use in missing if use.is_text], [use for use in missing if not use.is_text]
    shown = texts if len(texts) <= MAX_NAMED else texts[:1]
    names = [printer(use.path) for use in shown]
    if len(texts) == 1 and texts[0].code in ("hidden", "overridden") and texts[0].reason.path:
        names = [f"{names[0]} (hidden by {printer(texts[0].reason.path)})"]
    names += [count_noun(len(texts) - 1, "more file")] if len(texts) > MAX_NAMED else []
    return ", ".join([*names, *([count_noun(len(skills), "skill")] if skills else [])])


def view_findings(verdicts: Verdicts, printer: PathPrinter, most: int = 6) -> Iterator[Block]:
    """What never arrives, is cut or is paid twice, the worst first."""
    for finding in verdicts.findings[:most]:
        yield Cell(
            format_finding(finding, verdicts.table, printer), "warning" if finding.level == "warning" else "weak"
        )
    if (rest := len(verdicts.findings) - most) > 0:
        yield Cell(f"and {rest:,} more: `overture check` lists them", "weak")
    if any(finding.code != "truncated" and finding.level == "warning" for finding in verdicts.findings):
        yield Cell("hint: `overture agents --fix` shows what would bring them, and asks before it writes", "weak")


def format_finding(finding: VerdictFinding, table: Table, show: Callable[[str], str]) -> str:
    return f"{'warning' if finding.level == 'warning' else 'note'}: {explain_finding(finding, table, show)}"


# One agent


def view_agent(
    table: Table, agent: AgentInfo, printer: PathPrinter, everything: bool, *, lines: bool = False
) -> Iterator[Block]:
    """One agent: what it loads, later or never, its problems, and how all this is known; `lines`: which of each."""
    uses = table.at(agent.name)
    loaded = [use for use in uses if use.how in ("loaded", "truncated", "listed")]
    loaded = [use for use in loaded if everything or use.kind != "settings" or use.tokens]
    number, listed = sum(use.how != "listed" and use.kind != "settings" for use in loaded), count_listed(uses)
    files = count_noun(number, "file") if number else "no file" if listed else "nothing"
    tokens = count_tokens(uses)
    count = f", {format_tokens(tokens, exact=table.exact)} {name_unit(table.tokenizer, tokens)}" if loaded else ""
    lists = f" and lists {join_words(listed)}" if listed else ""
    yield Cell(f"{agent.title} {agent.version} loads {files}{lists} here{count}", "strong")
    if loaded:
        rows = [_make_use_row(group, table, printer, lines) for group in group_uses(loaded, everything)]
        width = max(len(row[0].text) for row in rows)
        yield Rows(("tokens", "file", "why"), [(Cell(row[0].text.rjust(width)), *row[1:]) for row in rows], (2,))
    skipped = [use for use in uses if use.how == "skipped" and (everything or use.code != "elsewhere")]
    skipped.sort(key=lambda use: (use.code != "limit", not use.step))
    for head, some in (("Loads on demand", [u for u in uses if u.how == "on_demand"]), ("Skips", skipped)):
        groups = group_uses(some, everything)
        shown = groups if everything or len(groups) <= MAX_LISTED + 1 else groups[:MAX_LISTED]
        if groups:
            yield Cell(head, "strong")
            yield Rows(("file", "why"), [
                (Cell(name_group(group, printer), "path"), Cell(explain_group(group, table, printer), "weak"))
                for group in shown
            ], (1,))  # fmt: skip
        if rest := sum(map(len, groups[len(shown) :])):
            yield Cell(f"and {rest:,} more: `--all` lists them", "weak")
    yield from _view_notes(agent, printer, everything)


def _make_use_row(group: Sequence[Use], table: Table, printer: PathPrinter, lines: bool = False) -> tuple[Cell, ...]:
    """The row of a file that the agent loads: tokens, name, and why or where it is truncated."""
    first, why = group[0], explain_group(group, table, printer)
    if lines and first.spans and len(group) == 1:
        ends = ((start, min(end, first.last_line or end)) for start, end in first.spans)
        named = [f"{start}-{end}" for start, end in ends if start <= end]
        why = f"lines {', '.join(named[:3])}{f' and {len(named) - 3} more' if named[3:] else ''}; {why}"
    tokens = sum(use.tokens for use in group)
    shown = format_tokens(tokens, exact=table.exact) if tokens else ""
    name = Cell(name_group(group, printer), "path")
    if first.how == "truncated":
        return Cell(shown), name, Cell(f"{describe_how(first)}: {why}", "warning")
    return Cell(shown), name, Cell(why, "weak")


def _view_notes(agent: AgentInfo, printer: PathPrinter, everything: bool) -> Iterator[Block]:
    findings = [note for note in agent.findings if everything or note.level != "info"]
    shown = findings if everything or len(findings) <= MAX_LISTED + 1 else findings[:MAX_LISTED]
    if findings:
        yield Cell("Problems", "strong")
        yield from (Cell(printer.within(str(note)), "warning") for note in shown)
    if rest := len(findings) - len(shown):
        yield Cell(f"and {rest:,} more: `--all` lists them", "weak")
    facts = agent_facts(agent.name)
    if everything:
        for head, texts in (
            ("Worth knowing", facts.notes),
            (f"How to see what {agent.title} has loaded", (facts.shows,)),
        ):
            if any(texts):
                yield Cell(head, "strong")
                yield from (Cell(text) for text in texts)
    yield Cell("How this is known", "strong")
    signs = [printer(sign) for sign in agent.signs.project] + [*agent.signs.user]
    if signs:
        yield Cell(f"Set up here: {', '.join(signs)}.", "weak")
    known = EVIDENCE_PHRASE[agent.known] + (f" of {agent.version}" if agent.known == "run" else "")
    yield Cell(f"{known[:1].upper()}{known[1:]}; last checked {agent.checked}. {describe_own_prompt(agent)}", "weak")


def describe_own_prompt(agent: AgentInfo) -> str:
    """How large it is; its words are not ours to print."""
    own = agent.own
    if own.characters is None:
        return "The size of its own prompt has not been measured."
    size = f" (about {own.tool_characters:,})" if own.tools and own.tool_characters else ""
    tools = f" and {count_noun(own.tools, 'tool')}{size}" if own.tools else ""
    return f"Its own prompt (about {own.characters:,} characters){tools} {'come' if tools else 'comes'} on top."


def view_added(
    table: Table, before: Table, paths: Sequence[str], printer: PathPrinter, everything: bool
) -> Iterator[Block]:  # fmt: skip
    """Agent by agent, what it loads in addition when it works on these files."""
    yield Cell(f"When an agent works on {', '.join(map(printer, paths))}:")
    for agent in table.agents:
        known = {use.path for use in before.at(agent.name) if use.how in ("loaded", "truncated", "listed")}
        uses = [use for use in table.at(agent.name) if use.how in ("loaded", "truncated", "listed")]
        added = [use for use in uses if use.path not in known]
        tokens = format_tokens(count_tokens(added), exact=table.exact)
        effect = f"adds {tokens} {name_unit(table.tokenizer, count_tokens(added))}" if added else "adds nothing"
        first = count_tokens(before.at(agent.name))
        start = f"{format_tokens(first, exact=table.exact)} {name_unit(table.tokenizer, first)}"
        yield Cell(f"{agent.title} {effect} (at the start: {start})", "strong")
        if added:
            yield Rows(
                ("tokens", "file", "why"),
                [_make_use_row(g, table, printer) for g in group_uses(added, everything)],
                (2,),
            )


# Files


class Answer(NamedTuple):
    """What some agents do with a file, in the same words."""

    how: str
    why: str
    agents: tuple[str, ...]
    is_looked_for: bool
    rank: int


RANKS: dict[How, int] = {"loaded": 0, "truncated": 1, "listed": 2, "on_demand": 3, "skipped": 5}
UNKNOWN_RANK, ELSEWHERE_RANK = 6, 4
AGENTS_HERE = "{agents}"
"""Where the names of the agents are put into an answer."""
PLAIN_CODES = ("at-start", "listed")
"""Reasons that say nothing beyond what the agent does."""


def answer_for_file(
    table: Table, uses: Sequence[Use], printer: PathPrinter, others: Collection[str] = ()
) -> list[Answer]:
    """The answers of all agents for one file, the best first: what each does here, or else where it gets it.

    `others` are names of the file that are printed beside it.
    """
    groups: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for agent in table.agents:
        if own := [use for use in uses if use.agent == agent.name]:
            groups[_answer(table, _choose_use(table, own), printer, others)].append(agent.title)
    answers = [
        Answer(how, why, tuple(agents), rank != UNKNOWN_RANK, rank) for (rank, how, why), agents in groups.items()
    ]
    return sorted(answers, key=lambda answer: (answer.rank, -len(answer.agents)))


def _choose_use(table: Table, uses: Sequence[Use]) -> Use:
    """What an agent does with a file here; else where it gets it; else why it never does."""
    started = sorted((use for use in uses if use.start == table.cwd), key=lambda use: not use.is_delivered)
    here = next(iter(started), None)
    if here is not None and (here.is_delivered or here.same_as):
        return here
    delivered = next((use for use in uses if use.is_delivered), None)
    lost = next((use for code in LOST for use in uses if use.code == code), None)
    return delivered or lost or here or uses[0]


def _answer(table: Table, use: Use, printer: PathPrinter, others: Collection[str]) -> tuple[int, str, str]:
    """Its rank, and the words for what is done, and why. They name no agent, so that equal answers are one."""
    if use.code == "unknown":
        return UNKNOWN_RANK, "not looked for", ""
    folder, is_plain = find_home(use), use.code in PLAIN_CODES and not use.reason.args
    why = "" if is_plain else explain_use(replace(use, order_fixed=True), "it", printer)
    why = "only the name" if use.code == "listed" and use.reason.kind == "bare" else why
    why = "once it works in that folder" if use.code == "works-in" and use.reason.path == folder else why
    if use.how == "skipped" and use.same_as:
        return ELSEWHERE_RANK, "read under another name", "" if use.same_as in others else why
    if use.is_delivered and use.start != table.cwd:
        where = "its folder" if use.start == folder else "the root" if use.start == table.root else printer(use.start)
        return ELSEWHERE_RANK, f"{describe_how(use)} {AGENTS_HERE} when started in {where}", why
    return RANKS[use.how], describe_how(use), why


def find_home(use: Use) -> str:
    """The folder that a file is for: of one in an agent's folder, the folder that has that."""
    return posixpath.dirname(use.path).partition("/.")[0] or "/"


def describe_answer(answer: Answer, everything: bool) -> str:
    """`loaded by Codex, Cursor and 3 others: at the project's root`."""
    agents = answer.agents
    some = agents if everything or len(agents) <= MAX_NAMED + 1 else agents[:MAX_NAMED]
    rest = len(agents) - len(some)
    who = ", ".join(some) + f" and {count_noun(rest, 'other')}" if rest else join_words(some)
    if not answer.is_looked_for:
        return f"not looked for by {who}"
    how = answer.how if AGENTS_HERE in answer.how else f"{answer.how} {AGENTS_HERE}"
    return how.replace(AGENTS_HERE, f"by {who}") + (f": {answer.why}" if answer.why else "")


def view_files(
    table: Table, find_alias: Callable[[str], str | None], printer: PathPrinter, everything: bool, kinds: Sequence[str]
) -> Iterator[Block]:
    """Each file with the agents that get it, the names of one file together; without `kinds`, all files."""
    names: dict[str, list[str]] = defaultdict(list)
    rows = {path: uses for path, uses in sort_files(table) if not kinds or uses[0].kind in kinds}
    for path in rows:
        target = find_alias(path)
        names[target if target in rows else path].append(path)
    entries = []
    for path, same in names.items():
        others = [each for each in same if each != path]
        uses = [use for name in same for use in rows[name]]
        entries.append(_Entry(path, rows[path][0], others, answer_for_file(table, uses, printer, others)))
    used = {agent.title for agent in table.agents if agent.signs}
    shown = [entry for entry in entries if everything or entry.is_for_agents(used)]
    shown.sort(key=lambda entry: -sum(len(answer.agents) for answer in entry.answers if answer.rank < ELSEWHERE_RANK))
    cells = []
    for group in group_many(shown, lambda entry: entry.path if everything else entry.key):
        first = group[0]
        name = name_group([entry.use for entry in group], printer) if group[1:] else first.name(printer)
        if group[1:] and first.others:
            name += f" (also in {', '.join(map(printer, first.other_folders))})"
        plain = [a._replace(why=generalize(first.use, a.why)) if group[1:] else a for a in first.answers]
        sentences = [describe_answer(a, everything) for a in plain if everything or a.is_looked_for]
        cells.append((Cell(name, "path"), Cell("; ".join(sentences) or "no agent looks for it")))
    if cells:
        yield Rows(("file", "agents"), cells, (1,))
    if rest := [entry for entry in entries if entry not in shown]:
        more = f" and {len(rest) - 1} more" if rest[1:] else ""
        yield Cell(f"Not for the agents here: {printer(rest[0].path)}{more} (`--all`).", "weak")


class _Entry(NamedTuple):
    """A file under all its names, and what agents do with it."""

    path: str
    use: Use
    others: list[str]
    answers: list[Answer]

    @property
    def key(self) -> object:
        """The same for files that share a row: rules and skills of one folder, or one name in many folders."""
        use = self.use
        answers = tuple((each.how, generalize(use, each.why), each.agents) for each in self.answers)
        place = posixpath.basename(use.path) if use.kind == "instructions" else find_group_folder(use)
        return place, use.kind, answers, self.other_folders if use.kind == "skill" else bool(self.others) and self.path

    @property
    def other_folders(self) -> tuple[str, ...]:
        """Of a skill, the folders of skills in which it has other names."""
        return tuple(posixpath.dirname(posixpath.dirname(each)) for each in self.others)

    def is_for_agents(self, used: Collection[str]) -> bool:
        """Whether some agent gets it, and not only one that is not used here: such an agent reads README.md."""
        getting = {title for answer in self.answers if answer.rank <= ELSEWHERE_RANK for title in answer.agents}
        known = self.use.kind != "instructions" or match_known_file(self.path) is not None
        return bool(getting) and (known or len(getting) > 1 or not getting.isdisjoint(used))

    def name(self, printer: PathPrinter) -> str:
        """`AGENTS.md (also CLAUDE.md)`."""
        many = len(self.others) > MAX_NAMED
        named = count_noun(len(self.others), "other name") if many else ", ".join(map(printer, self.others))
        return f"{printer(self.path)} (also {named})" if self.others else printer(self.path)


def view_why(table: Table, paths: Sequence[str], printer: PathPrinter, everything: bool) -> Iterator[Block]:
    """What each agent does with a file, a line for each answer."""
    for path in paths:
        yield Cell(printer(path), "strong")
        for answer in answer_for_file(table, table.by_path.get(path, ()), printer):
            yield Cell(f"  {describe_answer(answer, everything)}", "plain" if answer.is_looked_for else "weak")
        met = {use.agent for use in table.by_path.get(path, ())}
        if missing := len([name for name in (agent.name for agent in table.agents) if name not in met]):
            yield Cell(f"  not looked for by {count_noun(missing, 'agent')}", "weak")


def count_known(table: Table) -> int:
    """How many agents are known and not in a table."""
    return len(AGENTS) - len(table.agents)
