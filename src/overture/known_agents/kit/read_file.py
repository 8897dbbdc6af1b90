"""Reads one file as an agent does: where links may lead, what is stripped, when a rule applies, and imports."""

import posixpath
import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from ...discovery.globs import split_pattern
from ...discovery.paths import contains_path, expand_path
from ...discovery.reader import PathLimits, PathReference, ReadRefusal, Sighting
from ...model.agent_rules import Imports, Listing, Step
from ...model.diagnostic import Diagnostic, warning
from ...model.state.discovery import CachedFile, Outcome
from ...model.state.files import Piece, TextFile
from ...model.state.reasons import NO_REASON, Reason, because, explain_reason
from ...text.broken_frontmatter import list_spoilers, parse_by_line
from ...text.frontmatter import FrontmatterProblem, parse_frontmatter
from ...text.markdown import RegionFilter, find_regions, strip_block_comments
from ...text.normalize import line_at, tidy
from ...text.path_printer import readable_path
from ...text.words import count_noun
from .menu_entries import parse_skill, read_entry
from .rules import matches_touched_file, read_rule_condition

if TYPE_CHECKING:
    from .look import Look


class Spot(NamedTuple):  # a path that is looked at
    folder: str
    name: str  # as it is looked for in that folder
    path: str

    @property
    def is_rule(self) -> bool:
        """Whether it is one of the files that match a pattern."""
        return "*" in self.name


def name_kind(step: Step, spot: Spot) -> str:
    """What a file is in records: of instructions, those that match a pattern are rules."""
    return step.kind if step.kind != "instructions" else "rule" if spot.is_rule else "context"


class Found(NamedTuple):  # a file that an agent loads
    file: TextFile
    step: Step
    spot: Spot
    imported: tuple[tuple[str, Reason], ...] = ()
    """The files whose text is in it, and what names each."""
    why: Reason = NO_REASON  # what is to be recorded of it: that it is empty, or which file imports it

    @property
    def is_text(self) -> bool:
        """Whether an agent gets its text, and not only its path."""
        return not (self.file.kind or "").endswith((":waiting", ":model"))


class Opened(NamedTuple):  # what an agent makes of a path
    files: tuple[Found, ...]
    outcome: Literal["text", "blank", "again", "refused"]  # again: it was read under another name, or is elsewhere


class RawText(NamedTuple):  # a text as it was read, and the line at which it begins
    text: str
    line: int
    spoilers: tuple[str, ...] = ()  # what may keep its frontmatter from being known as such

    def piece(self, path: str, start: int = 0, end: int | None = None) -> Piece:
        """A part of it."""
        return Piece(self.text[start:end], path, self.line + line_at(self.text, start) - 1)


def make_raw_text(text: str, _: str) -> tuple[RawText, tuple[Diagnostic, ...]]:
    """A file's text without a BOM and blank lines around it."""
    tidied, skipped = tidy(text)
    return RawText(tidied, 1 + skipped, list_spoilers(text) if tidied.startswith("---") else ()), ()


def is_spoiled(step: Step, raw: RawText) -> bool:
    """Whether the agent takes its frontmatter for text."""
    return not set(step.spoiled_by).isdisjoint(raw.spoilers)


def strip_frontmatter(step: Step, raw: RawText) -> RawText:
    """The text below the frontmatter, if the agent recognizes and drops that."""
    if "frontmatter" not in step.strip or not raw.text.startswith("---") or is_spoiled(step, raw):
        return raw
    parsed = (parse_by_line if "broken-frontmatter" in step.strip else parse_frontmatter)(raw.text)
    if isinstance(parsed, FrontmatterProblem):
        return raw
    return RawText(raw.text[parsed.body :], raw.line + parsed.body_line - 1)


def strip_comments(step: Step, pieces: list[Piece]) -> list[Piece]:
    """The pieces without comments, if the agent drops those."""
    if "comments" not in step.strip:
        return pieces
    return [
        Piece(text, piece.path, piece.line + line_at(piece.text, start) - 1)
        for piece in pieces
        for start, text in strip_block_comments(piece.text)
    ]


def has_text(step: Step, raw: RawText) -> bool:
    """Whether text is left without what the agent strips."""
    return any(piece.text.strip() for piece in strip_comments(step, [Piece(strip_frontmatter(step, raw).text)]))


class Reading:
    """One file as it is read, and those that it imports."""

    def __init__(self, look: "Look", step: Step, spot: Spot) -> None:
        self.look, self.reader, self.place, self.step, self.spot = look, look.reader, look.place, step, spot
        self.path, self.what = spot.path, name_kind(step, spot)

    def open(self) -> Opened:
        reader, step, path, what = self.reader, self.step, self.path, self.what
        sighting = self._sight()
        if not isinstance(sighting, Sighting):
            return Opened((), sighting)
        raw: RawText | None = reader.load(sighting, what, make_raw_text)
        if raw is None:
            return Opened((), "again" if path in reader.elsewhere else "refused")
        if step.utf_8 and not reader.is_utf_8(path, what):
            reader.note(path, what, "skipped", because("not-utf-8"), step.step)
            return Opened((), "refused")
        shown = readable_path(sighting.real) if self.spot.is_rule and step.shows_target else ""
        if not raw.text.strip():
            if step.blank == "keep":
                blank = self._make([Piece("", path)], step.step, shown=shown)
                return Opened((blank._replace(why=because("empty")),), "blank")
            reader.note(path, what, "cleared", because("empty"), step.step)
            return Opened((), "blank")
        kind = self._find_kind(raw)
        if kind is None:
            return Opened((), "text")
        return Opened(self._read_entry(raw) if step.listing else self._read_text(raw, kind, shown), "text")

    def _sight(self) -> Sighting | Literal["again", "refused"]:
        """The regular file at the path, if links may lead there and it was not met under another name."""
        reader, step, path, what = self.reader, self.step, self.path, self.what
        reach = reader.find_naming_setting(self.spot.name)
        links = "inside" if self.spot.is_rule and step.rule_links == "inside" else step.links
        result = reader.look_at(path, reach)
        if links == "inside" and reach is None:  # a link that leads out of the project, wherever that is
            top, real = reader.real_or(self.place.project), result.real if isinstance(result, Sighting) else ""
            leaves = (
                not reader.is_plain(path, real) and not contains_path(top, real) if real else result[0] == "outside"
            )
            result = ReadRefusal("outside", because("not-followed", "", "outside")) if leaves else result
        folder, _, name = path.rpartition("/")
        if links == "never" and isinstance(result, Sighting) and result.real != f"{reader.real_or(folder)}/{name}":
            result = ReadRefusal("skipped", because("not-followed"))
        if isinstance(result, ReadRefusal):
            known: Outcome = result.outcome if result.outcome in ("outside", "unreadable") else "skipped"
            reader.note(path, what, known, result.reason, step.step)
            if result.outcome == "unreadable" or result.reason.code == "outside":
                message = f"skipped: {explain_reason(result.reason)}"
                reader.diagnostics.append(warning(f"{what}-{result.outcome}", message, path))
            return "refused"
        claim = reader.claim(result, what) if step.same_file == "once" else "new"
        return result if claim == "new" else "again" if claim == "named" else "refused"

    def _find_kind(self, raw: RawText) -> str | None:
        """What the file is called in the state: its step, and how a rule is loaded; None if not at all now."""
        step, place, rule = self.step, self.place, self.step.conditions
        if rule is None or not self.spot.is_rule:
            return step.step
        condition = read_rule_condition(rule, "" if is_spoiled(step, raw) else raw.text)
        for message, line in condition.faults:
            self.reader.diagnostics.append(warning("rule-invalid", message, self.path, raw.line + line - 1))
        if condition.when == "start":
            return step.step
        bases = {"root": place.project, "cwd": place.cwd, "folder": self.spot.folder, "anywhere": None}
        waits, touching = condition.when == "touched", place.touching
        if rule.below_cwd:
            touching = tuple(path for path in touching if contains_path(place.cwd, path))
        if waits and matches_touched_file(condition.patterns, bases[rule.base], touching, rule.patterns):
            return f"{step.step}:touched"
        outcome: Outcome = "unread" if condition.is_skipped else "lazy"
        self.reader.note(self.path, self.what, outcome, condition.reason, step.step)
        when = "waiting" if waits else condition.when
        imports = step.imports is not None and step.imports.by_waiting_rules and waits
        return f"{step.step}:{when}" if when in rule.announced or imports else None

    def _read_entry(self, raw: RawText) -> tuple[Found, ...]:
        """A sub-agent or a command, if the agent lists it."""
        listing, parsed = self.step.listing or Listing(), parse_skill(raw.text, self.path)[0]
        top, _ = split_pattern(self.spot.folder, self.spot.name, self.place.home)
        decoded, spoiled = self.reader.is_utf_8(self.path, self.what), is_spoiled(self.step, raw)
        entry = read_entry(parsed, self.path, top, listing, decoded=decoded, spoiled=spoiled)
        if isinstance(entry, Reason):
            self.reader.note(self.path, self.what, "skipped", entry, self.step.step)
            return ()
        called, said, line = entry
        found = self._make([raw.piece(self.path)], self.step.step, called=called)
        return (found._replace(file=replace(found.file, said=said, said_line=line + raw.line - 1)),)

    def _read_text(self, raw: RawText, kind: str, shown: str) -> tuple[Found, ...]:
        """The file without what is stripped, and those that it imports."""
        step, is_empty, raw = self.step, not has_text(self.step, raw), strip_frontmatter(self.step, raw)
        if is_empty and step.blank == "skip":
            left = "comments" if raw.text.strip() else "frontmatter"
            self.reader.note(self.path, self.what, "cleared", because("empty", "", left), step.step)
            return ()
        if step.imports is None:
            return (self._make([raw.piece(self.path)], kind, shown=shown),)
        follower, real = ImportFollower(self.look, step, step.imports, self.path), self.reader.real_or(self.path)
        limits = self.reader.limits_of(self.path, real)
        pieces = follower.follow(raw, self.path, real, limits, step.imports.depth)
        self.reader.diagnostics += follower.notes
        inline = tuple(each for each in follower.loaded if each[0] not in follower.apart)
        reasons, files = dict(reversed(follower.loaded)), [self._make(pieces, kind, shown=shown)]
        for path, more in follower.apart.items():
            apart = Reading(self.look, step, self.spot._replace(path=path))
            files.append(apart._make(more, step.step)._replace(why=reasons[path]))
        is_waiting = kind.endswith(":waiting") and step.imports.by_waiting_rules
        return tuple(files[1:] if is_waiting else [files[0]._replace(imported=inline), *files[1:]])

    def _make(self, pieces: list[Piece], kind: str, *, called: str = "", shown: str = "") -> Found:
        """The file; if its content is the same, the object of an earlier discovery: a build reuses what it knows of it."""
        path, pieces = readable_path(self.path), _trim(strip_comments(self.step, pieces))
        plain = len(pieces) == 1 and pieces[0].path == self.path
        file = TextFile(
            path, "".join(piece.text for piece in pieces), kind=kind, line=pieces[0].line if pieces else 1,
            outside=self.reader.is_outside(self.path), called=called or self.step.called.get(self.spot.name, ""),
            pieces=() if plain else tuple(replace(each, path=each.path and readable_path(each.path)) for each in pieces),
            shown=shown if shown != path else "",
        )  # fmt: skip
        key = (f"loaded by {self.step.step}", self.path)
        before = self.reader.earlier.get(key)
        file = before.value if before is not None and before.value == file else file
        self.reader.cached_files[key] = CachedFile((), file, ())
        return Found(file, self.step, self.spot)


def _trim(pieces: list[Piece]) -> list[Piece]:
    """The pieces without blank lines around them all."""
    full = [at for at, piece in enumerate(pieces) if piece.text.strip()]
    pieces = [piece for piece in pieces[full[0] : full[-1] + 1] if piece.text] if full else []
    if len(pieces) < 2:
        cut = [(piece, *tidy(piece.text)) for piece in pieces]
        return [Piece(text, piece.path, piece.line + skipped) for piece, text, skipped in cut]
    first, last = pieces[0], pieces[-1]
    trimmed = first.text.lstrip("\n")
    begin = Piece(trimmed, first.path, first.line + len(first.text) - len(trimmed))
    return [begin, *pieces[1:-1], Piece(last.text.rstrip(), last.path, last.line)]


# Imports: `@path` in a text; each piece keeps the file it came from.

NAMED = r"(?P<path>(?:\\ |[^\s`])+)"
IMPORT_PATTERNS = {
    "blank": rf"(?m)@(?:(?<=^@)|(?<=\s@)){NAMED}",
    "loose": rf"(?m)@(?:(?<=^@)|(?<=[\s(>]@)){NAMED}",
    "text": rf"(?m)@(?:(?<=^@)|(?<=[\s*_\[>]@)){NAMED}",
    "mark": rf"@(?<![A-Za-z0-9_@-]@){NAMED}",
}
"""They begin with a character that is found quickly; the text before it is checked then. An agent needs one."""
CLOSING_MARKS = {"*": "*", "[": "](", ">": "<"}  # the mark that begins a text in Markdown, and the one that ends it
MAX_MENTIONS = 1000  # maximum number of files that one file may name
FILE_LIKE = re.compile(r"^(?:\.{1,2}/|~/|/)|\.(?:md|mdc|mdx|txt|rst)$")
"""Matches that are surely files: others may be names of people or packages."""
REPLACED = "import-replaced"  # reported for the first such name of a file: there may be hundreds


class _Mention(NamedTuple):  # a place that names a file, in a file whose imports may lead so far, and be so deep
    named: str
    path: str
    line: int
    by: str
    limits: PathLimits
    levels: int

    def fill(self, template: str, path: str = "") -> Piece:
        """What an agent writes about the file."""
        return Piece(template.replace("{path}", self.named).replace("{target}", path or self.path))


class ImportFollower:
    def __init__(self, look: "Look", step: Step, rule: Imports, path: str) -> None:
        self.look, self.reader, self.step, self.rule = look, look.reader, step, rule
        tops = {"project": look.project, "cwd": look.cwd, "folder": posixpath.dirname(path)}
        self.top = tops.get(rule.within, "/")
        self.count, self.visited, self.notes = 0, set[str](), list[Diagnostic]()
        self.apart: dict[str, list[Piece]] = {}  # files that are loaded by themselves
        self.loaded: list[tuple[str, Reason]] = []  # every file that was imported, and by what

    def follow(self, raw: RawText, path: str, real: str, limits: PathLimits, levels: int) -> list[Piece]:
        """The pieces of a file and of its imports, which may lead so far, and be so deep."""
        self.visited.add(real)
        at, pieces = 0, list[Piece]()
        for match in self._find_matches(raw, path, levels):
            line = raw.line + line_at(raw.text, match.start()) - 1
            mention = self._read_mention(match, _Mention("", "", line, path, limits, levels))
            imported = self._import(mention) if mention else None
            if mention is None or imported is None:
                continue
            start, end = match.start(), match.start() + 1 + len(mention.named)
            if self.rule.place != "inline":
                line_break = raw.text.find("\n", end)
                start = end = len(raw.text) if line_break < 0 else line_break
            line_end = [Piece("\n")] if self.rule.place == "below" else []
            pieces += [raw.piece(path, at, start), *line_end, *imported]
            at = end
        if self.rule.repeats:
            self.visited.discard(real)
        return [piece for piece in (*pieces, raw.piece(path, at)) if piece.text]

    def _find_matches(self, raw: RawText, path: str, levels: int) -> list[re.Match[str]]:
        """Where a text may name files, up to a maximum. A file that is imported by another may have any name."""
        rule, text = self.rule, raw.text
        is_first = levels == rule.depth
        if is_first and rule.only_in and posixpath.basename(path).casefold() not in rule.only_in:
            return []
        if "@" not in text or (rule.largest is not None and len(text.encode()) > rule.largest):
            return []
        matches = list(re.finditer(IMPORT_PATTERNS[rule.begins], text))
        regions = find_regions(text) if matches else ()
        outside = RegionFilter(each for each in regions if each.kind not in rule.counts_in)
        matches = [match for match in matches if outside.holds(match.start())]
        if len(matches) > MAX_MENTIONS:
            message = f"it imports {len(matches):,} files with `@`: only the first {MAX_MENTIONS:,} are loaded"
            self.notes.append(warning("import-many", message, path))
        return matches[:MAX_MENTIONS]

    def _read_mention(self, match: re.Match[str], mention: _Mention) -> _Mention | None:
        """The file that an `@path` names: as written, or else without the marks behind it."""
        begins, before = self.rule.begins, match.string[max(match.start() - 1, 0) : match.start()]
        named = match["path"] if begins == "text" else match["path"].partition("\\ ")[0]
        if begins == "mark":
            named = named.partition("<")[0]
        elif begins == "text" and before in CLOSING_MARKS:
            inner, end, _ = named.partition(CLOSING_MARKS[before])
            named = inner if end or before == ">" else ""
        elif before == "_":
            named = named.rstrip("_")
        plain = named.rstrip(".,;:!?)]}\"'>") if self.rule.tail else named
        names = [mention._replace(named=each, path=self._resolve(each, mention.by)) for each in (named, plain)]
        world = self.reader.world
        there = (each for each in names if each.path and "\0" not in each.path and world.exists(each.path))
        found = next(there, names[-1])
        return found if found.path else None

    def _resolve(self, named: str, path: str) -> str:
        """The absolute path that an import names; empty if the agent follows no such name."""
        rule = self.rule
        if rule.begins == "text":
            named = named.replace("\\ ", " ").partition("#")[0]
        foreign = named.startswith("~") and not (rule.home and named.startswith("~/"))
        absolute = named.startswith("/") and not rule.absolute
        if not named or foreign or absolute or (rule.begins == "mark" and named.endswith("/")):
            return ""
        return posixpath.normpath(expand_path(named, posixpath.dirname(path), self.look.home))

    def _import(self, mention: _Mention) -> list[Piece] | None:
        """The text that replaces an import; None if it stays."""
        rule, reader, path = self.rule, self.reader, mention.path
        real = reader.real_or(path)
        if reader.world.exists(real) and not contains_path(reader.real_or(self.top), real):
            return self._answer(mention, rule.refused, "import-outside", f"is outside {self.top}: it is not loaded")
        result = reader.look_at(path, PathReference(f"imported by {mention.by}, line {mention.line}", mention.limits))
        if isinstance(result, ReadRefusal):
            return self._refuse(mention, result)
        if rule.not_ignored and self.look.skips_import is not None and self.look.skips_import(result.real):
            return self._answer(mention, rule.refused, "import-ignored", "is ignored by git: it is not loaded")
        stem, ending = posixpath.splitext(path)
        if rule.endings and ending and ending[1:].lower() not in rule.endings:
            reason = because("not-followed", mention.by, "ending", ending)
            reader.note(path, "context", "skipped", reason, self.step.step)
            fix = f"a link to it named `{posixpath.basename(stem)}.md` is"
            return self._answer(
                mention, None, "import-kind", f"is not imported: this agent imports no `{ending}` files; {fix}"
            )
        if result.real in self.visited:
            own = result.real == reader.real_or(mention.by)
            return self._answer(mention, rule.again, "import-cycle" * own, "imports itself: remove the line")
        if mention.levels <= 0:
            message = f"is {count_noun(rule.depth + 1, 'import')} deep: the agent follows {rule.depth}"
            return self._answer(mention, None, "import-deep", f"{message}; import it from a file further up")
        return self._load(mention, result)

    def _refuse(self, mention: _Mention, refusal: ReadRefusal) -> list[Piece] | None:
        """What an agent writes for a file that is not there, or can't be read."""
        rule = self.rule
        if refusal.outcome == "outside":
            self.reader.note(mention.path, "context", "outside", refusal.reason, self.step.step)
            return self._answer(mention, None, "import-outside", f"is not loaded: {refusal.detail}")
        if rule.refused is not None and not contains_path(self.top, mention.path):
            return self._answer(mention, rule.refused)  # its existence is not checked
        if FILE_LIKE.search(mention.named) or refusal.outcome != "absent":
            what = "does not exist" if refusal.outcome == "absent" else f"can't be read: {refusal.detail}"
            return self._answer(mention, rule.missing, "import-missing", f"{what}: fix the path, or remove the line")
        again = rule.missing is None or any(note.code == REPLACED and note.path == mention.by for note in self.notes)
        message = "is taken for an import, and an error message replaces it: put backticks around it, and around others"
        return self._answer(mention, rule.missing, REPLACED * (not again), f"{message} of its kind")

    def _load(self, mention: _Mention, sighting: Sighting) -> list[Piece] | None:
        """The pieces of an imported file in place of its mention; None if it stays, or comes after the text."""
        rule, reader, path, apart = self.rule, self.reader, sighting.path, self.rule.place == "after"
        self.count += 1
        if self.count > rule.max_files:  # a file that may be imported repeatedly could grow without limit
            most = f"is not imported: this agent imports {count_noun(rule.max_files, 'file')} at most"
            is_first = self.count == rule.max_files + 1
            return self._answer(mention, None, "import-many" * is_first, f"{most}, counted from the first file")
        if apart and reader.claim(sighting, "context") != "new":
            return None  # it is loaded already
        raw: RawText | None = reader.load(sighting, "import", make_raw_text)
        if raw is None or (rule.utf_8 and not reader.is_utf_8(path, "import")):
            return self._answer(mention, rule.missing)
        if apart and not (raw := strip_frontmatter(self.step, raw)).text.strip():
            reader.note(path, "context", "cleared", because("empty", "", "import"), self.step.step)
            return None
        self.loaded.append((path, because("imported", mention.by, mention.line)))
        if apart:
            self.apart[path] = []  # it comes before those that it imports itself
        limits = reader.limits_of(path, sighting.real, mention.limits)
        inner = self.follow(raw, path, sighting.real, limits, mention.levels - 1)
        if apart:
            self.apart[path] = inner
            return None
        return [mention.fill(rule.before, sighting.real), *inner, mention.fill(rule.after, sighting.real)]

    def _answer(self, mention: _Mention, text: str | None, code: str = "", message: str = "") -> list[Piece] | None:
        """What the agent writes in place of an import, if anything; and our warning."""
        note = warning(code, f"@{mention.named} {message}", mention.by, mention.line)
        self.notes += [note] if code else []
        return None if text is None else [mention.fill(text)]
