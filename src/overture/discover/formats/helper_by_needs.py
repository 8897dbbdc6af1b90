"""A sub-agent or a command as an agent takes it: whether it is told of, under which name, with which words."""

import posixpath
from typing import NamedTuple

from ...model.recipe.wants.wanted_helpers import Listing
from ...text.normalize import one_line
from .skill_by_needs import Parsed, as_known, hides, lacks, words_of


class Helper(NamedTuple):
    """What is told of it."""

    name: str
    description: str
    line: int


def helper_of(parsed: Parsed, path: str, top: str, listing: Listing, *, decoded: bool) -> Helper | str:
    """The helper, or why the agent is not told of it. `top` is the folder in which the agent looks for them."""
    parsed = as_known(parsed, listing.broken)
    file = posixpath.basename(path).partition(".")[0] or posixpath.splitext(posixpath.basename(path))[0]
    lacking = next(lacks(parsed, file, listing, decoded), None) or _odd(parsed, listing)
    if lacking:
        return lacking
    own = one_line(parsed.fields.get("name", "")) if listing.named == "name" else ""
    folders = posixpath.relpath(posixpath.dirname(path), top).split("/") if listing.folders else []
    above = "".join(f"{folder}{listing.folders}" for folder in folders if folder != ".")
    said = parsed.fields.get("description", "") or words_of(parsed, listing.described)
    return Helper(own or above + file, _shorter(one_line(said), listing.entry), parsed.line)


def _shorter(said: str, most: int | None) -> str:
    return said if most is None or len(said) <= most else f"{said[: most - 1]}…"


def _odd(parsed: Parsed, listing: Listing) -> str:
    """What else keeps it from being told of."""
    strange = [key for key in parsed.fields if listing.keys and key not in listing.keys]
    if strange:
        return f"its frontmatter holds {strange[0]!r:.60}, which this agent does not know"
    hidden = [key for key in listing.hidden_by if hides(parsed.fields, key)]
    if hidden:
        return f"{hidden[0]} keeps it out"
    if len(parsed.body.strip()) < listing.words:
        return f"fewer than {listing.words} characters stand below its frontmatter"
    return ""
