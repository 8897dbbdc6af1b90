"""Whether an agent reads files of a name, at the start, on a condition, later or never, and how that is known."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from names_in_words import listed, quoted
from rules_in_words import folders, is_later

from overture.agents.show.agent_table_cells import EVIDENCE_PHRASE
from overture.model.file_steps import Evidence, FileStep
from overture.model.recipe.recipe import AgentFacts, OwnPrompt, Signs
from overture.model.wants import Wants

KNOWN = EVIDENCE_PHRASE
"""How a thing is known, the surest first."""
OWN = {"code": "source", "docs": "documentation"}


def evidence(known: Evidence | None, facts: AgentFacts) -> str:
    """How a rule is known: `seen in a run of 0.166.0`."""
    known = known or facts.known
    own = OWN.get(known)
    if own and facts.version.startswith(own):
        return f"read in its {facts.version}" if own == "source" else f"according to its {facts.version}"
    if known == "run":
        return f"{KNOWN[known]} of {facts.version}"
    return KNOWN[known] if known != facts.known else f"{KNOWN[known]} ({facts.version})"


def own_prompt(own: OwnPrompt) -> str:
    """How large the agent's own prompt is."""
    said = [f"about {own.characters:,} characters"] if own.characters else []
    if own.tools:
        said.append(
            f"{own.tools} tools" + (f" of about {own.tool_characters:,} characters" * bool(own.tool_characters))
        )
    if own.messages:
        said.append(f"about {own.messages:,} characters in the first message")
    return "; ".join(said) or "not measured"


def signs_in_words(signs: Signs) -> str:
    """The files and programs which show that the agent is used."""
    said = [f"{quoted(signs.project, 'or')} in a project"] if signs.project else []
    said += [f"{quoted([f'~/{sign}' for sign in signs.home], 'or')}"] if signs.home else []
    said += [f"the program {quoted(signs.programs, 'or')}"] if signs.programs else []
    return "; ".join(said) or "unknown"


# A file name and an agent -> whether the agent reads files of that name: at the start, if, later, or never.


Reads = Literal["yes", "if", "later", "setting", "no"]
"""yes: whole, at the start · if: under a condition · later: when it works there · setting: once a setting names it"""
BETWEEN = ("neither at the root nor in the working directory",)
MANY = 3
"""Names that are written out; of more, the first and how many others."""


class Answer(NamedTuple):
    """Whether an agent reads a file of some name, and under which condition."""

    reads: Reads
    rules: tuple[FileStep, ...] = ()
    """By which it is read at the start."""
    ifs: tuple[str, ...] = ()
    """What must be so."""
    later: tuple[FileStep, ...] = ()
    """By which it is read once the agent works there."""
    later_ifs: tuple[str, ...] = ()
    """What must be so for that."""
    besides: tuple[str, ...] = ()
    """Further folders in which it is read at the start, each with what must be so."""

    @property
    def words(self) -> str:
        """All of it, as the end of a sentence."""
        at_once = ", ".join(part for part in (listed(dict.fromkeys(map(folders, self.rules))), *self.ifs) if part)
        after = ", ".join(part for part in (listed(dict.fromkeys(map(folders, self.later))), *self.later_ifs) if part)
        return "; ".join(part for part in (at_once, *self.besides, after) if part)


def project_rules(wants: Wants) -> tuple[FileStep, ...]:
    """The rules about instruction files of a project."""
    return tuple(rule for rule in wants.files if rule.kind in ("instructions", "rule") and rule.where != "home")


def project_names(wants: Wants) -> tuple[str, ...]:
    """The names that an agent looks for in a project, each once."""
    given = [each for rule in project_rules(wants) for name in rule.names for each in name.split("|")]
    return tuple(dict.fromkeys(name for name in given if name[0] not in "/~"))


def answer(wants: Wants, name: str) -> Answer:
    """Whether files of that name are read in a project."""
    rules = [rule for rule in project_rules(wants) if _has(rule, name)]
    only = BETWEEN if all(rule.where == "between" for rule in rules if not is_later(rule)) else ()
    under = [(rule, (*_switch(wants, rule), *_conditions(rule, name), *only * (not is_later(rule)))) for rule in rules]
    at_once = [(rule, ifs) for rule, ifs in under if not is_later(rule)]
    later = tuple(rule for rule in rules if is_later(rule))
    later_ifs = _each_once(ifs for rule, ifs in under if is_later(rule))
    if whole := [rule for rule, ifs in at_once if not ifs]:
        return Answer("yes", tuple(whole), (), later, later_ifs, _besides(at_once, ()))
    if at_once:
        ifs = min((ifs for _, ifs in at_once), key=len)
        same = tuple(rule for rule, each in at_once if each == ifs)
        return Answer("if", same, ifs, later, later_ifs, _besides(at_once, ifs))
    if later:
        return Answer("later", later=later, later_ifs=later_ifs)
    keys = tuple(dict.fromkeys(_naming_keys(wants)))
    return Answer("setting", ifs=(f"once {quoted(keys, 'or')} names it",)) if keys and "*" not in name else Answer("no")


def _besides(rules: list[tuple[FileStep, tuple[str, ...]]], known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{folders(rule)}, {', '.join(ifs)}" for rule, ifs in rules if ifs != known)


def _each_once(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for group in groups for each in group))


def _has(rule: FileStep, name: str) -> bool:
    return any(_same(rule, name, each) for names in rule.names for each in names.split("|"))


def _same(rule: FileStep, name: str, given: str) -> bool:
    return name == given or (rule.case == "any" and name.casefold() == given.casefold())


def _conditions(rule: FileStep, name: str) -> Iterator[str]:
    """What must be so for the file to be read."""
    if rule.unless:
        yield f"if there is no {_few(rule.unless)}"
    before = _before(rule, name)
    if before and rule.take == "name":
        yield f"if none of the folders has {_few(before)}"
    elif before:
        yield f"if there is no {_few(before)} beside it"
    if rule.conditions and "*" in name:
        yield "depending on its frontmatter"
    if rule.tells != "text":
        yield f"only its {rule.tells}"


def _switch(wants: Wants, rule: FileStep) -> Iterator[str]:
    """The setting without which the rule does not count."""
    if not rule.on:
        keys = [key.strip('"') for file in wants.settings_files for key, sets in file.keys.items() if rule.step in sets]
        yield f"if {quoted(dict.fromkeys(keys), 'or')} is on" if keys else "if a setting enables it"


def _before(rule: FileStep, name: str) -> tuple[str, ...]:
    """The names that come first, and hide this one."""
    found: list[str] = []
    for given in rule.names:
        either = given.split("|")
        at = next((index for index, each in enumerate(either) if _same(rule, name, each)), None)
        if at is not None:
            return (*(found if rule.take != "all" else ()), *either[:at])
        found += either
    return ()


def _few(names: tuple[str, ...]) -> str:
    if len(names) <= MANY:
        return quoted(names, "or")
    return f"{quoted(names[:2]).replace(' and ', ', ')} or one of {len(names) - 2} other names"


def _naming_keys(wants: Wants) -> Iterator[str]:
    """The settings by which files are named."""
    rules = {rule.step for rule in project_rules(wants)}
    for file in wants.settings_files:
        for key, sets in file.keys.items():
            targets = [each.rpartition(".") for each in sets.split()]
            if any(way in ("names", "names+", "+names") and target in rules for target, _, way in targets):
                yield key.strip('"')
