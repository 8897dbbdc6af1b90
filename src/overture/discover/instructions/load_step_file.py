"""Loads one file of a step as the agent does: with imports, without what it strips, and under its conditions."""

import posixpath
from functools import partial

from msgspec.structs import replace

from ...known_agents.quirks import apply_quirk
from ...model.diagnostic import warning
from ...model.file_steps import FileStep
from ...model.state.discovery import CachedFile
from ...model.state.files import Piece, TextFile
from ...text.markdown import strip_block_comments
from ...text.normalize import line_at, tidy
from ...text.path_printer import readable_path
from ..disk.boundary import ReadRefusal
from ..disk.file_reader import FileReader
from ..disk.look_at_paths import Sighting
from ..disk.paths import contains_path
from ..disk.search_scope import SearchScope
from .agent_frontmatter_and_rules import matches_touched_file, read_rule_condition
from .agent_skill_listing import ignore_frontmatter, parse_skill, read_helper
from .imports import ImportFollower, RawText, is_spoiled, make_raw_text, strip_frontmatter
from .list_step_paths import StepPath, is_gitignored

NOT_FOLLOWED = "it is a symlink, which this agent does not follow"


class StepLoader:
    """Looks at the paths of one step, whether links may lead to a file there, and reads the files."""

    def __init__(self, reader: FileReader, step: FileStep, scope: SearchScope) -> None:
        """Load files of this step through the reader."""
        self.reader, self.step, self.scope = reader, step, scope
        self.called: dict[str, str] = {}
        self.shown: dict[str, str] = {}
        self.kind: str | None = step.step or None
        """What its files are called in the state; those of the project itself have no name."""

    def sight(self, candidate: StepPath, what: str) -> Sighting | None:
        """The regular file at a path, if links may lead there and it was not met under another name."""
        if not self.step.step:  # the project's own files: under which name one counts is decided later
            return self.reader.sight_path(candidate.path, candidate.root, what)
        path, reach = candidate.path, self.reader.find_naming_setting(candidate.name)
        links = self.step.links
        if "*" in candidate.name:  # links to rules may end sooner
            links = apply_quirk(self.step.quirks, "limit_rule_links", links, self.step.step)
        result = self.reader.look_at(path, "/", reach)
        if links == "inside" and reach is None and self._leaves_project(path, result):
            self.refuse(path, what, "outside", "it is outside the project, and this agent does not follow it")
            return None
        if isinstance(result, ReadRefusal):
            self.refuse(path, what, result.outcome, result.detail)
            return None
        folder, _, name = path.rpartition("/")
        if links == "never" and result.real != f"{self.reader.real_or(folder)}/{name}":
            self.refuse(path, what, "skipped", NOT_FOLLOWED)
            return None
        return self.reader.accept_first_name(result, what) if self.step.same_file == "once" else result

    def _leaves_project(self, path: str, result: Sighting | ReadRefusal) -> bool:
        """Whether a link leads out of the project, wherever that is."""
        if isinstance(result, ReadRefusal):
            return result.outcome == "outside"
        return not self.reader.is_plain(path, result.real) and not contains_path(
            self.reader.real_or(self.scope.project), result.real
        )

    def refuse(self, path: str, what: str, outcome: str, detail: str) -> None:
        """Record why a file is not read, and report it if that is a fault."""
        known = {"outside": "outside", "unreadable": "unreadable"}.get(outcome, "skipped")
        self.reader.note(path, what, known, detail, self.step.step)  # type: ignore[arg-type]
        if outcome == "unreadable" or detail.startswith("outside "):
            self.reader.diagnostics.append(warning(f"{what}-{outcome}", f"skipped: {detail}", path))

    def load(
        self, sighting: Sighting, candidate: StepPath, what: str, folder: str, called: str
    ) -> tuple[list[TextFile], bool] | None:
        """Load the step's file at a path, as far as it applies now, and whether it has content; None: can't be read."""
        self.kind, path, rule = self.step.step or None, candidate.path, "*" in candidate.name
        raw: RawText | None = self.reader.load(sighting, what, make_raw_text)
        if raw is None:
            return None
        if self.step.utf_8 and not self.reader.is_utf_8(path, what):
            self.refuse(path, what, "skipped", "it is not UTF-8, and this agent does not read it")
            return None
        self.called = {path: called} if called else {}
        shown = apply_quirk(self.step.quirks, "show_rule_path", path, sighting.real) if rule else path
        self.shown = {path: shown} if shown != path else {}
        if not raw.text.strip():
            keeps_blank = self.step.blank == "keep"
            self.reader.note(path, what, "loaded" if keeps_blank else "cleared", "it is empty", self.step.step)
            return [self._make_text_file(path, [Piece("", path)])] if keeps_blank else [], False
        if rule and self.step.conditions and not self._counts_now(raw, path, what, folder):
            # Some imports are loaded while the rule waits.
            return self._load_step_files(raw, path, what)[1:] if self._imports_before_rule() else [], True
        if self.step.listing is not None:
            return self._load_listed_helper(raw, path, what, folder), True
        return self._load_step_files(raw, path, what), True

    def _load_listed_helper(self, raw: RawText, path: str, what: str, top: str) -> list[TextFile]:
        """A sub-agent or a command, if the agent lists it."""
        assert self.step.listing is not None
        parsed = parse_skill(raw.text, path)[0]
        if is_spoiled(raw, self.step):
            parsed = ignore_frontmatter(parsed)._replace(broken="its frontmatter is not recognized")
        decoded = self.reader.is_utf_8(path, what)
        helper = read_helper(parsed, path, top, self.step, decoded=decoded)
        if isinstance(helper, str):
            self.reader.note(path, what, "skipped", f"this agent does not list it: {helper}", self.step.step)
            return []
        self.called = {path: helper.name}
        file = self._make_text_file(path, [Piece(raw.text, path, raw.line)])
        return [replace(file, said=helper.description, said_line=helper.line + raw.line - 1)]

    def has_text(self, path: str) -> bool:
        """Whether a file exists and has text. A file outside the project is not read: its size decides."""
        result = self.reader.look_at(path, "/")
        if isinstance(result, ReadRefusal) and result.outcome == "outside":
            entry = self.reader.world.look(self.reader.real_or(path))
            return entry is not None and entry.size > 0
        raw: RawText | None = self.reader.peek(result, make_raw_text) if isinstance(result, Sighting) else None
        return path in self.reader.elsewhere or (raw is not None and bool(raw.text.strip()))

    def _counts_now(self, raw: RawText, path: str, what: str, folder: str) -> bool:
        """Whether a rule's file is loaded now, by its conditions; if not, when it would be is recorded."""
        assert self.step.conditions is not None
        when = read_rule_condition(
            self.step.conditions, "" if is_spoiled(raw, self.step) else raw.text, self.step.quirks
        )
        for message, line in when.faults:
            self.reader.diagnostics.append(warning("rule-invalid", message, path, raw.line + line - 1))
        if when.when == "start":
            return True
        bases = {"root": self.scope.project, "cwd": self.scope.cwd, "folder": folder, "anywhere": None}
        base, method = bases[self.step.conditions.base], self.step.conditions.patterns
        if when.when == "touched" and matches_touched_file(when.patterns, base, self.scope.touching, method):
            self.kind = f"{self.step.step}:touched"
            return True
        self.reader.note(path, what, "unread" if when.is_skipped else "lazy", when.explanation, self.step.step)
        waits = "waiting" if when.when == "touched" else when.when
        self.kind = f"{self.step.step}:{waits}"
        return waits in self.step.conditions.announced

    def _load_step_files(self, raw: RawText, path: str, what: str) -> list[TextFile]:
        """The file of the step without frontmatter, and those that it imports."""
        raw = strip_frontmatter(raw, self.step)
        if not raw.text.strip() and self.step.blank == "skip":
            self.reader.note(path, what, "cleared", "it has no text below its frontmatter", self.step.step)
            return []
        if self.step.imports is None:
            return [self._make_text_file(path, self._strip_comments([Piece(raw.text, path, raw.line)]))]
        own = posixpath.dirname(path)
        bounds = {"project": self.scope.project, "cwd": self.scope.cwd, "folder": own, "anywhere": "/"}
        root = bounds[self.step.imports.within]
        ignored = partial(is_gitignored, self.reader, self.scope)
        importer = ImportFollower(self.reader, self.step, self.step.imports, root, self.scope.home, ignored)
        first = importer.pieces(raw, path)
        self.reader.diagnostics += importer.notes
        rule = self._make_text_file(path, self._strip_comments(first))
        if self._imports_before_rule():
            self.kind = self.step.step
        return [rule, *(self._make_text_file(each, self._strip_comments(pieces)) for each, pieces in importer.imported)]

    def _imports_before_rule(self) -> bool:
        """Whether a rule's imports are loaded while the rule itself waits."""
        waits = self.kind is not None and self.kind.endswith((":touched", ":waiting"))
        return waits and apply_quirk(self.step.quirks, "import_for_waiting_rule", False)

    def _strip_comments(self, pieces: list[Piece]) -> list[Piece]:
        if "comments" not in self.step.strip:
            return pieces
        return [
            Piece(text, piece.path, piece.line + line_at(piece.text, start) - 1)
            for piece in pieces
            for start, text in strip_block_comments(piece.text)
        ]

    def _make_text_file(self, path: str, pieces: list[Piece]) -> TextFile:
        """The file; the very object of an earlier discovery if its content is the same."""
        pieces = _trim_pieces(pieces)
        plain = len(pieces) == 1 and pieces[0].path == path
        fields = {
            "content": "".join([piece.text for piece in pieces]),
            "kind": self.kind,
            "line": pieces[0].line if pieces else 1,
            "outside": self.reader.is_outside(path),
            "pieces": () if plain else tuple(map(_make_path_readable, pieces)),
            "called": self.called.get(path, ""),
            "shown": self.shown.get(path, ""),
        }
        key = (f"loaded by {self.step.step}", path)
        before = self.reader.earlier.get(key)
        # A build caches facts about a text with the object: the same object saves computing them again.
        same = before is not None and all(getattr(before.value, name) == value for name, value in fields.items())
        file: TextFile = before.value if before is not None and same else TextFile(readable_path(path), **fields)  # type: ignore[arg-type]
        self.reader.cached_files[key] = CachedFile((), file, ())
        return file


def _make_path_readable(piece: Piece) -> Piece:
    """The piece, its file named so that a state can carry the name."""
    odd = piece.path is not None and not piece.path.isascii()
    return replace(piece, path=readable_path(piece.path or "")) if odd else piece


def _trim_pieces(pieces: list[Piece]) -> list[Piece]:
    """The pieces without blank lines around them all."""
    pieces = [piece for piece in pieces if piece.text]
    while pieces and not pieces[0].text.strip():
        del pieces[0]
    while pieces and not pieces[-1].text.strip():
        del pieces[-1]
    if not pieces:
        return []
    first, last = pieces[0], pieces[-1]
    if first is last:
        text, skipped = tidy(first.text)
        return [Piece(text, first.path, first.line + skipped)]
    trimmed = first.text.lstrip("\n")
    pieces[0] = Piece(trimmed, first.path, first.line + len(first.text) - len(trimmed))
    pieces[-1] = Piece(last.text.rstrip(), last.path, last.line)
    return pieces
