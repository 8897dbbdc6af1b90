"""Two texts that differ at a place -> what kind of thing differs there: a date, a time, a path, an id, a number."""

import re

MONTHS = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
DAYS = r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?"
KINDS = (
    ("the time", re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:\s?[AP]M)?|\b1[6-9]\d{8}(?:\d{3})?\b")),
    (
        "the date",
        re.compile(
            rf"\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|\b{DAYS}\b"
            rf"|\b{MONTHS}\.?\s\d{{1,2}}(?:,?\s\d{{4}})?|\d{{1,2}}\.?\s{MONTHS}(?:\s\d{{4}})?",
        ),
    ),
    (
        "an id",
        re.compile(
            r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F-]{8,27}|\b(?=[a-z]*\d)[0-9a-f]{7,64}\b|\b\w+_[A-Za-z0-9]{12,}"
        ),
    ),
    ("a path", re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+ -]+){2,}")),
    ("a number", re.compile(r"\d[\d,.]*%?")),
)
REACH = 60
GIT = re.compile(r"git ?status|recent commits|current branch|gitStatus", re.IGNORECASE)


def cause_in_text(old: str, new: str, at: int, section: str) -> str:
    """What changed in a section, in words; the same for the same kind of change, whatever the values."""
    where = f"in {section}"
    if at >= len(old.rstrip()) or at >= len(new.rstrip()):
        return f"text at the end of {section} was {'added' if len(new) > len(old) else 'cut'}"
    kind = _kind(old, new, at)
    if kind:
        return f"{kind} {where} changed"
    if GIT.search(new[max(at - 2_000, 0) : at]):
        return f"the state of git {where} changed"
    if sorted(old.splitlines()) == sorted(new.splitlines()):
        return f"the order of lines {where} changed"
    return f"the text {where} changed"


def _kind(old: str, new: str, at: int) -> str:
    """What stands at the place in both texts."""
    for name, pattern in KINDS:
        if _found(pattern, old, at) and _found(pattern, new, at):
            return name
    return ""


def _found(pattern: re.Pattern[str], text: str, at: int) -> bool:
    """Whether a match of the pattern holds the place, or ends just before it."""
    start = max(at - REACH, 0)
    return any(m.start() + start <= at <= m.end() + start for m in pattern.finditer(text[start : at + REACH]))
