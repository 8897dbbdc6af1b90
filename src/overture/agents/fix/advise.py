"""What somebody can do about the problems of instruction files: a code with arguments, and the sentence of it."""

import posixpath
from collections.abc import Callable, Iterator
from typing import Annotated, Literal

from ...known_agents import agent_facts, agent_wants
from ...model.agent_rules import fill_in
from ...model.struct import Frozen, note
from ...text.words import join_words
from ..table import Question, Table
from ..uses import Use
from ..verdicts import VerdictFinding, Verdicts
from .candidates import list_written_names


class Advice(Frozen, frozen=True, omit_defaults=False):
    """What to do about one problem."""

    code: Literal["link", "shorten", "raise-limit", "replace-by-link", "keep-one", "copy", "link-skills", "move"]
    agents: tuple[str, ...]
    paths: Annotated[tuple[str, ...], note("the files that do not arrive, or arrive twice")]
    args: Annotated[tuple[str | int, ...], note("a name; how much too long; a key, its value and its file")] = ()
    other: Annotated[str, note("the file to change, if it is another")] = ""


def advise(question: Question, table: Table, verdicts: Verdicts) -> tuple[Advice, ...]:
    """Advice for each finding, in its order; nothing is simulated: `overture agents --fix` does that."""
    return tuple(each for finding in verdicts.findings for each in advise_on(question, table, finding))


def advise_on(question: Question, table: Table, finding: VerdictFinding) -> Iterator[Advice]:
    """What can be done about one finding."""
    agents, paths, use = finding.agents, finding.paths, finding.use
    match finding.cause:
        case "hidden":
            yield Advice("link", agents, paths, (posixpath.basename(finding.other),))
        case "unread" | "nothing":
            names = list(list_written_names(agents[0]))
            if names:
                yield Advice("link", agents, paths, (finding.other if finding.other in names else names[0],))
        case "limit" | "cut" if use is not None:
            yield from _advise_on_limit(question, table, finding, use)
        case "lost" if use is not None and use.code == "link":
            yield Advice("copy", agents, paths)
        case "imported" if use is not None:
            yield Advice("replace-by-link", agents, paths, (), use.again.path)
        case "repeats":
            yield Advice("keep-one", agents, paths, (), finding.other)
        case "beside":
            yield Advice("move", agents, paths)
        case "skills":
            yield Advice("link-skills", agents, paths)


def _advise_on_limit(question: Question, table: Table, finding: VerdictFinding, use: Use) -> Iterator[Advice]:
    """By how much the files are too long, and the user's setting by which the agent takes them all."""
    most, needed, largest = use.reason.args[1], 0, use.path
    for start in {each.start for path in finding.paths for each in table.by_path.get(path, ()) if each.code == "limit"}:
        rows = [each for each in table.at(use.agent, start) if each.is_text and not each.personal]
        limited = [each.path for each in rows if each.how in ("loaded", "truncated") or each.code == "limit"]
        sizes = {path: len(question.files.text(path).encode()) for path in limited}
        if sum(sizes.values()) > needed:
            needed, largest = sum(sizes.values()), max(sizes, key=lambda path: sizes[path])
    if not isinstance(most, int) or needed <= most:
        return
    yield Advice("shorten", finding.agents, finding.paths, (needed - most, str(use.reason.args[2])), largest)
    wants = agent_wants(use.agent)
    limits = {each.name for each in wants.limits if each.most == most}
    for file in wants.configured:
        users = [path for path in file.paths if path.startswith("~/")]
        for key in (key for key, name in file.limits.items() if users and name in limits):
            path = fill_in(users[-1], question.base._replace(name=use.agent).own_folders())
            yield Advice("raise-limit", finding.agents, finding.paths, (key, -(-needed // 1024) * 1024, path))


def explain_advice(advice: Advice, show: Callable[[str], str] = str) -> str:
    """What to do, in words; `show` writes paths."""
    many, args, other = len(advice.paths) > 1, advice.args, show(advice.other) if advice.other else ""
    match advice.code:
        case "link":
            return f"make a {args[0]} link beside {'each' if many else 'it'}"
        case "shorten":
            return f"shorten {other}: what is loaded together is {args[0]:,} {args[1]} too long"
        case "raise-limit":
            return f"each user can set `{args[0]} = {args[1]}` in {args[2]}: a project's settings count only if trusted"
        case "replace-by-link":
            return f"make {other} a symlink to {show(advice.paths[0])}, if what else it says can go"
        case "keep-one":
            return f"keep these lines in one of the two: {show(advice.paths[0])} or {other}"
        case "copy":
            return f"replace the {'symlinks by copies' if many else 'symlink by a copy'}"
        case "move":
            who, verb = (
                join_words([agent_facts(name).title for name in advice.agents]),
                "do" if advice.agents[1:] else "does",
            )
            files = join_words([*map(show, advice.paths)])
            return f"{who} {verb} not get {files}: move what is meant for all into a file that all read"
        case "link-skills":
            return f"link {'each of them' if many else 'it'} into a folder of skills that is read"
