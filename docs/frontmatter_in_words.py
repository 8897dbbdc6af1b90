"""When a rule counts, as its frontmatter says, and what `@path` in a file brings along: in words."""

from collections.abc import Iterator

from names_in_words import listed, quoted
from quirks_in_words import quirks_in_words

from overture.discover.instructions.imports import MAX_MENTIONS
from overture.model.file_steps import Imports, RuleConditions
from overture.model.skill_dirs import FrontmatterFlaw

BARE = {
    "start": "it is always loaded",
    "model": "it is loaded on demand: the model gets its description and asks for it",
    "manual": "it is loaded only when you name it",
    "never": "it is skipped",
}
REACH = {
    "project": "must stay within the project",
    "cwd": "must stay below the working directory",
    "folder": "must stay below the folder of the first file",
    "anywhere": "may lead anywhere",
}
STARTS = {
    "root": "Patterns are relative to the repository's root.",
    "cwd": "Patterns are relative to the working directory.",
    "folder": "Patterns are relative to the folder that contains the folder of the rules.",
    "anywhere": (
        "Patterns may begin in any folder, ignoring case; one with a `/` before it begins at the file system's root."
    ),
}
PLACES = {
    "inline": "in the place of `@path`",
    "below": "below the line that imports it",
    "after": "as a separate file after the importing one",
}


SPOILERS: dict[FrontmatterFlaw, str] = {
    "bom": "a byte order mark before it",
    "blank-lines": "blank lines before it",
    "unended": "no last line",
    "blanks-after-first": "spaces after the dashes of its first line",
    "blanks-after-last": "spaces after the dashes of its last line",
}


def spoiled_in_words(spoilers: tuple[FrontmatterFlaw, ...]) -> str:
    """What keeps frontmatter from being known as such."""
    return f"Frontmatter with {listed([SPOILERS[each] for each in spoilers], 'or')} is not recognized."


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
        "start": "it is loaded as if it had none",
        "never": "it is skipped",
        "mended": "it is parsed again with quotes around its values, and else loaded as if it had none",
        "lines": "each line that looks like a key is read",
        "items": "each line that looks like a key or an item of its list is read",
    }
    ends = "" if rule.broken == "start" else f"; with one that is not closed: {then['start']}"
    yield f"With invalid frontmatter: {then[rule.broken]}{ends}."


def _patterns(rule: RuleConditions, quirks: str) -> Iterator[str]:
    keys = quoted(rule.globs, "or")
    skipped = quirks_in_words(quirks, "skip_rule")
    yield from skipped or [f"With patterns in {keys}: it is loaded on demand, when the agent works on a matching file."]
    if rule.everything:
        only = "among the patterns" if quirks_in_words(quirks, "hold_for_all_files") else "as the only pattern"
        yield f"With {quoted(rule.everything, 'or')} {only}: {BARE['start']}."
    if rule.empty == "never":
        yield f"With an empty list in {keys}: it is skipped."
    if "waiting" in rule.announced:
        yield "Until then it is listed."
    if not skipped:
        yield STARTS[rule.base]
    yield from quirks_in_words(quirks, "read_pattern_list")
    if rule.patterns == "relative":
        yield "One that begins with `/` matches nothing."
    if rule.patterns == "path":
        yield "One without a `/` matches no files further down, and one that begins or ends with it none at all."
    if rule.patterns == "gitignore":
        yield "They work as in a `.gitignore`; `/**` at the end is ignored."


def _words(words: tuple[str, ...]) -> str:
    """`alwaysApply=true` as YAML has it."""
    return quoted([word.replace("=", ": ") for word in words], "or")


def imports_in_words(rule: Imports, quirks: str = "") -> list[str]:
    """What `@path` does, a sentence each."""
    chain = "one file" if rule.depth == 1 else f"{rule.depth} files deep"
    ways = [*(["`~/`"] if rule.home else []), *(["`/`"] if rule.absolute else [])]
    said = [
        f"`@path` imports that file {PLACES[rule.place]}; at most {chain}{_in_all(rule)}.",
        f"The path is relative to the importing file{_may_begin(ways)}; it {REACH[rule.within]}.",
    ]
    said += [f"It is not an import in {listed(_not_in(rule), 'or')}."] if _not_in(rule) else []
    if around := [f"`{words.strip()}`" for words in (rule.before, rule.after) if words.strip()]:
        said.append(f"Its text is framed by {listed(around)}.")
    said += _spelled(rule)
    again = bool(quirks_in_words(quirks, "follow_import_again"))
    return [*said, *quirks_in_words(quirks, *IMPORT_HOOKS), *_instead(rule, again)]


IMPORT_HOOKS: tuple[str, ...] = (
    "follow_imports_in",
    "follow_import_again",
    "follow_ignored_import",
    "follow_undecoded_import",
    "follow_import_to",
    "import_for_waiting_rule",
)
BEGINS = {
    "blank": "White space must precede it.",
    "loose": "White space, `(` or `>` must precede it.",
    "text": "White space must precede it, or what begins a text in Markdown, such as `**` or a tag.",
    "mark": "No letter, digit, `-`, `_` or `@` may precede it.",
}


def _spelled(rule: Imports) -> Iterator[str]:
    """How an import may be written."""
    yield BEGINS[rule.begins]
    if not rule.tail:
        yield "Punctuation after the path, such as a full stop, is part of it."
    if rule.begins == "text":
        yield "`\\ ` in it is a space."
        yield "`#part` after it is ignored."


def _in_all(rule: Imports) -> str:
    return f", and {rule.max_files} in all" if rule.max_files < MAX_MENTIONS else ""


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
        "that does not exist": rule.missing,
        "that may not be imported": rule.refused,
        "in a circle" if again else "that is already imported": rule.again,
    }
    for case, text in cases.items():
        if text is not None:
            yield f"For a file {case} it writes `{text}`."
    if silent := [case for case, text in cases.items() if text is None and rule.place != "after"]:
        yield f"For a file {listed(silent, 'or')}, `@path` stays as it is."
