"""One file -> what became of it: `why was my CLAUDE.md not used?`."""

from typing import Annotated

from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Found, Look
from ..model.struct import Frozen, note

Places = dict[str, tuple[int, int]]


class Fate(Frozen, frozen=True, omit_defaults=False):
    """What became of one path."""

    path: str
    outcome: str
    said: Annotated[str, note("the same in a sentence")]
    chars: Annotated[int, note("how many characters of the prompt are from it")] = 0


def why(name: str, path: str, prompt: Prompt, found: Found) -> tuple[Fate, ...]:
    """What became of a file, given as it was named and as an absolute path.

    A bare name means every file, folder or skill of that name; those that are not there only if none is.
    """
    looks = [look for look in found.looked_at if look.path == path and look.outcome != "absent"]
    if not looks and not name.startswith((".", "/")):
        looks = [look for look in found.looked_at if _named(look.path, name)]
        looks = [look for look in looks if look.outcome != "absent"] or looks
    looks = looks or [look for look in found.looked_at if look.path == path]
    if not looks:
        return (Fate(path, "never looked for", _never(prompt, found)),)
    shown = _by_path(prompt)
    whole = _by_path(prompt.fitted.whole) if prompt.fitted else None
    return tuple(_fate(look, shown, whole) for look in looks)


def _named(path: str, name: str) -> bool:
    return path.endswith((f"/{name}", f"/{name}/SKILL.md"))


def _fate(look: Look, shown: Places, whole: Places | None) -> Fate:
    chars, start = shown.get(look.path, (0, 0))
    said = _cut(look, whole, chars, start) or _sentence(look, chars, start)
    return Fate(look.path, look.outcome, said, chars)


def _by_path(prompt: Prompt) -> Places:
    """For each file, how many characters of the prompt are from it, and where the first of them stands."""
    found: Places = {}
    for span in prompt.spans:
        if span.source.kind == "file" and span.source.path is not None:
            chars, start = found.get(span.source.path, (0, span.start))
            found[span.source.path] = chars + span.end - span.start, start
    return found


def _cut(look: Look, places: Places | None, chars: int, start: int) -> str | None:
    """What a budget did to a file that would be in the prompt."""
    if places is None or look.outcome != "loaded":
        return None
    whole = places.get(look.path, (0, 0))[0]
    if chars >= whole:
        return None
    if not chars:
        return f"loaded, and left out to meet the budget: {whole:,} characters, see `overture explain`."
    cut = f"{whole - chars:,} more are cut to meet the budget"
    return f"in the prompt: {chars:,} characters, from character {start:,} on; {cut}."


def _sentence(look: Look, chars: int, start: int) -> str:
    match look.outcome:
        case "loaded" if chars:
            return f"in the prompt: {chars:,} characters, from character {start:,} on."
        case "loaded":
            why = look.detail or "the section that would say it was left out: see `overture explain`"
            return f"loaded, and not in the prompt: {why}."
        case "shadowed":
            return f"not used: shadowed {look.detail}."
        case "cleared":
            return "loaded, and it is empty: it says nothing."
        case "absent":
            return "looked for, and not there."
    return f"not used: {look.detail}."


def _never(prompt: Prompt, found: Found) -> str:
    off = [f"{look.path} {look.detail}" for look in found.looked_at if look.outcome == "off"]
    names = dict.fromkeys(
        look.path.rpartition("/")[2]
        for look in found.looked_at
        if look.what == "context" and look.outcome not in ("off", "unread")
    )
    reads = f" Its project files are {', '.join(names)}, from the root down to --cwd." if names else ""
    return f"recipe {prompt.recipe.name} never looked for it.{reads}" + "".join(f" {each}." for each in off)
