"""Turns what discovery and the recipe report into findings, such as files that the recipe skips."""

from collections.abc import Iterator
from functools import cache, partial

from ..rule import CheckInput, CheckRule, Finding, Severity, all_rules

UNREAD_CODE = "unread-instructions"


def check_unread_files(inputs: CheckInput) -> Iterator[Finding]:
    """Each is worth a word; where no other is read, more than that. A recipe that nobody chose is nobody's agent."""
    if inputs.is_default_recipe:
        return
    loaded = any(look.what == "context" and look.outcome == "loaded" for look in inputs.looks)
    severity: Severity = "info" if loaded else "warning"
    for each in inputs.looks:
        if each.what == "context" and each.outcome == "unread" and not each.outside:
            path = each.path.rpartition("/")[0] if "*" in each.path else each.path
            reason, _, how = each.detail.partition("; ")
            message = f"recipe {inputs.prompt.recipe.name!r} does not read it ({reason}){how and f'; {how}'}"
            yield Finding(UNREAD_CODE, severity, message, path)


UNREAD_RULES = (
    CheckRule(UNREAD_CODE, "info", "an instruction file that this recipe does not read", check_unread_files),
)


REPORTED_CODES = {
    "config-missing": "a configured folder that does not exist",
    "config-shadowed": "a configuration that is hidden by a nearer one",
    "config-unknown": "an unknown variable or table of settings",
    "config-unreadable": "an unreadable configuration file",
    "config-untrusted": "a project setting that its user has not approved",
    "context-copy": "an instruction file that is skipped because a nearer one has the same text",
    "context-near-copy": "two instruction files that are nearly the same",
    "context-shadowed": "an instruction file that is hidden by another",
    "context-import": "an instruction file that contains only an import",
    "file-large": "a file larger than the context window of most models",
    "not-utf-8": "a file that is not UTF-8",
    "persona-invalid": "an invalid field in IDENTITY.md or USER.md",
    "skill-collision": "two skills with the same name",
    "system-cleared": "an empty SYSTEM.md, which clears the base prompt",
    "timezone-unknown": "an unknown time zone",
    "tool-duplicate": "a tool that is given more than once",
    "tool-foreign": "keys of a tool that only one vendor supports",
}
"""The codes of diagnostics that are rules of their own."""
REPORTED_ENDINGS = {
    "unreadable-file": ("-unreadable", "an unreadable file, such as a broken symlink"),
    "link-outside": ("-outside", "a symlink to a file outside the project"),
    "skipped-file": ("-skipped", "an invalid file, such as JSON that does not parse"),
}
"""Codes that begin with what was looked for, by how they end."""


def find_reported(inputs: CheckInput, code: str) -> Iterator[Finding]:
    """The diagnostics of one kind."""
    for note in inputs.prompt.diagnostics:
        if find_code(note.code) == code:
            level: Severity = "info" if code == "skill-collision" and _is_copy(inputs, note.path) else note.level
            yield Finding(code, level, note.message, note.path, note.line, note.column)


def _is_copy(inputs: CheckInput, path: str | None) -> bool:
    """Whether another page has the same text: whichever of the two is used, the agent is told the same."""
    own = next((page.text for page in inputs.pages if page.path == path), None)
    return any(page.text == own and page.path != path for page in inputs.pages)


@cache
def find_code(diagnostic: str) -> str:
    """The rule under which a diagnostic is said; `reported` where no other takes it."""
    rule_code = next((rule.code for rule in all_rules().values() if diagnostic in rule.takes), None)
    if rule_code is not None:
        return rule_code
    return next((code for code, (end, _) in REPORTED_ENDINGS.items() if diagnostic.endswith(end)), "reported")


REPORTED_RULES = (
    *(
        CheckRule(code, "warning", title, partial(find_reported, code=code), frozenset((code,)))
        for code, title in REPORTED_CODES.items()
    ),
    *(
        CheckRule(code, "warning", title, partial(find_reported, code=code))
        for code, (_, title) in REPORTED_ENDINGS.items()
    ),
    CheckRule("reported", "warning", "anything else that the recipe reports", partial(find_reported, code="reported")),
)


RULES = (*UNREAD_RULES, *REPORTED_RULES)
