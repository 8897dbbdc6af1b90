"""One agent -> its page, in the words of its module, and for its data in those of the notes that the fields have."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from markdown_table import table
from python_reference import field_note

from overture.agents.show.agent_table_cells import EVIDENCE_PHRASE
from overture.known_agents import agent_about, agent_facts, agent_wants, load
from overture.known_agents.frames import FrameForm
from overture.model.agent_rules import AgentWants, FileLimit, Settings, Step
from overture.model.recipe.recipe import AgentFacts
from overture.text.words import join_words

TOLD = {"step", "names", "place", "at_home", "kind", "tells", "from_root", "on", "project", "here", "home"}
TOLD |= {"known", "remark", "needs_known"}
"""Fields that a page tells elsewhere, or in another way."""
HEADS = {
    "alone_needs": "what a file that is a skill by itself must have",
    "bare_most": "maximum characters of the skills without their descriptions; the rest is not listed",
    "called": "the agent's name for a file",
    "folders": "written between folders and file name in its name",
    "longest_name": "maximum characters of its name",
    "needs": "what it must have",
}
"""The notes of fields that have none, or none that can stand before a value."""
PHRASES = {
    "blank=keep": "of an empty file, the frame is written",
    "broken=items": "with invalid frontmatter, each line that looks like a key or an item of its list is read",
    "broken=mended": "invalid YAML is read again with quotes around its values",
    "case=any": "names are not case-sensitive",
    "described=words": "what replaces a missing description: its first line that is not a heading",
    "dotted=all": "`*` also matches files and folders that begin with a dot",
    "dotted=itself": "a hidden folder may be a skill, but is not searched",
    "dotted=none": "`*` does not match names that begin with a dot",
    "escapes=html": "what the agent writes as entities: the five characters of XML, backticks and `=`",
    "escapes=xml": "what the agent writes as entities: the five characters of XML",
    "links=never": "symlinks are not followed",
    "name_from=both": "it is listed as `folder (name)`",
    "name_from=folder": "its name is that of its folder",
    "named=name": "its name is the `name` of its frontmatter, else its file name",
    "patterns=gitignore": "patterns match as in a .gitignore",
    "rule_links=inside": "symlinks to rules may lead: in the project",
}
"""Values whose field has a note that does not tell them, or not in words that can stand alone."""
WORDS = {
    "base=anywhere": "any folder",
    "base=folder": "the folder that has the folder of the rules",
    "within=anywhere": "any",
    "within=cwd": "those below the working directory",
    "within=folder": "those below the folder of the first file",
    "cwd": "the working directory",
    "first": "only the first",
    "inside": "in the project",
    "manual": "when the user names it",
    "model": "when the model asks for it",
    "never": "never",
    "waiting": "for matching files",
    "broken-frontmatter": "invalid frontmatter",
    "comments": "HTML comments",
    "code": "code in backticks",
    "indented": "indented code",
    "tildes": "code blocks of `~~~`",
    "bom": "a byte order mark before it",
    "blank-lines": "blank lines before it",
    "unended": "no last line",
    "blanks-after-first": "spaces after its first line",
    "blanks-after-last": "spaces after its last line",
    "name": "`name`",
    "description": "`description`",
    "yaml": "valid YAML, if it has frontmatter",
    "name-is-folder": "the name of its folder",
    "name-like-folder": "the name of its folder, ignoring case",
    "lower-case-name": "a name of lower-case letters, digits and hyphens",
    "plain-name": "a name of letters, digits and hyphens",
    "words": "text below its frontmatter",
    "utf-8": "UTF-8",
    "texts": "only strings in `name` and `description`",
    "texts-or-none": "only strings or nothing in `name` and `description`",
    "keys-once": "no duplicate keys",
    "keys": "the keys `name` and `description`, even if empty",
}
SETS = {
    "adds": "names more files",
    "replaces": "names the files instead",
    "limits": "changes the limit",
    "enables": "enables or disables",
}


def quoted(names: Iterable[str]) -> str:
    """Names in backticks; of `a|b`, the first that exists."""
    return ", ".join(", else ".join(f"`{each}`" for each in name.split("|")) for name in names)


def bullets(lines: Iterable[str]) -> str:
    """A list."""
    return "".join(f"- {line[:1].upper()}{line[1:].rstrip('.')}.\n" for line in lines)


def explain(struct: msgspec.Struct) -> Iterator[str]:
    """What is not the default: a sentence for each such field, in the words of its note."""
    hints = get_type_hints(type(struct), include_extras=True)
    for field in msgspec.structs.fields(struct):
        value = getattr(struct, field.name)
        limited = field.name == "over" and getattr(struct, "most", None)  # what happens over a limit is always told
        if field.name not in TOLD and not isinstance(value, msgspec.Struct) and (value != field.default or limited):
            note = re.sub(r"; (none|empty|itself|or in)\b.*| -> .*", "", field_note(hints[field.name]))
            said = _say(HEADS.get(field.name, note), field.name, value, _literals(hints[field.name]))
            if value != {}:
                yield re.sub(r"\bcwd\b", WORDS["cwd"], said)


def _say(note: str, name: str, value: Any, literals: Sequence[str]) -> str:
    """A note and a value: `how deep imports may nest`, 4 -> `how deep imports may nest: 4`."""
    if value is True:
        return note
    if value is False:  # `links are followed` -> `links are not followed`
        return re.sub(r"(.*\b(?:is|are|may))( not)?\b", lambda found: found[1] + ("" if found[2] else " not"), note)
    if told := PHRASES.get(f"{name}={value}") or (_choose(note, value, literals) if value in literals else ""):
        return told
    head, semicolon, more = note.partition(";")
    if isinstance(value, tuple | frozenset) and ": " in head:
        head = f"{head.replace(': ', ' (', 1)})"
    return f"{head}: {_value(name, value)}{semicolon}{more}"


def _choose(note: str, value: str, literals: Sequence[str]) -> str:
    """`where it goes: here, there, or nowhere`, the second of three -> `where it goes: there`; or nothing."""
    head, tail = [*re.split(r"[.:] ", note, maxsplit=1), ""][:2]
    given = re.split(" · " if " · " in tail else r", or |, ", tail or note)
    named = {value: words for value, _, words in (each.partition(": ") for each in given) if words}
    if not tail:  # `over the limit, do this, or that`
        head, *given = given
    return f"{head}: {named.get(value) or given[literals.index(value)]}" if len(given) == len(literals) else ""


def _value(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{quoted([key])} is `{word}`" for key, word in value.items())
    if isinstance(value, tuple | frozenset):
        return join_words([_value(name, each) for each in _in_order(value)]) if value else "none"
    if isinstance(value, int):
        return f"{value:,}"
    return WORDS.get(f"{name}={value}") or WORDS.get(value) or f"`{value.strip().replace('=', ': ')}`"


def _in_order(values: Iterable[str]) -> Iterable[str]:
    return sorted(values) if isinstance(values, frozenset) else values


def _literals(hint: Any) -> list[str]:
    """The texts that a field may have, if they are given."""
    if get_origin(hint) is Literal:
        return [each for each in get_args(hint) if each]
    return [each for part in get_args(hint) if get_origin(part) is not tuple for each in _literals(part)]
