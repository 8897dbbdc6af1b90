"""Reads one file as an agent does: where links may lead, what is stripped, when a rule applies, and imports."""

import posixpath
import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from ...discovery.globs import matches_glob, split_pattern
from ...discovery.paths import contains_path, expand_path
from ...discovery.reader import FileReader, PathLimits, PathReference, ReadRefusal, Sighting
from ...model.agent_rules import Imports, Listing, RuleConditions, Step
from ...model.diagnostic import Diagnostic, warning
from ...model.state.discovery import Outcome
from ...model.state.files import Piece, TextFile
from ...model.state.reasons import NO_REASON, Reason, because, explain_reason
from ...text.broken_frontmatter import list_spoilers, parse_by_line
from ...text.frontmatter import FrontmatterProblem, parse_frontmatter
from ...text.markdown import RegionFilter, find_regions, strip_block_comments
from ...text.normalize import line_at, tidy
from ...text.path_printer import readable_path
from ...text.words import count_noun
from .menu_entries import matches_touched_file, parse_skill, read_entry, read_rule_condition

if TYPE_CHECKING:
    from .find_files import Look


class Spot(NamedTuple):  # a path that is looked at
    step: Step
    folder: str
    name: str  # as it is looked for in that folder
    path: str

    @property
    def is_rule(self) -> bool:
        """Whether it is one of the files that match a pattern."""
        return "*" in self.name

    @property
    def what(self) -> str:
        """What a file is in records: of instructions, those that match a pattern are rules."""
        return self.step.kind if self.step.kind != "instructions" else "rule" if "*" in self.name else "context"

    @property
    def called(self) -> str:
        """What the agent calls a file: its name without the ending."""
        return self.step.called.get(self.name) or posixpath.splitext(posixpath.basename(self.path))[0]

    @property
    def is_excluded(self) -> bool:
        """Whether it matches a pattern, and one of names that the agent excludes."""
        name = posixpath.basename(self.path).lower()
        return self.is_rule and any(matches_glob(pattern.lower(), name) for pattern in self.step.but_not)


class Found(NamedTuple):  # a file that an agent loads
    file: TextFile
    spot: Spot
    why: Reason = NO_REASON  # what is to be recorded of it: that it is empty, or which file imports it
    imported: tuple[tuple[str, Reason], ...] = ()  # the files whose text is in it, and what names each

    @property
    def is_text(self) -> bool:
        """Whether an agent gets its text, and not only its path."""
        return not (self.file.kind or "").endswith((":waiting", ":model"))


class Opened(NamedTuple):  # what an agent makes of a path
    files: tuple[Found, ...]
    outcome: Literal["text", "blank", "again", "refused"]  # again: it was read under another name, or is elsewhere


class RawText(NamedTuple):  # a text as it was read, and the line at which it begins
    text: str
    line: int = 1
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
    """The pieces without comments, if the agent drops those, and without blank lines around them all."""
    if "comments" in step.strip:
        pieces = [
            Piece(text, piece.path, piece.line + line_at(piece.text, start) - 1)
            for piece in pieces
            for start, text in strip_block_comments(piece.text)
        ]
    full = [at for at, piece in enumerate(pieces) if piece.text.strip()]
    pieces = [piece for piece in pieces[full[0] : full[-1] + 1] if piece.text] if full else []
    if pieces:
        first, text = pieces[0], pieces[0].text.lstrip("\n")
        pieces[0] = Piece(text, first.path, first.line + len(first.text) - len(text))
        pieces[-1] = replace(pieces[-1], text=pieces[-1].text.rstrip())
    return pieces


def has_text(step: Step, raw: RawText) -> bool:
    """Whether text is left without what the agent strips."""
    return bool(strip_comments(step, [Piece(strip_frontmatter(step, raw).text)]))


def read_spot(look: "Look", spot: Spot) -> Opened:
    """The file at a path, and those that it imports."""
    reader, step, path, what = look.reader, spot.step, spot.path, spot.what
    sighting = _sight(look, spot)
    if not isinstance(sighting, Sighting):
        return Opened((), sighting)
    raw: RawText | None = reader.load(sighting, what, make_raw_text)
    if raw is None:
        return Opened((), "again" if path in reader.elsewhere else "refused")
    if step.utf_8 and not reader.is_utf_8(path, what):
        reader.note(path, what, "skipped", because("not-utf-8"), step.step)
        return Opened((), "refused")
    shown = readable_path(sighting.real) if step.shows_target and spot.is_rule else ""
    if not raw.text.strip():
        if step.blank == "keep":
            return Opened((make_found(look, spot, [], step.step, shown=shown)._replace(why=because("empty")),), "blank")
        reader.note(path, what, "cleared", because("empty"), step.step)
        return Opened((), "blank")
    if step.listing:
        return Opened(_read_entry(look, spot, raw, step.listing), "text")
    kind = _find_kind(look, spot, raw, step.conditions) if step.conditions and spot.is_rule else step.step
    if kind is None:
        return Opened((), "text")
    stripped = strip_frontmatter(step, raw) if step.strip else raw
    if step.blank == "skip" and step.strip and not has_text(step, raw):
        left = "comments" if stripped.text.strip() else "frontmatter"
        reader.note(path, what, "cleared", because("empty", "", left), step.step)
        return Opened((), "text")
    if step.imports is not None:
        return Opened(_Imports(look, spot, step.imports).read(stripped, kind, shown), "text")
    return Opened((make_found(look, spot, [Piece(stripped.text, path, stripped.line)], kind, shown=shown),), "text")


def _sight(look: "Look", spot: Spot) -> Sighting | Literal["again", "refused"]:
    """The regular file at the path, if links may lead there and it was not met under another name."""
    reader, step, path, what = look.reader, spot.step, spot.path, spot.what
    reach = reader.find_naming_setting(spot.name)
    result = reader.look_at(path, reach)
    real = "" if isinstance(result, ReadRefusal) else result.real
    stays = not real or reader.is_plain(path, real) or contains_path(reader.real_or(look.project), real)
    if reach is None and (step.links == "inside" or (step.links == "rules-inside" and spot.is_rule)):
        if not stays or result[0] == "outside":  # it is a link that leads out of the project, wherever that is
            result = ReadRefusal("outside", because("not-followed", "", "outside"))
    elif step.links == "never" and real and is_link(reader, path):
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


def _find_kind(look: "Look", spot: Spot, raw: RawText, rule: RuleConditions) -> str | None:
    """What a rule is called in the state: its step, and how it is loaded; None if not at all now."""
    step, touching = spot.step, look.touching
    condition = read_rule_condition(rule, "" if is_spoiled(step, raw) else raw.text)
    waits = condition.when == "touched"
    bases = {"root": look.project, "cwd": look.cwd, "folder": spot.folder, "anywhere": None}
    for message, line in condition.faults:
        look.reader.diagnostics.append(warning("rule-invalid", message, spot.path, raw.line + line - 1))
    if condition.when == "start":
        return step.step
    if rule.below_cwd:
        touching = tuple(path for path in touching if contains_path(look.cwd, path))
    if waits and matches_touched_file(condition.patterns, bases[rule.base], touching, rule.patterns):
        return f"{step.step}:touched"
    outcome: Outcome = "unread" if condition.is_skipped else "lazy"
    look.reader.note(spot.path, spot.what, outcome, condition.reason, step.step)
    how = "waiting" if waits else condition.when
    has_imports = waits and step.imports is not None and step.imports.place == "after"
    return f"{step.step}:{how}" if how in rule.announced or has_imports else None


def _read_entry(look: "Look", spot: Spot, raw: RawText, listing: Listing) -> tuple[Found, ...]:
    """A sub-agent or a command, if the agent lists it."""
    parsed = parse_skill(raw.text, spot.path)[0]._replace(spoilers=raw.spoilers)
    top, _ = split_pattern(spot.folder, spot.name, look.home)
    entry = read_entry(parsed, spot.path, top, listing, decoded=look.reader.is_utf_8(spot.path, spot.what))
    if isinstance(entry, Reason):
        look.reader.note(spot.path, spot.what, "skipped", entry, spot.step.step)
        return ()
    called, said = entry
    found = make_found(look, spot, [raw.piece(spot.path)], spot.step.step, called=called)
    return (found._replace(file=replace(found.file, said=said, said_line=parsed.line + raw.line - 1)),)


def make_found(
    look: "Look", spot: Spot, pieces: list[Piece], kind: str, *, called: str = "", shown: str = ""
) -> Found:  # fmt: skip
    """A file that is loaded, of these pieces."""
    path, pieces = (
        readable_path(spot.path),
        strip_comments(spot.step, pieces) if spot.step.strip or pieces[1:] else pieces,
    )
    plain = len(pieces) == 1 and pieces[0].path == spot.path
    file = TextFile(
        path, "".join(piece.text for piece in pieces), kind=kind, line=pieces[0].line if pieces else 1,
        outside=look.reader.is_outside(spot.path), called=called or spot.step.called.get(spot.name, ""),
        pieces=() if plain else tuple(replace(each, path=each.path and readable_path(each.path)) for each in pieces),
        shown=shown if shown != path else "",
    )  # fmt: skip
    return Found(file, spot)


def is_link(reader: FileReader, path: str) -> bool:
    entry = reader.world.find(path)
    return entry is not None and entry.kind == "link"


# Imports: `@path` in a text; each piece keeps the file it came from.

NAMED = r"(?P<path>(?:\\ |[^\s`])+)"
IMPORT_PATTERNS = {
    "blank": rf"(?m)@(?:(?<=^@)|(?<=\s@)){NAMED}", "loose": rf"(?m)@(?:(?<=^@)|(?<=[\s(>]@)){NAMED}",
    "text": rf"(?m)@(?:(?<=^@)|(?<=[\s*_\[>]@)){NAMED}", "mark": rf"@(?<![A-Za-z0-9_@-]@){NAMED}",
}  # fmt: skip
"""They begin with a character that is found quickly; the text before it is checked then. An agent needs one."""
MAX_MENTIONS = 1000  # maximum number of files that one file may name
# What are surely files: others may be names of people or packages.
FILE_LIKE = re.compile(r"^(?:\.{1,2}/|~/|/)|\.(?:md|mdc|mdx|txt|rst)$")
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


class _Imports:
    """One file with those that it imports."""

    def __init__(self, look: "Look", spot: Spot, rule: Imports) -> None:
        self.look, self.reader, self.spot, self.rule = look, look.reader, spot, rule
        tops = {"project": look.project, "cwd": look.cwd, "folder": posixpath.dirname(spot.path)}
        self.top = tops.get(rule.within, "/")
        self.count, self.visited, self.notes = 0, set[str](), list[Diagnostic]()
        self.loaded: list[tuple[str, Reason]] = []  # every file that was imported, and by what
        self.apart: dict[str, list[Piece]] = {}  # those that are files of their own

    def read(self, raw: RawText, kind: str, shown: str) -> tuple[Found, ...]:
        spot, real = self.spot, self.reader.real_or(self.spot.path)
        pieces = self._follow(raw, spot.path, real, self.reader.limits_of(spot.path, real), self.rule.depth)
        self.reader.diagnostics += self.notes
        found = make_found(self.look, spot, pieces, kind, shown=shown)
        if self.rule.place != "after":
            return (found._replace(imported=tuple(self.loaded)),)
        whys = dict(self.loaded)
        apart = [make_found(self.look, spot._replace(path=p), more, spot.step.step) for p, more in self.apart.items()]
        files = (each._replace(why=whys[each.spot.path]) for each in apart)
        return (*files,) if kind.endswith(":waiting") else (found, *files)

    def _follow(self, raw: RawText, path: str, real: str, limits: PathLimits, levels: int) -> list[Piece]:
        """The pieces of a file and of its imports, which may lead so far, and be so deep."""
        self.visited.add(real)
        at, pieces = 0, list[Piece]()
        for match in self._find_matches(raw, path, levels):
            line = raw.line + line_at(raw.text, match.start()) - 1
            named, target = self._read_path(match, path)
            imported = self._import(_Mention(named, target, line, path, limits, levels)) if target else None
            if imported is None:
                continue
            start, end = match.start(), match.start() + 1 + len(named)
            if self.rule.place == "below":
                line_break = raw.text.find("\n", end)
                start = end = len(raw.text) if line_break < 0 else line_break
                imported = [Piece("\n"), *imported]
            pieces += [raw.piece(path, at, start), *imported]
            at = end
        if self.rule.repeats:
            self.visited.discard(real)
        return [piece for piece in (*pieces, raw.piece(path, at)) if piece.text]

    def _find_matches(self, raw: RawText, path: str, levels: int) -> list[re.Match[str]]:
        """Where a text may name files, up to a maximum. A file that is imported by another may have any name."""
        rule, text = self.rule, raw.text
        if levels == rule.depth and rule.only_in and posixpath.basename(path).casefold() not in rule.only_in:
            return []
        if "@" not in text or (rule.largest is not None and len(text.encode()) > rule.largest):
            return []
        matches = list(re.finditer(IMPORT_PATTERNS[rule.begins], text))
        # Several agents, from many starts, follow the imports of one large file.
        recall = self.reader.world.recall
        regions = recall(("regions", text), lambda: tuple(find_regions(text))) if matches else ()
        outside = RegionFilter(each for each in regions if each.kind not in rule.counts_in)
        matches = [match for match in matches if outside.holds(match.start())]
        if len(matches) > MAX_MENTIONS:
            message = f"it imports {len(matches):,} files with `@`: only the first {MAX_MENTIONS:,} are loaded"
            self.notes.append(warning("import-many", message, path))
        return matches[:MAX_MENTIONS]

    def _read_path(self, match: re.Match[str], by: str) -> tuple[str, str]:
        """What an `@path` names, as written or else without the marks behind it, and the absolute path, if it has one."""
        rule, world, before = self.rule, self.reader.world, match.string[max(match.start() - 1, 0) : match.start()]
        named = rule.reads(before, match["path"]) if rule.reads else match["path"].partition(r"\ ")[0]
        plain = named.rstrip(".,;:!?)]}\"'>") if rule.tail else named
        names = [(each, self._resolve(each, by)) for each in (named, plain)]
        there = (each for each in names if each[1] and "\0" not in each[1] and world.exists(each[1]))
        return next(there, names[-1])

    def _resolve(self, named: str, path: str) -> str:
        """The absolute path that an import names; empty if the agent follows no such name."""
        foreign = named.startswith("~") and not (self.rule.home and named.startswith("~/"))
        if not named or foreign or (named.startswith("/") and not self.rule.absolute):
            return ""
        return posixpath.normpath(expand_path(named, posixpath.dirname(path), self.look.home))

    def _import(self, mention: _Mention) -> list[Piece] | None:
        """The text that replaces an import; None if it stays."""
        rule, reader, path = self.rule, self.reader, mention.path
        real, ending = reader.real_or(path), posixpath.splitext(path)[1]
        if reader.world.exists(real) and not contains_path(reader.real_or(self.top), real):
            return self._answer(mention, rule.refused, "import-outside", f"is outside {self.top}: it is not loaded")
        result = reader.look_at(path, PathReference(f"imported by {mention.by}, line {mention.line}", mention.limits))
        if isinstance(result, ReadRefusal):
            return self._refuse(mention, result)
        if self.look.skips_import is not None and self.look.skips_import(result.real):
            return self._answer(mention, rule.refused, "import-ignored", "is ignored by git: it is not loaded")
        if rule.endings and ending and ending[1:].lower() not in rule.endings:
            reason = because("not-followed", mention.by, "ending", ending)
            reader.note(path, "context", "skipped", reason, self.spot.step.step)
            fix = f"a link to it named `{posixpath.basename(path).removesuffix(ending)}.md` is"
            message = f"is not imported: this agent imports no `{ending}` files; {fix}"
            return self._answer(mention, None, "import-kind", message)
        if result.real in self.visited:
            own = result.real == reader.real_or(mention.by)
            return self._answer(mention, rule.again, "import-cycle" * own, "imports itself: remove the line")
        if mention.levels <= 0:
            message = f"is {count_noun(rule.depth + 1, 'import')} deep: the agent follows {rule.depth}"
            return self._answer(mention, None, "import-deep", f"{message}; import it from a file further up")
        self.count += 1
        if self.count > rule.max_files:  # a file that may be imported repeatedly could grow without limit
            most = f"is not imported: this agent imports {count_noun(rule.max_files, 'file')} at most"
            is_first = self.count == rule.max_files + 1
            return self._answer(mention, None, "import-many" * is_first, f"{most}, counted from the first file")
        return self._load(mention, result)

    def _refuse(self, mention: _Mention, refusal: ReadRefusal) -> list[Piece] | None:
        """What an agent writes for a file that is not there, or can't be read."""
        rule = self.rule
        if refusal.outcome == "outside":
            self.reader.note(mention.path, "context", "outside", refusal.reason, self.spot.step.step)
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
        if apart and reader.claim(sighting, "context") != "new":
            return None  # it is loaded already
        raw: RawText | None = reader.load(sighting, "import", make_raw_text)
        if raw is None or (rule.utf_8 and not reader.is_utf_8(path, "import")):
            return self._answer(mention, rule.missing)
        if apart and not (raw := strip_frontmatter(self.spot.step, raw)).text.strip():
            reader.note(path, "context", "cleared", because("empty", "", "import"), self.spot.step.step)
            return None
        self.loaded.append((path, because("imported", mention.by, mention.line)))
        if apart:
            self.apart[path] = []  # it comes before those that it imports itself
        limits = reader.limits_of(path, sighting.real, mention.limits)
        inner = self._follow(raw, path, sighting.real, limits, mention.levels - 1)
        if apart:
            self.apart[path] = inner
            return None
        return [mention.fill(rule.before, sighting.real), *inner, mention.fill(rule.after, sighting.real)]

    def _answer(self, mention: _Mention, text: str | None, code: str = "", message: str = "") -> list[Piece] | None:
        """What the agent writes in place of an import, if anything; and our warning."""
        note = warning(code, f"@{mention.named} {message}", mention.by, mention.line)
        self.notes += [note] if code else []
        return None if text is None else [mention.fill(text)]
