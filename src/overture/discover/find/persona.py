"""IDENTITY.md, SOUL.md and USER.md -> Agent and User, each value with the line that it was read from."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ...model.diagnostic import Diagnostic, error, warning
from ...model.recipe.wants.wanted_files import PersonaFiles
from ...model.state.agent import Agent, User
from ...model.state.files import Origin
from ...sections.clock import zone
from ...text.frontmatter import Field, Frontmatter, Problem, parse, plain_text
from ...text.normalize import tidy
from ..disk.reader import Reader, Sighting

IDENTITY = ("name", "emoji", "creature", "vibe")
USER = ("name", "timezone", "location")

Card = dict[str, tuple[str, int]]
"""What a file gives: each field with its text and line."""
Made = tuple[Card | None, tuple[Diagnostic, ...]]
Make = Callable[[str, str], Made]


class Persona(NamedTuple):
    """Both, as far as their files are there, and where each value came from."""

    agent: Agent | None
    user: User | None
    origins: dict[str, Origin]


def find_persona(reader: Reader, wants: PersonaFiles, home: str) -> Persona:
    """Read the three files. An empty IDENTITY.md is there all the same: an agent without a name."""
    folder = f"{home.rstrip('/')}/{wants.folder}"
    given: dict[str, dict[str, Any]] = {}
    origins: dict[str, Origin] = {}
    for what, owner, make in FILES:
        sighting = reader.sight(folder, getattr(wants, what), home, what)
        if sighting is None:
            continue
        card = _card(reader, sighting, what, make)
        if card is None or (what == "soul" and "agent" not in given and not card["soul"][0]):
            continue  # an empty SOUL.md alone is as good as none: it brings no identity
        fields = given.setdefault(owner, {})
        for field, (text, line) in card.items():
            fields[field] = text
            origins[f"{owner}.{field}"] = Origin(sighting.path, line)
    agent, user = given.get("agent"), given.get("user")
    return Persona(None if agent is None else Agent(**agent), User(**user) if user else None, origins)


def _card(reader: Reader, sighting: Sighting, what: str, make: Make) -> Card | None:
    """What one file gives, and a note of what came of it."""
    path = sighting.path
    card: Card | None = reader.load(sighting, what, make)
    if card is None:
        if kept := reader.kept.get((what, path)):
            reader.note(path, what, "skipped", kept.notes[-1].message)
        return None
    given = any(text for text, _ in card.values())
    reader.note(path, what, "loaded" if given else "cleared", "" if given else "it gives nothing")
    return card


def _soul(text: str, _: str) -> Made:
    kept, skipped = tidy(text)
    return {"soul": (kept, 1 + skipped)}, ()


def _identity(text: str, path: str) -> Made:
    return _fields(text, path, IDENTITY)


def _user(text: str, path: str) -> Made:
    card, notes = _fields(text, path, USER)
    name, line = (card or {}).get("timezone", ("", 1))
    if card is None or not name or zone(name) is not None:
        return card, notes
    message = f"timezone {name!r:.80} is not an IANA zone such as Europe/Paris: it is passed over"
    kept = {field: value for field, value in card.items() if field != "timezone"}
    return kept, (*notes, warning("persona-invalid", message, path, line))


FILES: tuple[tuple[str, str, Make], ...] = (
    ("identity", "agent", _identity),
    ("soul", "agent", _soul),
    ("user", "user", _user),
)
"""The file by its name in PersonaFiles, whose fields it gives, and how it is read."""


def _fields(text: str, path: str, names: tuple[str, ...]) -> Made:
    """The fields of these names; None where the file has no frontmatter to use."""
    text, skipped = tidy(text)
    if not text:
        return {}, ()
    parsed = parse(text)
    if isinstance(parsed, Problem):
        return None, (error("persona-skipped", parsed.message, path, parsed.line + skipped),)
    found = {name: parsed.fields[name] for name in names if name in parsed.fields}
    notes = [warning("persona-invalid", message, path, line + skipped) for message, line in _faults(parsed, found)]
    return {name: (said, f.line + skipped) for name, f in found.items() if (said := plain_text(f))}, tuple(notes)


def _faults(parsed: Frontmatter, found: dict[str, Field]) -> Iterator[tuple[str, int]]:
    for key, line in parsed.twice:
        yield f"{key!r:.80} is given twice; the last one counts", line
    for name, field in found.items():
        if field.kind in ("list", "map"):
            yield f"{name} is a {field.kind}, not text: it is passed over", field.line
        elif field.kind not in ("text", "null"):
            yield (
                f"{name} is written {field.text!r:.80}, which YAML takes for a {field.kind}: put quotes around it",
                (field.line),
            )
