"""Reads one file as an agent does: where links may lead, imports, what is stripped, and when a rule applies."""

import posixpath
from functools import partial
from typing import Literal, NamedTuple

from msgspec.structs import replace

from ...discover.allowed import ReadRefusal
from ...discover.file_reader import FileReader
from ...discover.globs import split_pattern
from ...discover.paths import contains_path
from ...discover.place import Place
from ...discover.real_paths import Sighting
from ...model.agent_rules import Step
from ...model.diagnostic import warning
from ...model.state.discovery import CachedFile, Outcome
from ...model.state.files import Piece, TextFile
from ...text.markdown import strip_block_comments
from ...text.normalize import line_at, tidy
from ...text.path_printer import readable_path
from .frontmatter_and_rules import matches_touched_file, read_rule_condition
from .gitignore import is_gitignored
from .imports import ImportFollower, RawText, is_spoiled, make_raw_text, strip_frontmatter
from .menu_entries import ignore_frontmatter, parse_skill, read_helper

NOT_FOLLOWED = "it is a symlink, which this agent does not follow"


class Spot(NamedTuple):
    """A path that is looked at."""

    folder: str
    name: str
    """As it is looked for in that folder."""
    path: str

    @property
    def is_rule(self) -> bool:
        """Whether it is one of the files that match a pattern."""
        return "*" in self.name


def name_kind(step: Step, spot: Spot) -> str:
    """What a file is in records: of instructions, those that match a pattern are rules."""
    return step.kind if step.kind != "instructions" else "rule" if spot.is_rule else "context"


class Found(NamedTuple):
    """A file that an agent loads."""

    file: TextFile
    step: Step
    spot: Spot
    imported: tuple[tuple[str, str], ...] = ()
    """The files whose text is in it, and what names each."""
    why: str = ""
    """If another file names it: which."""
    blank: bool = False

    @property
    def name(self) -> str:
        """What the agent calls a sub-agent or a command."""
        return self.file.called

    @property
    def is_text(self) -> bool:
        """Whether an agent gets its text, and not only its path."""
        return not (self.file.kind or "").endswith((":waiting", ":model"))


class Opened(NamedTuple):
    """What an agent makes of a path."""

    files: tuple[Found, ...]
    outcome: Literal["text", "blank", "again", "refused"]
    """again: it was read under another name, or is elsewhere"""


class Reading:
    """Reads the files of one step."""

    def __init__(self, reader: FileReader, scope: Place, step: Step) -> None:
        self.reader, self.scope, self.step = reader, scope, step

    def what(self, spot: Spot) -> str:
        """The kind of file in records."""
        return name_kind(self.step, spot)

    def note(self, path: str, what: str, outcome: Outcome, why: str) -> None:
        """Record why a file is not loaded."""
        self.reader.note(path, what, outcome, why, self.step.step)

    def open(self, spot: Spot) -> Opened:
        """The file at a path and those that it imports, as far as they are loaded now."""
        what = self.what(spot)
        sighting = self._sight(spot, what)
        if sighting is None:
            return Opened((), "again" if self._was_met(spot.path) else "refused")
        raw: RawText | None = self.reader.load(sighting, what, make_raw_text)
        if raw is None:
            return Opened((), "again" if spot.path in self.reader.elsewhere else "refused")
        if self.step.utf_8 and not self.reader.is_utf_8(spot.path, what):
            self._refuse(spot.path, what, "skipped", "it is not UTF-8, and this agent does not read it")
            return Opened((), "refused")
        shown = readable_path(sighting.real) if spot.is_rule and self.step.shows_target else ""
        if not raw.text.strip():
            if self.step.blank == "keep":
                return Opened((self._make(spot, [Piece("", spot.path)], shown=shown, blank=True),), "blank")
            self.note(spot.path, what, "cleared", "it is empty")
            return Opened((), "blank")
        kind = self._find_kind(raw, spot, what)
        if kind is None:
            return Opened((), "text")
        if self.step.listing is not None:
            return Opened(self._read_helper(raw, spot, what), "text")
        waits = kind.endswith((":waiting", ":model", ":manual", ":never")) and not self._is_announced(kind)
        files = self._read_text(raw, spot, what, kind, shown)
        return Opened(tuple(files[1:] if waits else files), "text")

    def _was_met(self, path: str) -> bool:
        looked = self.reader.looked
        return bool(looked) and looked[-1].outcome == "duplicate" and looked[-1].path == readable_path(path)

    def _sight(self, spot: Spot, what: str) -> Sighting | None:
        """The regular file at a path, if links may lead there and it was not met under another name."""
        path, reach = spot.path, self.reader.find_naming_setting(spot.name)
        links = "inside" if spot.is_rule and self.step.rule_links == "inside" else self.step.links
        result = self.reader.look_at(path, reach)
        if links == "inside" and reach is None and self._leaves_project(path, result):
            self._refuse(path, what, "outside", "it is outside the project, and this agent does not follow it")
            return None
        if isinstance(result, ReadRefusal):
            self._refuse(path, what, result.outcome, result.detail)
            return None
        folder, _, name = path.rpartition("/")
        if links == "never" and result.real != f"{self.reader.real_or(folder)}/{name}":
            self._refuse(path, what, "skipped", NOT_FOLLOWED)
            return None
        return self.reader.accept_first_name(result, what) if self.step.same_file == "once" else result

    def _leaves_project(self, path: str, result: Sighting | ReadRefusal) -> bool:
        """Whether a link leads out of the project, wherever that is."""
        if isinstance(result, ReadRefusal):
            return result.outcome == "outside"
        project = self.reader.real_or(self.scope.project)
        return not self.reader.is_plain(path, result.real) and not contains_path(project, result.real)

    def _refuse(self, path: str, what: str, outcome: str, detail: str) -> None:
        """Record why a file is not read, and report it if that is a fault."""
        known: Outcome = "outside" if outcome == "outside" else "unreadable" if outcome == "unreadable" else "skipped"
        self.note(path, what, known, detail)
        if outcome == "unreadable" or detail.startswith("outside "):
            self.reader.diagnostics.append(warning(f"{what}-{outcome}", f"skipped: {detail}", path))

    def _find_kind(self, raw: RawText, spot: Spot, what: str) -> str | None:
        """What the file is called in the state: its step, and how a rule is loaded; None if not at all now."""
        rule, step = self.step.conditions, self.step.step
        if rule is None or not spot.is_rule:
            return step
        when = read_rule_condition(rule, "" if is_spoiled(raw, self.step) else raw.text)
        for message, line in when.faults:
            self.reader.diagnostics.append(warning("rule-invalid", message, spot.path, raw.line + line - 1))
        if when.when == "start":
            return step
        bases = {"root": self.scope.project, "cwd": self.scope.cwd, "folder": spot.folder, "anywhere": None}
        touched, touching = when.when == "touched", self.scope.touching
        if rule.below_cwd:
            touching = tuple(path for path in touching if contains_path(self.scope.cwd, path))
        if touched and matches_touched_file(when.patterns, bases[rule.base], touching, rule.patterns):
            return f"{step}:touched"
        self.note(spot.path, what, "unread" if when.is_skipped else "lazy", when.explanation)
        kind = f"{step}:{'waiting' if touched else when.when}"
        imports = self.step.imports is not None and self.step.imports.by_waiting_rules and touched
        return kind if self._is_announced(kind) or imports else None

    def _is_announced(self, kind: str) -> bool:
        return self.step.conditions is not None and kind.rpartition(":")[2] in self.step.conditions.announced

    def _read_helper(self, raw: RawText, spot: Spot, what: str) -> tuple[Found, ...]:
        """A sub-agent or a command, if the agent lists it."""
        parsed = parse_skill(raw.text, spot.path)[0]
        if is_spoiled(raw, self.step):
            parsed = ignore_frontmatter(parsed)._replace(broken="its frontmatter is not recognized")
        top, _ = split_pattern(spot.folder, spot.name, self.scope.home)
        decoded = self.reader.is_utf_8(spot.path, what)
        helper = read_helper(parsed, spot.path, top, self.step, decoded=decoded)
        if isinstance(helper, str):
            self.note(spot.path, what, "skipped", f"this agent does not list it: {helper}")
            return ()
        found = self._make(spot, [Piece(raw.text, spot.path, raw.line)], called=helper.name)
        file = replace(found.file, said=helper.description, said_line=helper.line + raw.line - 1)
        return (found._replace(file=file),)

    def _read_text(self, raw: RawText, spot: Spot, what: str, kind: str, shown: str) -> list[Found]:
        """The file without what is stripped, and those that it imports."""
        has_text, raw = self.has_text(raw), strip_frontmatter(raw, self.step)
        if not has_text and self.step.blank == "skip":
            why = "it has only comments" if raw.text.strip() else "it has no text below its frontmatter"
            self.note(spot.path, what, "cleared", why)
            return []
        imports = self.step.imports
        if imports is None:
            return [self._make(spot, self._strip([Piece(raw.text, spot.path, raw.line)]), kind, shown=shown)]
        own = posixpath.dirname(spot.path)
        bounds = {"project": self.scope.project, "cwd": self.scope.cwd, "folder": own, "anywhere": "/"}
        ignored = partial(is_gitignored, self.reader, self.scope)
        follower = ImportFollower(self.reader, self.step, imports, bounds[imports.within], self.scope.home, ignored)
        first = follower.pieces(raw, spot.path)
        self.reader.diagnostics += follower.notes
        apart = {path for path, _ in follower.imported}
        inline = tuple((path, why) for path, why in follower.loaded if path not in apart)
        rule = self._make(spot, self._strip(first), kind, shown=shown)._replace(imported=inline)
        reasons = dict(reversed(follower.loaded))
        kind = self.step.step if imports.by_waiting_rules and ":" in kind else kind
        more = [self._make(spot._replace(path=path), self._strip(pieces), kind) for path, pieces in follower.imported]
        return [rule, *(each._replace(why=reasons[each.spot.path]) for each in more)]

    def has_text(self, raw: RawText) -> bool:
        """Whether text is left without what the agent strips."""
        return any(piece.text.strip() for piece in self._strip([Piece(strip_frontmatter(raw, self.step).text)]))

    def _strip(self, pieces: list[Piece]) -> list[Piece]:
        if "comments" not in self.step.strip:
            return pieces
        return [
            Piece(text, piece.path, piece.line + line_at(piece.text, start) - 1)
            for piece in pieces
            for start, text in strip_block_comments(piece.text)
        ]

    def _make(
        self, spot: Spot, pieces: list[Piece], kind: str = "", *, called: str = "", shown: str = "", blank: bool = False
    ) -> Found:
        """The file; the very object of an earlier discovery if its content is the same."""
        path, pieces = readable_path(spot.path), _trim(pieces)
        plain = len(pieces) == 1 and pieces[0].path == spot.path
        fields = {
            "content": "".join(piece.text for piece in pieces),
            "kind": kind or self.step.step,
            "line": pieces[0].line if pieces else 1,
            "outside": self.reader.is_outside(spot.path),
            "pieces": () if plain else tuple(map(_make_path_readable, pieces)),
            "called": called or self.step.called.get(spot.name, ""),
            "shown": shown if shown != path else "",
        }
        key = (f"loaded by {self.step.step}", spot.path)
        before = self.reader.earlier.get(key)
        # A build caches facts about a text with the object: the same object saves computing them again.
        same = before is not None and all(getattr(before.value, name) == value for name, value in fields.items())
        file: TextFile = before.value if before is not None and same else TextFile(path, **fields)  # type: ignore[arg-type]
        self.reader.cached_files[key] = CachedFile((), file, ())
        return Found(file, self.step, spot, blank=blank)


def _make_path_readable(piece: Piece) -> Piece:
    odd = piece.path is not None and not piece.path.isascii()
    return replace(piece, path=readable_path(piece.path or "")) if odd else piece


def _trim(pieces: list[Piece]) -> list[Piece]:
    """The pieces without blank lines around them all."""
    pieces = [piece for piece in pieces if piece.text]
    while pieces and not pieces[0].text.strip():
        del pieces[0]
    while pieces and not pieces[-1].text.strip():
        del pieces[-1]
    if len(pieces) < 2:
        cut = [(piece, *tidy(piece.text)) for piece in pieces]
        return [Piece(text, piece.path, piece.line + skipped) for piece, text, skipped in cut]
    first, last = pieces[0], pieces[-1]
    trimmed = first.text.lstrip("\n")
    skipped = len(first.text) - len(trimmed)
    return [
        Piece(trimmed, first.path, first.line + skipped),
        *pieces[1:-1],
        Piece(last.text.rstrip(), last.path, last.line),
    ]
