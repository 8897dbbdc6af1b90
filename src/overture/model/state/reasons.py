"""Why a path has its outcome: a code with arguments, and the one function that makes a sentence of it."""

from typing import Annotated

from ..struct import Frozen, note


class Reason(Frozen, frozen=True):
    """Why something became of a path."""

    code: Annotated[str, note("what happened, such as hidden, empty or outside")] = ""
    path: Annotated[str, note("the other path that it is about")] = ""
    args: Annotated[tuple[str | int, ...], note("what else it names; of most codes, the first is the kind")] = ()

    def __bool__(self) -> bool:
        return bool(self.code)

    @property
    def kind(self) -> str:
        """The first argument, which for most codes says what kind of it."""
        return str(self.args[0]) if self.args else ""


NO_REASON = Reason()
HOW_TO_READ = "pass --read-outside, or approve it with overture trust, to read it"
"""The end of the message about a file outside the project."""


def because(code: str, path: str = "", *args: str | int) -> Reason:
    """A reason: `because("hidden", "/p/CLAUDE.md", "first")`."""
    return Reason(code, path, args)


SENTENCES = {
    "": "",
    "at-start": "in the working directory",
    "above root": "at the project's root",
    "above between": "between the project's root and the working directory",
    "above outside": "above the project",
    "user": "for every project",
    "works-in": "when the agent works on a file in {path}",
    "works-in touched": "on the way to a file that the agent works on",
    "works-in listed": "listed when the agent works on a file in {path}",
    "works-in part": "when the agent works on a file in {path}; only its {1} is loaded",
    "listed": "listed by name and description",
    "listed bare": "listed by name",
    "listed part": "only its {1} is loaded",
    "limit at": "its limit ends at line {1:,}",
    "limit file": "{agent} loads at most {1:,} {2} per file, and reports it",
    "limit file-silent": "{agent} loads at most {1:,} {2} per file, and does not report it",
    "limit together": "{agent} loads at most {1:,} {2} of all these files together, and reports it",
    "limit together-silent": "{agent} loads at most {1:,} {2} of all these files together, and does not report it",
    "unknown": "{agent} does not read {0}",
    "unknown skills": "{agent} does not look for skills in {1}",
    "case": "{agent} looks for {0}: names are case-sensitive",
    "below-start": "below the working directory, where {agent} reads no {0}",
    "elsewhere here": "in the working directory, where {agent} does not look for it",
    "elsewhere between": "between the project's root and the working directory, where {agent} does not look for it",
    "elsewhere above": "above the project, where {agent} does not look for it",
    "elsewhere part": "in another part of the project, where {agent} does not look for it",
    "ignored git": "git ignores its folder, so {agent} does not list it",
    "same-file import": "it only imports {path}",
    "link folder": "its folder is a symlink, which {agent} does not follow",
    "invalid no-folder": "a skill is a folder with a SKILL.md",
    "untrusted": "nobody has approved it",
    "text": "{0}",
    "empty": "it is empty",
    "empty settings": "it sets nothing",
    "empty comments": "it has only comments",
    "empty frontmatter": "it has no text below its frontmatter",
    "empty import": "it has no text to import",
    "imported": "imported by {path}, line {0}",
    "hidden": "by {path}",
    "hidden first": "by {path}, which comes first in its folder",
    "hidden later": "by {path}, which has the same name and comes later",
    "hidden name": "by {path}, which has the same name",
    "hidden unordered": "by {path}, or the other way round: its choice is not fixed",
    "hidden place": "by {path}, at the same place in its folder",
    "hidden everywhere": "by {path}: where that exists, {1} are not read",
    "hidden anywhere": "by {path}: where that exists, no {1} is read anywhere",
    "excluded name": "the agent excludes this name",
    "excluded setting": "excluded by a setting of the agent",
    "excluded key": "excluded by its `{1}`",
    "checkout": "it belongs to {path}, the checkout of this worktree",
    "checkout copy": "the worktree has its own {1}; this one belongs to its checkout, {path}",
    "same-text": "the same text is already loaded",
    "same-text first": "{path} has the same text and comes first",
    "same-text as": "the same text as {path}",
    "only-import": "it only imports {path}",
    "same-file": "the same file as {path}",
    "same-file link": "the same file as {path}, by a link",
    "same-file folder": "the same folder as {path}",
    "same-file purpose": "it is a {1} file",
    "not-followed": "it is a symlink, which this agent does not follow",
    "not-followed outside": "it is outside the project, and this agent does not follow it",
    "not-followed ending": "`@` in {path} names it, but this agent imports no `{1}` files",
    "not-utf-8": "it is not UTF-8, and this agent does not read it",
    "no-file": "it is not a regular file",
    "no-file folder": "it is a directory",
    "no-folder": "it is not a directory",
    "outside": "outside {0}: {path} ({1}), {2}",
    "unapproved": "outside the project, and changed since it was approved; review it: overture trust",
    "stripped": "it strips comments such as this",
    "matches": "when the agent works on a file that matches {0}",
    "matches nothing": "no file matches {1}",
    "model": "the model gets its description, and asks for it",
    "manual": "only when somebody names it",
    "never": "this agent does not load it",
    "never files": "this agent does not load rules for {1}",
    "addable": "{0}",
    "taken-names": "{0}, with names that are already loaded",
    "user-only": "hidden from the model by disable-model-invocation",
    "too-high": "it is above the repository, where this recipe stops",
    "unreadable": "{0}",
    "invalid": "{0}",
    "off": "it is false: {0} are not looked for",
    "unlisted": "this agent does not list it: {0}",
}
"""By code, and by code and kind."""
HINTS = {
    "outside": HOW_TO_READ,
    "addable": "to add {1}: {2}",
    "too-high": "to add it: --root {path}",
}
"""What somebody may do about it."""
FAULTS = {
    "utf-8": "it is not UTF-8",
    "frontmatter": "it has no frontmatter",
    "spoiled": "its frontmatter is not recognized",
    "keys-once": "its frontmatter has a key twice",
    "words": "it has no text below its frontmatter",
    "keys": "its frontmatter has no `{0}`",
    "name": "it has no name",
    "description": "it has no description",
    "name-is-folder": "its name {0!r:.60} differs from its folder",
    "lower-case-name": "its name {0!r:.60} contains more than lower-case letters, digits and hyphens",
    "name-like": "this agent does not accept the name {0!r:.60}",
    "longest": "its {0} has {1:,} characters, over the limit of {2:,}",
    "largest": "it has {0:,} bytes, over the limit of {1:,}",
    "least": "it has fewer than {0} characters below its frontmatter",
    "key": "its frontmatter has the key {0!r:.60}, which this agent does not know",
    "hidden": "excluded by {0}",
    "yaml": "{0}",
}
"""Why an agent does not list a skill, a sub-agent or a command, by what it needs."""


def explain_reason(reason: Reason, agent: str = "this agent") -> str:
    """A reason in words, with what to do about it."""
    return "; ".join(filter(None, (explain_cause(reason, agent), explain_hint(reason))))


def explain_hidden(reason: Reason, agent: str = "this agent") -> str:
    """Why a file is hidden, as a sentence of its own: "hidden by …"."""
    by_other = reason.code in ("hidden", "overridden") and reason.path
    return f"hidden {explain_reason(reason, agent)}" if by_other else explain_reason(reason, agent)


def explain_hint(reason: Reason) -> str:
    """What somebody may do about it."""
    return HINTS.get(reason.code, "").format(*reason.args, path=reason.path)


def explain_cause(reason: Reason, agent: str = "this agent") -> str:
    """A reason in words, without a hint."""
    code = "hidden" if reason.code == "overridden" else reason.code
    if reason.code == "unlisted":
        return SENTENCES["unlisted"].format(FAULTS[reason.kind].format(*reason.args[1:]))
    sentence = SENTENCES.get(f"{code} {reason.kind}") or SENTENCES[code]
    return sentence.format(*reason.args, path=reason.path, agent=agent)
