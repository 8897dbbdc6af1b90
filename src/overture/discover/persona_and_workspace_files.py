"""Reads IDENTITY.md, SOUL.md, USER.md, SYSTEM.md, APPEND_SYSTEM.md and the files of the agent's data directory."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..model.diagnostic import Diagnostic, error, warning
from ..model.source import Origin
from ..model.state.agent_and_runtime import Agent, User
from ..model.state.discovery import People
from ..model.state.files import Overrides, WorkspaceFile
from ..model.wants import OverrideFiles, PersonaFiles, WorkspaceFiles
from ..sections.clock import find_zone
from ..text.frontmatter import (
    Frontmatter,
    FrontmatterField,
    FrontmatterProblem,
    parse_frontmatter,
    scalar_text,
    strip_comments,
)
from ..text.normalize import tidy
from .place import Place
from .reader import FileReader, Sighting

IDENTITY_FIELDS = ("name", "emoji", "creature", "vibe")
USER_FIELDS = ("name", "timezone", "location")

Card = dict[str, tuple[str, int]]
"""The fields of a file, each with its text and line."""
CardResult = tuple[Card | None, tuple[Diagnostic, ...]]
MakeCard = Callable[[str, str], CardResult]


def find_persona(reader: FileReader, wants: PersonaFiles, home: str) -> People:
    """Read the three persona files. An empty IDENTITY.md counts, too: an agent without a name."""
    folder = f"{home.rstrip('/')}/{wants.folder}"
    by_owner: dict[str, dict[str, Any]] = {}
    origins: dict[str, Origin] = {}
    for what, owner, make in PERSONA_FILES:
        sighting = reader.sight(folder, f"{what.upper()}.md", what)
        if sighting is None:
            continue
        card = _load_card(reader, sighting, what, make)
        if card is None or (what == "soul" and "agent" not in by_owner and not card["soul"][0]):
            continue  # an empty SOUL.md alone is as good as none: it brings no identity
        fields = by_owner.setdefault(owner, {})
        for field, (text, line) in card.items():
            fields[field] = text
            origins[f"{owner}.{field}"] = Origin(sighting.path, line)
    agent, user = by_owner.get("agent"), by_owner.get("user")
    return People(None if agent is None else Agent(**agent), User(**user) if user else None, origins=origins)


def _load_card(reader: FileReader, sighting: Sighting, what: str, make: MakeCard) -> Card | None:
    """The fields of one file, and a record of the outcome."""
    path = sighting.path
    card: Card | None = reader.load(sighting, what, make)
    if card is None:
        if cached := reader.cached_files.get((what, path)):
            reader.note(path, what, "skipped", cached.notes[-1].message)
        return None
    has_values = any(text for text, _ in card.values())
    reader.note(path, what, "loaded" if has_values else "cleared", "" if has_values else "it sets nothing")
    return card


def _parse_soul(text: str, _: str) -> CardResult:
    tidied, skipped = tidy(text)
    return {"soul": (tidied, 1 + skipped)}, ()


def _parse_user(text: str, path: str) -> CardResult:
    card, notes = _parse_card_fields(text, path, USER_FIELDS)
    name, line = (card or {}).get("timezone", ("", 1))
    if card is None or not name or find_zone(name) is not None:
        return card, notes
    message = f"timezone {name!r:.80} is not an IANA zone such as Europe/Paris: it is skipped"
    fields = {field: value for field, value in card.items() if field != "timezone"}
    return fields, (*notes, warning("persona-invalid", message, path, line))


def _parse_card_fields(text: str, path: str, names: tuple[str, ...]) -> CardResult:
    """The fields of these names; None if the file has no usable frontmatter."""
    text, skipped = tidy(text)
    if not text:
        return {}, ()
    parsed = parse_frontmatter(text)
    if isinstance(parsed, FrontmatterProblem):
        return None, (error("persona-skipped", parsed.message, path, parsed.line + skipped),)
    fields = {name: parsed.fields[name] for name in names if name in parsed.fields}
    notes = [
        warning("persona-invalid", message, path, line + skipped)
        for message, line in _find_field_faults(parsed, fields)
    ]
    return {name: (value, f.line + skipped) for name, f in fields.items() if (value := scalar_text(f))}, tuple(notes)


def _find_field_faults(parsed: Frontmatter, fields: dict[str, FrontmatterField]) -> Iterator[tuple[str, int]]:
    """What is wrong with the fields of IDENTITY.md or USER.md, each with its line."""
    for key, line in parsed.twice:
        yield f"{key!r:.80} is given twice; the last value is used", line
    for name, field in fields.items():
        if field.kind in ("list", "map"):
            yield f"{name} is a {field.kind}, not a string: it is skipped", field.line
        elif field.kind not in ("text", "null"):
            message = f"{name} is written {field.text!r:.80}, which YAML reads as a {field.kind}: put quotes around it"
            yield message, field.line


PERSONA_FILES: tuple[tuple[str, str, MakeCard], ...] = (
    ("identity", "agent", partial(_parse_card_fields, names=IDENTITY_FIELDS)),
    ("soul", "agent", _parse_soul),
    ("user", "user", _parse_user),
)
"""The file by its name in small letters, the owner of its fields, and how it is read."""


def find_overrides(reader: FileReader, wants: OverrideFiles, place: Place) -> People:
    """The texts of SYSTEM.md and APPEND_SYSTEM.md: the project's, or else the one under home, never both."""
    folders = f"{place.cwd.rstrip('/')}/{wants.project}", f"{place.home.rstrip('/')}/{wants.home}"
    origins: dict[str, Origin] = {}
    texts: dict[str, str] = {}
    for field, name in (("system", wants.system), ("append", wants.append)):
        winner: str | None = None
        for folder in folders:
            path = f"{folder}/{name}"
            if winner is not None:
                there = reader.world.exists(path)
                reader.note(path, field, "hidden" if there else "absent", f"by {winner}" if there else "")
                continue
            sighting = reader.sight(folder, name, field)
            override = reader.load(sighting, field, _read_override) if sighting else None
            if override is not None:
                winner = path
                texts[field], line = override
                origins[f"overrides.{field}"] = Origin(path, line)
                reader.note(path, field, "loaded" if texts[field] else "cleared", "" if texts[field] else "it is empty")
    return People(overrides=Overrides(**texts) if texts else None, origins=origins)


def _read_override(text: str, _: str) -> tuple[tuple[str, int], tuple[Diagnostic, ...]]:
    tidied, skipped = tidy(text)
    return (tidied, 1 + skipped), ()


def find_workspace_files(reader: FileReader, wants: WorkspaceFiles, home: str) -> tuple[WorkspaceFile, ...]:
    """The files that exist and have content, in the recipe's order."""
    folder = f"{home.rstrip('/')}/{wants.folder}"
    files: list[WorkspaceFile] = []
    for name in wants.names:
        sighting = reader.sight(folder, name, "workspace")
        file: WorkspaceFile | None = reader.load(sighting, "workspace", _make_workspace_file) if sighting else None
        if sighting is not None and file is not None:
            cleared = not file.content
            reader.note(sighting.path, "workspace", *(("cleared", "it is empty") if cleared else ("loaded",)))
            files += [] if cleared else [file]
    return tuple(files)


def _make_workspace_file(text: str, path: str) -> tuple[WorkspaceFile, tuple[Diagnostic, ...]]:
    """The file as written; one with only comments counts as empty."""
    visible = strip_comments(text)
    return WorkspaceFile(path, text if visible.text else "", name=path.rpartition("/")[2]), ()
