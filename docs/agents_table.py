"""All agents -> one page: who reads which file, a table of all, who looks where for skills."""

from collections.abc import Iterable, Sequence

from known_agents import Known, common_names, has_own_remark, names_by_readers, spellings
from markdown_table import table
from names_in_words import folded, quoted
from rules_in_words import is_later
from skills_in_words import at_home
from who_reads import KNOWN, Answer, answer, project_rules

from overture.model.file_steps import Evidence, FileLimit, FileStep

SOURCES: dict[Evidence, str] = {"run": "runs", "code": "its source", "docs": "its documentation", "reported": "reports"}
MOST = 5
"""Names or folders in a cell; the agent's page has the rest."""
TOPS = {"repository": "root", "above-repository": "folder above the root", "root": "file system's root"}
ORDERS = {
    "outermost": "outermost first",
    "nearest": "nearest first",
    "name": "by file name",
    "file": "by file name in each folder",
    "path": "by path",
}
INTRO = """\
Which of your files does an agent load, in which order, and why does it skip the others? Each agent has its own
page, and this page compares them. All pages are generated from the data that `overture agents` uses.

The **root** is the root of the repository. The **working directory** is the folder where the agent is started, or the
folder that is opened in an editor. **On demand** means: not at the start, but once the agent works on a file in that
folder.
"""


def agents_table(agents: tuple[Known, ...]) -> str:
    """The whole page."""
    oldest = min(agents, key=lambda each: each.facts.checked)
    newest = max(each.facts.checked for each in agents)
    ago = f"; longest ago: {_link(oldest)}, {oldest.facts.checked}" if oldest.facts.checked != newest else ""
    checked = f"**Last checked: {newest}**{ago}. The table has the date of each.\n"
    return "\n".join(
        (
            "# What agents read\n",
            INTRO,
            checked,
            "## Does it read my file?\n",
            _grid(agents, common_names(agents)),
            "`*`: the agent's page has the details.\n",
            "## All agents\n",
            table(COLUMNS, [_row(each) for each in agents]),
            _evidence(agents),
            "## Which agents read a file\n",
            (
                "Files of a project. An agent that is not named here does not load the file, unless a setting "
                "names it.\n"
            ),
            _names(agents),
            "## Which agents look for skills in a folder\n",
            _skills(agents),
        )
    )


def _link(known: Known) -> str:
    return f"[{known.facts.title}]({known.name}.md)"


def _grid(agents: tuple[Known, ...], names: list[str]) -> str:
    rows = [(_link(each), *(_cell(answer(each.wants, name)) for name in names)) for each in agents]
    return table(("agent", *(f"`{name}`" for name in names)), rows)


def _cell(given: Answer) -> str:
    if given.reads in ("no", "setting"):
        return " ".join(["no", *([f"({given.ifs[0]})"] if given.ifs else [])]).replace("no (", "only ").rstrip(")")
    spans = "; ".join(_each_once(map(_span, given.rules)))
    more = "\\*" if given.reads == "yes" and any(map(has_own_remark, given.rules)) else ""
    word = {"yes": "**yes**", "if": "yes", "later": "on demand"}[given.reads]
    return f"{word}{more}{', ' * bool(given.ifs)}{', '.join(given.ifs)}" + (f" ({spans})" if spans else "")


COLUMNS = (
    "agent", "files of a project", "from … to", "order", "below the working directory", "imports",
    "limit, and what happens over it", "skills", "known from", "version", "last checked",
)  # fmt: skip


def _row(known: Known) -> tuple[str, ...]:
    rules = [rule for rule in project_rules(known.wants) if not is_later(rule)]
    later = [rule for rule in project_rules(known.wants) if is_later(rule)]
    skills = known.wants.skills
    facts = known.facts
    return (
        _link(known),
        _names_of(rules) or "none by itself",
        "; ".join(_each_once(map(_span, rules))) or "–",
        "; ".join(_each_once(map(_order, rules)) if known.order_is_known else ["unknown"]) or "–",
        "; ".join(_each_once(map(_below, later))) or "no",
        "; ".join(_each_once(map(_imports, [rule for rule in known.wants.files if rule.imports]))) or "no",
        "; ".join(map(_limit, known.wants.limits)) or "none known",
        _few((*skills.here, *skills.project)) if skills else "none known",
        SOURCES[facts.known],
        facts.version,
        str(facts.checked),
    )


def _each_once(words: Iterable[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if word]


def _names_of(rules: list[FileStep]) -> str:
    """The names of all rules: those of which one counts as a chain, the others each once."""
    found: list[str] = []
    for rule in rules:
        names = [name for name in folded(rule.names) if name[0] not in "/~"]
        if rule.take == "all":
            found += [" else ".join(f"`{each}`" for each in name.split("|")) for name in names]
        elif names:
            found.append(" else ".join(f"`{name}`" for name in names[:MOST]) + _others(names))
    once = _each_once(found)
    return ", ".join(once[:MOST]) + _others(once)


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names[:MOST]) + _others(names)


def _others(names: Sequence[str]) -> str:
    return f" and {len(names) - MOST} more" if len(names) > MOST else ""


def _order(rule: FileStep) -> str:
    several = rule.where in ("walk", "ends", "between") or rule.order not in ("outermost", "nearest")
    return ORDERS[rule.order] if several else ""


def _span(rule: FileStep) -> str:
    top = TOPS[rule.up]
    return {
        "walk": f"{top} to working directory",
        "ends": f"{top} and working directory",
        "between": "the folders between",
        "cwd": "working directory",
        "root": "root",
    }.get(rule.where, "")


def _below(rule: FileStep) -> str:
    return {"text": "on demand", "path": "only paths"}.get(rule.tells, rule.tells)


def _imports(rule: FileStep) -> str:
    return f"`@path`, {rule.imports.depth} deep" if rule.imports else ""


def _limit(limit: FileLimit) -> str:
    each = "a file" if limit.over == "file" else "together"
    then = "truncated, and reported" if limit.says else "truncated silently"
    return f"{limit.most:,} {limit.unit} {each}: {then}"


def _evidence(agents: tuple[Known, ...]) -> str:
    found = [(KNOWN[known], [each.facts.title for each in agents if each.facts.known == known]) for known in KNOWN]
    lines = [f"- {words}: {', '.join(titles)}\n" for words, titles in found if titles]
    return "How it is known, best evidence first:\n\n" + "".join(lines)


def _names(agents: tuple[Known, ...]) -> str:
    groups = spellings(names_by_readers(agents))
    others = [name for first, names in groups.items() for name in names if name != first]
    said = table(HEAD, [_readers(agents, name) for name in groups])
    if not others:
        return said
    return f"{said}\nThe same names in upper and lower case:\n\n" + table(
        HEAD, [_readers(agents, name) for name in others]
    )


HEAD = ("file", "loaded at the start by", "under a condition by", "only on demand by")


def _readers(agents: tuple[Known, ...], name: str) -> tuple[str, ...]:
    answers = [(each, answer(each.wants, name)) for each in agents]
    whole = [_link(each) for each, given in answers if given.reads == "yes"]
    ifs = [f"{_link(each)} ({', '.join(given.ifs)})" for each, given in answers if given.reads == "if"]
    later = [_link(each) for each, given in answers if given.reads == "later"]
    return (f"`{name}`", ", ".join(whole), "; ".join(ifs), ", ".join(later))


def _skills(agents: tuple[Known, ...]) -> str:
    found: dict[str, list[str]] = {}
    for each in agents:
        skills = each.wants.skills
        for place in (*skills.here, *skills.project, *map(at_home, skills.home)) if skills else ():
            found.setdefault(place, []).append(_link(each))
    rows = sorted(found.items(), key=lambda item: (item[0][0] in "~/", -len(item[1]), item[0]))
    return table(("folder", "agents"), [(quoted([place]), ", ".join(_each_once(links))) for place, links in rows])
