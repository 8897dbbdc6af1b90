"""What agents do with a project's files that its authors should know: verdicts, names, settings; reports of recipes."""

from collections.abc import Iterator

from ..agents.survey import find_miswritten_names
from ..agents.verdicts import explain_finding
from ..discovery.paths import contains_path
from ..model.diagnostic import Diagnostic
from .findings import Finding, as_severity
from .input import CheckInput


def check_verdicts(inputs: CheckInput, code: str) -> Iterator[Finding]:
    """The verdicts of one code: at the first file, with the others beside it."""
    if inputs.agents is None:
        return
    table, _, verdicts = inputs.agents
    for each in verdicts.findings:
        if each.code == code:
            path, *others = each.paths
            message = explain_finding(each, table, str)
            # A line of an import is one of the file that imports.
            path, line = (each.other, each.line) if each.cause == "imported" and each.line else (path, each.line)
            yield Finding(
                code, as_severity(each.level), message, path, line or None, related=tuple(filter(None, others))
            )


def check_letter_case(inputs: CheckInput) -> Iterator[Finding]:
    """Files that most agents skip because of the letter case of their names."""
    if inputs.agents is None:
        return
    files = inputs.agents.files
    own = [file for file in files.files if contains_path(files.top, file.path) and not files.is_personal(file.path)]
    for path, right in sorted(find_miswritten_names(files.world, own, files.walk).items()):
        message = f"most agents look for {right!r} and skip this file, because names are case-sensitive: rename it"
        yield Finding("wrong-case", "warning", message, path)


ENDINGS = {
    "unreadable": ("unreadable", "-unreadable", "file-large"),
    "link-outside": ("-outside",),
    "invalid-settings": ("settings-invalid", "-skipped"),
    "config": ("config-missing", "config-shadowed", "config-unknown", "config-unreadable", "config-untrusted"),
}
"""By the code of a check, how the codes of the diagnostics end that it passes on."""
SKILL_NOTES = ("rule-invalid", "skill-invalid", "skill-skipped")
TEXT_NOTES = (
    "contained-token", "control-character", "hidden-character", "not-utf-8", "open-fence", "secret", "unclosed-fence",
)  # fmt: skip
"""What a recipe reports of a text, and rules find in its file."""


def find_code(note: Diagnostic, inputs: CheckInput) -> str | None:
    """The check that reports what an agent or a recipe reports; None where another rule does, or none."""
    if note.code in ENDINGS["config"]:
        return "config"
    if note.code in SKILL_NOTES:  # the skills of agents have a rule of their own
        return "skill-invalid" if inputs.prompt or note.code == "rule-invalid" else None
    if note.code.endswith("-outside") and note.line and not inputs.prompt:
        return None  # an import; what leads where is for the agent to know
    if code := next((code for code, ends in ENDINGS.items() if note.code.endswith(ends)), None):
        return code
    is_found = note.code in TEXT_NOTES and any(page.path == note.path for page in inputs.pages)
    return "prompt" if inputs.prompt and not is_found else None


def check_reports(inputs: CheckInput, code: str) -> Iterator[Finding]:
    """The reports of one code, of each file the first."""
    known = set[tuple[str | None, int | None, str]]()
    for note in inputs.notes:
        key = note.path, note.line, note.message if inputs.prompt else ""
        if find_code(note, inputs) == code and key not in known:
            known.add(key)
            yield Finding(code, as_severity(note.level), note.message, note.path, note.line, note.column)
