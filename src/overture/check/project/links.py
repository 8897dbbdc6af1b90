"""Imports and links that lead nowhere."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from ..finding import Finding, Severity
from ..ground import Ground
from ..rule import Rule
from ..said.mentions import mentions
from ..said.rows import rows
from ..said.units import HEADING

MEND = "mend the path, which begins at the folder of this file"
IMPORT, LINK, ANCHOR = "broken-import", "broken-link", "broken-anchor"
NAMED = re.compile(r"<[^<>]{0,200}?\b(?:id|name)\s*=\s*[\"']?([^\"'\s<>]{1,200})")
OWN = re.compile(r"\{#([\w-]{1,200})\}")
SETEXT = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
LINKED = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
DROPPED = re.compile(r"[^\w\- ]")


def look_at_imports(ground: Ground) -> Iterator[Finding]:
    """Imports of files that are not there: agents that know imports drop them, most without a word."""
    for page in ground.pages:
        gone = ground.project.missing.get(page.path, frozenset())
        for each in mentions(page) if gone else ():
            if each.kind == "import" and each.key in gone:
                message = f"`@{each.target}` imports a file that is not there: {MEND}"
                level: Severity = "error" if each.alone else "warning"
                yield Finding(IMPORT, level, message, page.path, each.line, each.column)


def look_at_links(ground: Ground) -> Iterator[Finding]:
    """Links to files that are not there."""
    for page in ground.pages:
        gone = ground.project.missing.get(page.path, frozenset())
        for each in mentions(page) if gone else ():
            if each.kind == "link" and each.key in gone:
                message = f"the link leads to {each.target!r:.200}, which is not there: {MEND}"
                yield Finding(LINK, "error", message, page.path, each.line, each.column)


def look_at_anchors(ground: Ground) -> Iterator[Finding]:
    """Links to headings that the page, or another one that is checked, does not have."""
    pages = {page.path: page for page in ground.pages}
    for page in ground.pages:
        for each in mentions(page):
            other = page if each.kind == "anchor" else pages.get(_beside(page.path, each.target))
            if not each.anchor or other is None or not other.path.endswith((".md", ".mdc")):
                continue
            if each.anchor.lower() not in anchors(other.text):
                where = "it" if other is page else other.path
                message = f"the link leads to #{each.anchor}, and {where} has no such heading: name one that is there"
                yield Finding(ANCHOR, "warning", message, page.path, each.line, each.column)


def _beside(path: str, target: str) -> str:
    steps = path.split("/")[:-1]
    for step in target.split("/"):
        if step == "..":
            steps = steps[:-1]
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(steps)


@lru_cache(maxsize=256)
def anchors(text: str) -> frozenset[str]:
    """What can be linked to on a page, as GitHub names it."""
    found: set[str] = {"top", ""}
    times: Counter[str] = Counter()
    before = ""
    for line in rows(text):
        found.update(name.lower() for name in NAMED.findall(line.text))
        found.update(name.lower() for name in OWN.findall(line.text))
        heading = HEADING.match(line.text) if line.sort in ("prose", "quote") else None
        words = (
            heading[2].rstrip(" \t#") if heading else before if line.sort == "prose" and SETEXT.match(line.text) else ""
        )
        if words:
            slug = _slug(words)
            found.add(f"{slug}-{times[slug]}" if times[slug] else slug)
            times[slug] += 1
        before = line.text.strip() if line.sort == "prose" else ""
    return frozenset(found)


def _slug(heading: str) -> str:
    words = LINKED.sub(r"\1", heading).strip().lower()
    return DROPPED.sub("", words).replace(" ", "-")


RULES = (
    Rule(IMPORT, "error", "an import of a file that is not there", look_at_imports),
    Rule(LINK, "error", "a link to a file that is not there", look_at_links),
    Rule(ANCHOR, "warning", "a link to a heading that is not there", look_at_anchors),
)
