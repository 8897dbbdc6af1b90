"""When a rule counts, as its frontmatter says, and what `@path` in a file brings along: in words."""

from collections.abc import Iterator

from names_in_words import listed, quoted
from quirks_in_words import quirks_in_words

from overture.known_agents.quirks import Hook
from overture.model.wants.instruction_files import Imports, RuleConditions
from overture.model.wants.skills import FrontmatterFlaw

BARE = {
    "start": "it is always read",
    "model": "the model is told of it and may ask for it",
    "manual": "it is read only when you name it",
    "never": "it is not read",
}
REACH = {
    "project": "must stay within the project",
    "cwd": "must stay below the working directory",
    "folder": "must stay below the folder of the first file",
    "anywhere": "may lead anywhere",
}
STARTS = {
    "root": "Patterns are compared with paths from the repository's root.",
    "cwd": "Patterns are compared with paths from the working directory.",
    "folder": "Patterns are compared with paths from the folder in which the rules' own folder lies.",
    "anywhere": "Patterns may begin in any folder, whatever their letter case; with a `/` before it, one begins at the "
    "file system's root.",
}
PLACES = {
    "inline": "in the place of `@path`",
    "below": "below the line that names it",
    "after": "as a file of its own after the one that names it",
}


SPOILERS: dict[FrontmatterFlaw, str] = {
    "bom": "a byte order mark before it",
    "blank-lines": "blank lines before it",
    "unended": "no last line",
    "blanks-after-first": "blanks behind the dashes of its first line",
    "blanks-after-last": "blanks behind the dashes of its last line",
}


def spoiled_in_words(spoilers: tuple[FrontmatterFlaw, ...]) -> str:
    """What keeps frontmatter from being known as such."""
    return f"Frontmatter with {listed([SPOILERS[each] for each in spoilers], 'or')} is none."


def conditions_in_words(rule: RuleConditions, quirks: str = "") -> list[str]:
    """A sentence for each thing that the frontmatter may say, the one that counts first at the top."""
    said = [f"With {_words(rule.never)}: {BARE['never']}, whatever else it says."] if rule.never else []
    if rule.always:
        said.append(f"With {_words(rule.always)}: {BARE['start']}.")
    if rule.globs:
        said += _patterns(rule, quirks)
    if rule.model:
        said.append(f"With {_words(rule.model)}: {BARE['model']}.")
    if rule.manual:
        said.append(f"With {_words(rule.manual)}: {BARE['manual']}.")
    said.append(f"With none of these: {BARE[rule.bare]}.")
    return [*said, *_faulty(rule), *quirks_in_words(quirks, "limit_rule_links", "show_rule_path")]


def _faulty(rule: RuleConditions) -> Iterator[str]:
    """What becomes of a rule whose frontmatter is not as it should be."""
    then = {
        "start": "it is read as if it had none",
        "never": "it is not read",
        "mended": "quotes around its values are tried, and else it is read as if it had none",
        "lines": "each line that looks like a key counts",
        "items": "each line that looks like a key or an item of its list counts",
    }
    ends = "" if rule.broken == "start" else f"; with one that never ends: {then['start']}"
    yield f"With frontmatter that can't be read: {then[rule.broken]}{ends}."


def _patterns(rule: RuleConditions, quirks: str) -> Iterator[str]:
    keys = quoted(rule.globs, "or")
    skipped = quirks_in_words(quirks, "skip_rule")
    yield from skipped or [
        f"With patterns in {keys}: it is read once the agent works on a file that one of them matches."
    ]
    if rule.everything:
        only = "among the patterns" if quirks_in_words(quirks, "hold_for_all_files") else "as the only pattern"
        yield f"With {quoted(rule.everything, 'or')} {only}: {BARE['start']}."
    if rule.empty == "never":
        yield f"With an empty list in {keys}: it is not read."
    if "waiting" in rule.announced:
        yield "Until then the model is told that it is there."
    if not skipped:
        yield STARTS[rule.base]
    yield from quirks_in_words(quirks, "read_pattern_list")
    if rule.patterns == "relative":
        yield "One that begins with `/` matches nothing."
    if rule.patterns == "path":
        yield "One without a `/` names no files further down, and one that begins or ends with it none at all."
    if rule.patterns == "gitignore":
        yield "They mean what they mean in a `.gitignore`, `/**` at their end is left away."


def _words(words: tuple[str, ...]) -> str:
    """`alwaysApply=true` as YAML has it."""
    return quoted([word.replace("=", ": ") for word in words], "or")


def imports_in_words(rule: Imports, quirks: str = "") -> list[str]:
    """What `@path` does, a sentence each."""
    chain = "one file" if rule.depth == 1 else f"{rule.depth} files in a row"
    ways = [*(["`~/`"] if rule.home else []), *(["`/`"] if rule.absolute else [])]
    said = [
        f"`@path` brings that file along, {PLACES[rule.place]}; at most {chain}.",
        f"The path is relative to the file that names it{_may_begin(ways)}; it {REACH[rule.within]}.",
    ]
    said += [f"It does not count in {listed(_not_in(rule), 'or')}."] if _not_in(rule) else []
    if around := [f"`{words.strip()}`" for words in (rule.before, rule.after) if words.strip()]:
        said.append(f"Around its text stands {listed(around)}.")
    said += _spelled(rule)
    again = bool(quirks_in_words(quirks, "follow_import_again"))
    return [*said, *quirks_in_words(quirks, *IMPORT_HOOKS), *_instead(rule, again)]


IMPORT_HOOKS: tuple[Hook, ...] = (
    "follow_imports_in",
    "follow_import_again",
    "follow_ignored_import",
    "follow_undecoded_import",
)
BEGINS = {
    "blank": "White space stands before it.",
    "loose": "White space, `(` or `>` stands before it.",
    "text": "White space stands before it, or what begins a text in Markdown, such as `**` or a tag.",
    "mark": "Neither a letter nor a digit, `-`, `_` or `@` stands before it.",
}


def _spelled(rule: Imports) -> Iterator[str]:
    """How an import may be written."""
    yield BEGINS[rule.begins]
    if not rule.tail:
        yield "A mark behind the path, such as a full stop, is part of it."
    if rule.begins == "text":
        yield "`\\ ` in it stands for a blank."
        yield "`#part` behind it is left away."


def _may_begin(ways: list[str]) -> str:
    return f", or begins with {listed(ways, 'or')}" if ways else ""


def _not_in(rule: Imports) -> list[str]:
    rest = {
        "code": "code in backticks",
        "indented": "indented code",
        "comments": "HTML comments",
        "tildes": "code blocks of `~~~`",
    }
    return [name for place, name in rest.items() if place not in rule.counts_in]


def _instead(rule: Imports, again: bool) -> Iterator[str]:
    """What the model is told in place of a file that is not brought along."""
    cases = {
        "that is not there": rule.missing,
        "that lies too far away": rule.refused,
        "in a circle" if again else "that was brought along before": rule.again,
    }
    for case, text in cases.items():
        if text is not None:
            yield f"For a file {case} it writes `{text}`."
    if silent := [case for case, text in cases.items() if text is None and rule.place != "after"]:
        yield f"For a file {listed(silent, 'or')}, `@path` stays as it is."
