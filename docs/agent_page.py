"""One agent -> its page: what it reads, in which order, and how that is known."""

from collections.abc import Callable, Iterable

from agent_frames import frames
from frontmatter_in_words import conditions_in_words, imports_in_words, spoiled_in_words
from known_agents import Known, common_names, has_own_remark
from limits_in_words import limit_in_words, paths_in_words, settings_in_words, variables_in_words
from markdown_table import table
from names_in_words import begun, folded, full_names, listed, quoted
from quirks_in_words import quirks_in_words
from rules_in_words import is_later, outside, rule_in_words
from skills_in_words import listing_in_words, menu_in_words, places_in_words, skills_in_words
from who_reads import KNOWN, Answer, answer, evidence, own_prompt, signs_in_words

from overture.model.file_steps import FileStep

DATA = "../../src/overture/known_agents/{}/recipe.toml"
LINKS = {
    "follow": "Symlinks are followed wherever they lead.",
    "inside": "Symlinks are followed within the project only.",
    "never": "Symlinks are not followed.",
}
BLANK = {
    "skip": "An empty file is skipped.",
    "keep": "An empty file leaves the words around it.",
}
CASE = {"exact": "Names are case-sensitive.", "any": "Names are not case-sensitive."}
STRIP = {
    "frontmatter": "the frontmatter",
    "broken-frontmatter": "invalid frontmatter",
    "comments": "HTML comments",
}
DOTTED = {
    "none": ("A `*` does not match names that begin with a dot.",),
    "files": (),
    "all": ("A `*` also matches files and folders that begin with a dot.",),
}
YES = {"yes": "yes", "if": "under a condition", "later": "later", "setting": "by a setting", "no": "no"}


def agent_page(known: Known, agents: tuple[Known, ...]) -> str:
    """The whole page."""
    parts = (
        _head(known),
        _asked(known, common_names(agents)),
        _instructions(known),
        _frontmatter(known),
        _imports(known),
        _limits(known),
        _files(known),
        _settings(known),
        _skills(known),
        _others(known),
        _section("What it writes around them", frames(known)),
        _notes(known),
        f"[All agents in one table](README.md) · [The data of this page]({DATA.format(known.folder)})\n",
    )
    return "\n".join(part for part in parts if part)


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n{text.rstrip()}\n" if text else ""


def _bullets(lines: Iterable[str]) -> str:
    return "".join(f"- {line}\n" for line in lines)


def _head(known: Known) -> str:
    facts = known.facts
    rows = [
        ("Last checked", str(facts.checked)),
        ("Version", facts.version),
        ("How it is known", f"{KNOWN[facts.known]}, unless noted otherwise"),
        ("Its own prompt", own_prompt(facts.own)),
        (
            "How it shows what it has loaded",
            ", ".join(f"`{way}`" for way in facts.shows.split(", ") if way) or "unknown",
        ),
        ("What it loads in your project", f"`overture agents {known.name}`"),
    ]
    rows += [("Signs that it is set up", signs_in_words(facts.signs))]
    rows += [("Also called", ", ".join(facts.also_called))] if facts.also_called else []
    return f"# What {facts.title} reads\n\n{known.recipe.about}\n\n" + table((facts.title, "what is known"), rows)


def _asked(known: Known, names: list[str]) -> str:
    found = [(name, answer(known.wants, name)) for name in names]
    rows = [(f"`{name}`", YES[each.reads], _when(each)) for name, each in found]
    return _section("Does it read my file?", table(("file of a project", "read", "where, and when"), rows))


def _when(given: Answer) -> str:
    remarks = dict.fromkeys(rule.remark for rule in (*given.rules, *given.later) if has_own_remark(rule))
    said = f"{begun(given.words)}." if given.words else ""
    return " ".join([said, *remarks])


def _instructions(known: Known) -> str:
    first, later = ([rule for rule in _told(known) if is_later(rule) == late] for late in (False, True))
    order = ", in this order" if len(first) > 1 and known.order_is_known else ""
    parts = (
        _section(f"What it loads at the start{order}", _numbered(known, first) + _outside(known, first)),
        _section("What it loads on demand", _numbered(known, later)),
    )
    return "\n".join(part for part in parts if part)


def _told(known: Known) -> list[FileStep]:
    return [rule for rule in known.rules if rule.kind in ("instructions", "rule", "settings")]


def _numbered(known: Known, rules: list[FileStep]) -> str:
    numbers = {rule.step: index for index, rule in enumerate(known.rules, 1)}
    return "".join(f"{numbers[rule.step]}. {_rule(known, rule)}\n" for rule in rules)


def _rule(known: Known, rule: FileStep) -> str:
    """The rule, what is worth knowing about it, and how it is known."""
    keys = dict.fromkeys(
        key for file in known.wants.settings_files for key, sets in file.keys.items() if f"{rule.step}.names" in sets
    )
    named = f"The setting: {quoted(keys, 'or')}." if keys and not rule.names else ""
    ways = "sorted by path" if rule.order == "path" else "folder by folder"
    among = f"They are merged with those of {known.called([rule.among])}, {ways}." if rule.among else ""
    how = f"*{begun(evidence(rule.known, known.facts))}; {known.facts.checked}.*"
    return " ".join(part for part in (rule_in_words(rule), among, named, rule.remark, how) if part)


def _outside(known: Known, rules: list[FileStep]) -> str:
    """Where it looks without a repository; once, where that is the same for all."""
    said = _said(known, [rule for rule in rules if outside(rule)], lambda rule: [outside(rule)])
    return "\n" + (said if said.count("\n") > 1 else said.removeprefix("- "))


def _said(known: Known, rules: list[FileStep], words: Callable[[FileStep], list[str]]) -> str:
    """What is to be said of rules, each sentence once; with their numbers where it does not hold for all."""
    found: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    for rule in rules:
        for place, sentence in enumerate(words(rule)):
            found.setdefault(sentence, []).append(rule.step)
            places.setdefault(sentence, place)
    lines = [(sentence, found[sentence]) for sentence in sorted(found, key=places.__getitem__)]
    return _bullets(
        sentence if len(steps) == len(rules) else f"{sentence.removesuffix('.')} ({known.called(steps)})."
        for sentence, steps in lines
    )


def _frontmatter(known: Known) -> str:
    rules = [rule for rule in _told(known) if rule.conditions]
    names = dict.fromkeys(name for rule in rules for name in folded(full_names(rule)) if "*" in name)
    said = _said(
        known, rules, lambda rule: conditions_in_words(rule.conditions, rule.quirks) if rule.conditions else []
    )
    return _section("When a rule is loaded", f"The frontmatter of {quoted(names)} decides:\n\n{said}") if rules else ""


def _imports(known: Known) -> str:
    rules = [rule for rule in _told(known) if rule.imports]
    said = _said(known, rules, lambda rule: imports_in_words(rule.imports, rule.quirks) if rule.imports else [])
    some = (
        f"In files of {known.called([rule.step for rule in rules])}:\n\n" if 0 < len(rules) < len(_told(known)) else ""
    )
    return _section("Imports", some + said if rules else "None known: `@path` in a file stays as it is.")


def _limits(known: Known) -> str:
    said = [limit_in_words(limit, known.called) for limit in known.wants.limits]
    return _section("Limits", _bullets(said) or "None known: files are loaded whole.")


def _files(known: Known) -> str:
    return _section("Symlinks, empty files, upper and lower case", _said(known, _told(known), _habits))


def _habits(rule: FileStep) -> list[str]:
    out = [f"Removed from the text: {listed([STRIP[each] for each in rule.strip])}."] if rule.strip else []
    spoiled = [spoiled_in_words(rule.spoiled_by)] if rule.spoiled_by else []
    decoded = ["A file that is not UTF-8 is skipped."] if rule.utf_8 else []
    return [LINKS[rule.links], BLANK[rule.blank], CASE[rule.case], *decoded, *out, *spoiled, *DOTTED[rule.dotted]]


def _settings(known: Known) -> str:
    variables = variables_in_words(known.wants, known.recipe.settings, known.called)
    text = "As environment variables:\n\n" if variables else ""
    text += _bullets(f"{name} {does}." for name, does in variables)
    files: dict[str, dict[str, list[str]]] = {}
    for file in known.wants.settings_files:
        for key, does in settings_in_words(file, known.called):
            files.setdefault(paths_in_words(file), {}).setdefault(key, []).append(does)
    for paths, keys in files.items():
        text += f"\nIn {paths}:\n\n" + _bullets(f"{key} {'; '.join(does)}." for key, does in keys.items())
    return _section("Variables and settings that change it", text.lstrip("\n") or "None known.")


def _skills(known: Known) -> str:
    skills = known.wants.skills
    if skills is None:
        return _section("Skills", "None known.")
    places = "".join(f"{index}. {begun(place)}.\n" for index, place in enumerate(places_in_words(skills), 1))
    said = [*skills_in_words(skills), menu_in_words(skills.menu)]
    return _section("Skills", f"It looks for them in this order:\n\n{places}\n{_bullets(said)}")


def _others(known: Known) -> str:
    rules = [rule for rule in known.rules if rule.kind in ("agent", "command")]
    said = _said(known, [rule for rule in rules if rule.listing], _listed)
    more = f"\nWhich of them are listed, and how:\n\n{said}" if said else ""
    return _section("Sub-agents and commands", _numbered(known, rules) + more if rules else "None known.")


def _listed(rule: FileStep) -> list[str]:
    spoiled = [spoiled_in_words(rule.spoiled_by)] if rule.spoiled_by else []
    return [
        *(listing_in_words(rule.listing) if rule.listing else []),
        *quirks_in_words(rule.quirks, "reject_helper"),
        *spoiled,
        *DOTTED[rule.dotted],
    ]


def _notes(known: Known) -> str:
    here = '"Here" means what `overture agents` takes into account.\n\n'
    notes = known.facts.notes
    return _section("What is unusual or unknown", here * any(" here" in note for note in notes) + _bullets(notes))
