"""Formats an error as lines: what happened, a similar name, the cause, and a hint to act on."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

SENTENCE = re.compile(r"(?:(?<!\w)'[^']*'|`[^`]*`|\"[^\"]*\"|[^.?]|[.?](?!\)?(?: [A-Z`(]|$)))+[.?]?\)?")
"""A sentence: a full stop in quotes, in a path or in a number does not end it."""
SIMILAR = re.compile(r"\(?Did you mean (?:one of: )?(?P<names>[^?]+)\?\)?\.?")
KNOWN = re.compile(r"Known: (?P<names>.*)")
QUOTED = re.compile(r"`[^`]*`|(?<!\w)'(?P<typed>[^'`]+)'(?!\w)")
UNKNOWN = re.compile(r"(?P<what>[A-Z][\w ]*?) '(?P<name>[^']*)' is not known")
NO_OPTION = re.compile(r"No such option:? '?(?P<name>--?[^\s']+)'?")
NO_COMMAND = re.compile(r"No command '(?P<name>[^']*)'")
ACTIONS = frozenset(
    (
        "Add", "Approve", "Ask", "Call", "Choose", "Close", "Convert", "Copy", "Delete", "Drop", "Fix", "Flatten",
        "Free", "Give", "Install", "Keep", "Leave", "List", "Look", "Make", "Mend", "Move", "Name", "Pass", "Pick",
        "Put", "Raise", "Record", "Remove", "Rename", "Replace", "Run", "Save", "Say", "See", "Set", "Shorten", "Start",
        "Take", "Try", "Turn", "Update", "Use", "Wait", "Write",
    )
)  # fmt: skip
"""Verbs with which a sentence tells the reader what to do."""
MAX_LISTED_NAMES = 6
"""Names that are listed; of more, a reader asks the command that lists them."""
LISTS = {"recipe": "overture recipes", "agent": "overture agents --all", "check": "overture check --list"}
"""The commands that list what there is."""


def format_error(message: str) -> Iterator[str]:
    """The lines of an error: `error:`, then `tip:`, `cause:` and `hint:` where the message has them."""
    first, *others = [each.strip() for each in SENTENCE.findall(message)] or [""]
    what, noun, typed = _say_what(first)
    similar = next((_nearest(typed, found["names"]) for each in others if (found := SIMILAR.fullmatch(each))), None)
    if similar is None and (found := SIMILAR.search(what)):
        similar, what = _nearest(typed, found["names"]), (what[: found.start()] + what[found.end() :]).strip()
    yield f"error: {_quote(what.removesuffix('.'))}"
    if similar is not None:
        yield ""
        yield f"  tip: a similar {noun} exists: `{similar}`"
    for each in others:
        yield from _say_more(each, noun, similar)


def _nearest(typed: str, names: str) -> str:
    """Of the names that a message offers, the one that is nearest to what was typed."""
    offered = [each.strip(" '") for each in names.split(",")]
    return max(offered, key=lambda each: SequenceMatcher(None, typed, each).ratio()) if offered[1:] else offered[0]


def _say_what(sentence: str) -> tuple[str, str, str]:
    """The first line, what kind of name it is about, and the name."""
    if found := UNKNOWN.match(sentence):
        noun = found["what"].lower()
        return f"No {noun} named `{found['name']}`{sentence[found.end() :]}", noun, found["name"]
    for pattern, noun in ((NO_OPTION, "option"), (NO_COMMAND, "command")):
        if found := pattern.match(sentence):
            beginning = "No such option" if noun == "option" else "No command named"
            return f"{beginning} `{found['name']}`{sentence[found.end() :]}", noun, found["name"]
    return sentence, "name", ""


def _say_more(sentence: str, noun: str, similar: str | None) -> Iterator[str]:
    if SIMILAR.fullmatch(sentence):
        return
    if found := KNOWN.fullmatch(sentence):
        if similar is None:
            yield f"hint: {_list_names(found['names'].removesuffix('.'), noun)}"
        return
    label = "hint" if sentence.startswith("`") or sentence.split()[0].strip("`") in ACTIONS else "cause"
    yield f"{label}: {_quote(sentence.removesuffix('.'))}"


def _quote(text: str) -> str:
    """Backticks around what a reader typed, in place of Python's quotes."""
    return QUOTED.sub(lambda found: found[0] if found[0][0] == "`" else f"`{found['typed']}`", text)


def _list_names(names: str, noun: str) -> str:
    if noun in LISTS:
        return f"`{LISTS[noun]}` lists them"
    listed = names.split(", ")
    more = f" and {len(listed) - MAX_LISTED_NAMES} more" if len(listed) > MAX_LISTED_NAMES else ""
    return f"Known are {', '.join(listed[:MAX_LISTED_NAMES])}{more}"
