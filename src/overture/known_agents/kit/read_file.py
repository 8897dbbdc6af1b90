"""Reads one file as an agent does: where links may lead, what is stripped, when a rule applies, and imports."""

import posixpath
import re
from functools import lru_cache
from typing import Literal, NamedTuple

from msgspec.structs import replace

from ...discovery.allowed import PathLimits, PathReference, ReadRefusal
from ...discovery.globs import split_pattern
from ...discovery.paths import contains_path, expand_path
from ...discovery.place import Place
from ...discovery.reader import FileReader, Sighting
from ...model.agent_rules import Imports, Step
from ...model.diagnostic import Diagnostic, warning
from ...model.state.discovery import CachedFile, Outcome
from ...model.state.files import Piece, TextFile
from ...model.state.reasons import FAULTS, NO_REASON, Reason, because, explain_reason
from ...text.broken_frontmatter import list_spoilers, parse_by_line
from ...text.frontmatter import FrontmatterProblem, parse_frontmatter
from ...text.markdown import Region, RegionFilter, find_regions, strip_block_comments
from ...text.normalize import line_at, tidy
from ...text.path_printer import readable_path
from ...text.words import count_noun
from .menu_entries import ignore_frontmatter, parse_skill, read_helper
from .rules import is_gitignored, matches_touched_file, read_rule_condition


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
    imported: tuple[tuple[str, Reason], ...] = ()
    """The files whose text is in it, and what names each."""
    why: Reason = NO_REASON
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


class RawText(NamedTuple):
    """A text as it was read, and the line at which it begins."""

    text: str
    line: int
    spoilers: tuple[str, ...] = ()
    """What may keep its frontmatter from being known as such."""


def make_raw_text(text: str, _: str) -> tuple[RawText, tuple[Diagnostic, ...]]:
    """A file's text without a BOM and blank lines around it."""
    tidied, skipped = tidy(text)
    return RawText(tidied, 1 + skipped, list_spoilers(text) if tidied.startswith("---") else ()), ()


def open_spot(reader: FileReader, place: Place, step: Step, spot: Spot) -> Opened:
    """The file at a path and those that it imports, as far as they are loaded now."""
    path, what = spot.path, name_kind(step, spot)
    sighting = _sight(reader, place, step, spot, what)
    if not isinstance(sighting, Sighting):
        return Opened((), sighting)
    raw: RawText | None = reader.load(sighting, what, make_raw_text)
    if raw is None:
        return Opened((), "again" if path in reader.elsewhere else "refused")
    if step.utf_8 and not reader.is_utf_8(path, what):
        reader.note(path, what, "skipped", because("not-utf-8"), step.step)
        return Opened((), "refused")
    shown = readable_path(sighting.real) if spot.is_rule and step.shows_target else ""
    if not raw.text.strip():
        if step.blank == "keep":
            return Opened((_make_found(reader, step, spot, [Piece("", path)], shown=shown, blank=True),), "blank")
        reader.note(path, what, "cleared", because("empty"), step.step)
        return Opened((), "blank")
    kind = _find_kind(reader, place, step, spot, raw)
    if kind is None:
        return Opened((), "text")
    if step.listing is not None:
        return Opened(_read_listed(reader, place, step, spot, raw), "text")
    files = _read_text(reader, place, step, spot, raw, kind, shown)
    waits = kind.endswith((":waiting", ":model", ":manual", ":never")) and not _is_announced(step, kind)
    return Opened(tuple(files[1:] if waits else files), "text")


def _sight(
    reader: FileReader, place: Place, step: Step, spot: Spot, what: str
) -> Sighting | Literal["again", "refused"]:
    """The regular file at a path, if links may lead there and it was not met under another name."""
    path, reach = spot.path, reader.find_naming_setting(spot.name)
    links = "inside" if spot.is_rule and step.rule_links == "inside" else step.links
    result = reader.look_at(path, reach)
    if links == "inside" and reach is None:  # a link that leads out of the project, wherever that is
        inside = isinstance(result, Sighting) and (
            reader.is_plain(path, result.real) or contains_path(reader.real_or(place.project), result.real)
        )
        if not inside and (isinstance(result, Sighting) or result.outcome == "outside"):
            result = ReadRefusal("outside", because("not-followed", "", "outside"))
    if isinstance(result, Sighting) and links == "never":
        folder, _, name = path.rpartition("/")
        if result.real != f"{reader.real_or(folder)}/{name}":
            result = ReadRefusal("skipped", because("not-followed"))
    if isinstance(result, ReadRefusal):
        known: Outcome = result.outcome if result.outcome in ("outside", "unreadable") else "skipped"
        reader.note(path, what, known, result.reason, step.step)
        if result.outcome == "unreadable" or result.reason.code == "outside":
            message = f"skipped: {explain_reason(result.reason)}"
            reader.diagnostics.append(warning(f"{what}-{result.outcome}", message, path))
        return "refused"
    if step.same_file == "once" and (claim := reader.claim(result, what)) != "new":
        return "again" if claim == "named" else "refused"
    return result


def _find_kind(reader: FileReader, place: Place, step: Step, spot: Spot, raw: RawText) -> str | None:
    """What the file is called in the state: its step, and how a rule is loaded; None if not at all now."""
    rule = step.conditions
    if rule is None or not spot.is_rule:
        return step.step
    condition = read_rule_condition(rule, "" if _is_spoiled(raw, step) else raw.text)
    for message, line in condition.faults:
        reader.diagnostics.append(warning("rule-invalid", message, spot.path, raw.line + line - 1))
    if condition.when == "start":
        return step.step
    bases = {"root": place.project, "cwd": place.cwd, "folder": spot.folder, "anywhere": None}
    waits, touching = condition.when == "touched", place.touching
    if rule.below_cwd:
        touching = tuple(path for path in touching if contains_path(place.cwd, path))
    if waits and matches_touched_file(condition.patterns, bases[rule.base], touching, rule.patterns):
        return f"{step.step}:touched"
    outcome: Outcome = "unread" if condition.is_skipped else "lazy"
    reader.note(spot.path, name_kind(step, spot), outcome, condition.reason, step.step)
    kind = f"{step.step}:{'waiting' if waits else condition.when}"
    imports = step.imports is not None and step.imports.by_waiting_rules and waits
    return kind if _is_announced(step, kind) or imports else None


def _is_announced(step: Step, kind: str) -> bool:
    return step.conditions is not None and kind.rpartition(":")[2] in step.conditions.announced


def _is_spoiled(raw: RawText, step: Step) -> bool:
    """Whether the agent takes its frontmatter for text."""
    return any(each in step.spoiled_by for each in raw.spoilers)


def _read_listed(reader: FileReader, place: Place, step: Step, spot: Spot, raw: RawText) -> tuple[Found, ...]:
    """A sub-agent or a command, if the agent lists it."""
    parsed, what = parse_skill(raw.text, spot.path)[0], name_kind(step, spot)
    if _is_spoiled(raw, step):
        parsed = ignore_frontmatter(parsed)._replace(broken=FAULTS["spoiled"])
    top, _ = split_pattern(spot.folder, spot.name, place.home)
    helper = read_helper(parsed, spot.path, top, step, decoded=reader.is_utf_8(spot.path, what))
    if isinstance(helper, Reason):
        reader.note(spot.path, what, "skipped", helper, step.step)
        return ()
    found = _make_found(reader, step, spot, [Piece(raw.text, spot.path, raw.line)], called=helper.name)
    file = replace(found.file, said=helper.description, said_line=helper.line + raw.line - 1)
    return (found._replace(file=file),)


def _read_text(
    reader: FileReader, place: Place, step: Step, spot: Spot, raw: RawText, kind: str, shown: str
) -> list[Found]:
    """The file without what is stripped, and those that it imports."""
    is_empty, raw = not has_text(step, raw), _strip_frontmatter(raw, step)
    if is_empty and step.blank == "skip":
        left = "comments" if raw.text.strip() else "frontmatter"
        reader.note(spot.path, name_kind(step, spot), "cleared", because("empty", "", left), step.step)
        return []
    follower = _ImportFollower(reader, place, step, spot.path)
    pieces = follower.follow(raw, spot.path) if step.imports else [Piece(raw.text, spot.path, raw.line)]
    reader.diagnostics += follower.notes
    apart = {path for path, _ in follower.imported}
    inline = tuple((path, why) for path, why in follower.loaded if path not in apart)
    rule = _make_found(reader, step, spot, _strip_comments(step, pieces), kind, shown=shown)._replace(imported=inline)
    reasons = dict(reversed(follower.loaded))
    kind = step.step if step.imports and step.imports.by_waiting_rules and ":" in kind else kind
    return [
        rule,
        *(
            _make_found(reader, step, spot._replace(path=path), _strip_comments(step, more), kind)._replace(
                why=reasons[path]
            )
            for path, more in follower.imported
        ),
    ]


def has_text(step: Step, raw: RawText) -> bool:
    """Whether text is left without what the agent strips."""
    return any(piece.text.strip() for piece in _strip_comments(step, [Piece(_strip_frontmatter(raw, step).text)]))


def _strip_frontmatter(raw: RawText, step: Step) -> RawText:
    """The text below the frontmatter, if the agent recognizes and drops that."""
    if "frontmatter" not in step.strip or not raw.text.startswith("---") or _is_spoiled(raw, step):
        return raw
    parsed = (parse_by_line if "broken-frontmatter" in step.strip else parse_frontmatter)(raw.text)
    if isinstance(parsed, FrontmatterProblem):
        return raw
    return RawText(raw.text[parsed.body :], raw.line + parsed.body_line - 1)


def _strip_comments(step: Step, pieces: list[Piece]) -> list[Piece]:
    if "comments" not in step.strip:
        return pieces
    return [
        Piece(text, piece.path, piece.line + line_at(piece.text, start) - 1)
        for piece in pieces
        for start, text in strip_block_comments(piece.text)
    ]


def _make_found(
    reader: FileReader, step: Step, spot: Spot, pieces: list[Piece], kind: str = "", *, called: str = "",
    shown: str = "", blank: bool = False,
) -> Found:  # fmt: skip
    """The file; the very object of an earlier discovery if its content is the same."""
    path, pieces = readable_path(spot.path), _trim(pieces)
    plain = len(pieces) == 1 and pieces[0].path == spot.path
    fields = {
        "content": "".join(piece.text for piece in pieces),
        "kind": kind or step.step,
        "line": pieces[0].line if pieces else 1,
        "outside": reader.is_outside(spot.path),
        "pieces": () if plain else tuple(replace(p, path=p.path and readable_path(p.path)) for p in pieces),
        "called": called or step.called.get(spot.name, ""),
        "shown": shown if shown != path else "",
    }
    key = (f"loaded by {step.step}", spot.path)
    before = reader.earlier.get(key)
    # A build reuses what it knows of a text by the object.
    same = before is not None and all(getattr(before.value, name) == value for name, value in fields.items())
    file: TextFile = before.value if before is not None and same else TextFile(path, **fields)  # type: ignore[arg-type]
    reader.cached_files[key] = CachedFile((), file, ())
    return Found(file, step, spot, blank=blank)


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

PATH_PATTERN = r"(?P<path>(?:\\ |[^\s`])+)"
IMPORT_PATTERNS = {
    "blank": rf"(?m)@(?:(?<=^@)|(?<=\s@)){PATH_PATTERN}",
    "loose": rf"(?m)@(?:(?<=^@)|(?<=[\s(>]@)){PATH_PATTERN}",
    "text": rf"(?m)@(?:(?<=^@)|(?<=[\s*_\[>]@)){PATH_PATTERN}",
    "mark": rf"@(?<![A-Za-z0-9_@-]@){PATH_PATTERN}",
}
"""They begin with a character that is found quickly; the text before it is checked then. An agent needs one."""
CLOSING_MARKS = {"*": "*", "[": "](", ">": "<"}
"""The mark that begins a text in Markdown, and the one that ends it."""
TAIL = ".,;:!?)]}\"'>"
REGION_PLACES = {"comment": "comments", "tildes": "tildes", "backticks": "code", "span": "code", "indented": "indented"}
"""A kind of region -> its name in `counts_in`."""
MAX_MENTIONS = 1000
"""Maximum number of files that one file may name."""
FILE_LIKE = re.compile(r"^(?:\.{1,2}/|~/|/)|\.(?:md|mdc|mdx|txt|rst)$")
"""Matches that are surely files: others may be names of people or packages."""
REPLACED = "import-replaced"
"""Reported for the first such name of a file: there may be hundreds."""


@lru_cache(maxsize=32)
def _list_regions(text: str) -> tuple[Region, ...]:
    """Several agents read the same file, each with rules of its own."""
    return tuple(find_regions(text))


class _Mention(NamedTuple):
    """A place that names a file."""

    start: int
    end: int
    named: str
    path: str
    line: int


class _ImportFollower:
    """Follows the imports of one file."""

    def __init__(self, reader: FileReader, place: Place, step: Step, path: str) -> None:
        self.reader, self.place, self.step, self.rule = reader, place, step, step.imports or Imports(0)
        own = posixpath.dirname(path)
        self.root = {"project": place.project, "cwd": place.cwd, "folder": own, "anywhere": "/"}[self.rule.within]
        self.times = 0
        self.visited: set[str] = set()
        self.limits: dict[str, PathLimits] = {}
        """How far the imports of each file may lead."""
        self.notes: list[Diagnostic] = []
        self.imported: list[tuple[str, list[Piece]]] = []
        """Files that are loaded by themselves."""
        self.loaded: list[tuple[str, Reason]] = []
        """Every file that was imported, and by what."""

    def follow(self, raw: RawText, path: str, levels: int | None = None) -> list[Piece]:
        """The pieces of a file and of its imports."""
        real = self.reader.real_or(path)
        self.visited.add(real)
        self.limits.setdefault(path, self.reader.limits_of(path, real))
        levels, at, pieces = self.rule.depth if levels is None else levels, 0, list[Piece]()
        for mention in self._find_mentions(raw, path, levels):
            imported = self._import(mention, path, levels)
            if imported is None:
                continue
            start, end = mention.start, mention.end
            if self.rule.place != "inline":
                line_break = raw.text.find("\n", end)
                start = end = len(raw.text) if line_break < 0 else line_break
            line_end = [Piece("\n")] if self.rule.place == "below" else []
            pieces += [Piece(raw.text[at:start], path, raw.line + line_at(raw.text, at) - 1), *line_end, *imported]
            at = end
        if self.rule.repeats:
            self.visited.discard(real)
        pieces.append(Piece(raw.text[at:], path, raw.line + line_at(raw.text, at) - 1))
        return [piece for piece in pieces if piece.text]

    def _find_mentions(self, raw: RawText, path: str, levels: int) -> list[_Mention]:
        """The mentions of files in a text that the agent follows, up to a maximum."""
        rule, text = self.rule, raw.text
        # A file that is imported by another may have any name.
        is_first = levels == rule.depth
        if is_first and rule.only_in and posixpath.basename(path).casefold() not in rule.only_in:
            return []
        if "@" not in text or (rule.largest is not None and len(text.encode()) > rule.largest):
            return []
        matches = list(re.finditer(IMPORT_PATTERNS[rule.begins], text))
        if not matches:
            return []
        ignored = {kind for kind, area in REGION_PLACES.items() if area not in rule.counts_in}
        outside = RegionFilter(region for region in _list_regions(text) if region.kind in ignored)
        named = [match for match in matches if outside.holds(match.start())]
        if len(named) > MAX_MENTIONS:
            message = f"it imports {len(named):,} files with `@`: only the first {MAX_MENTIONS:,} are loaded"
            self.notes.append(warning("import-many", message, path))
        mentions = (self._make_mention(match, path, raw.line) for match in named[:MAX_MENTIONS])
        return [mention for mention in mentions if mention is not None]

    def _make_mention(self, match: re.Match[str], path: str, first_line: int) -> _Mention | None:
        """The file that an `@path` names: as written, or else without the marks behind it."""
        begins, start = self.rule.begins, match.start()
        named = match["path"] if begins == "text" else match["path"].partition("\\ ")[0]
        before = match.string[max(start - 1, 0) : start]
        if begins == "mark":
            named = named.partition("<")[0]
        elif begins == "text" and before in CLOSING_MARKS:
            inner, end, _ = named.partition(CLOSING_MARKS[before])
            named = inner if end or before == ">" else ""
        elif before == "_":
            named = named.rstrip("_")
        plain = named.rstrip(TAIL) if self.rule.tail else named
        line = first_line + line_at(match.string, start) - 1
        for each in dict.fromkeys((named, plain)):
            target = self._resolve(each, path)
            if target and "\0" not in target and self.reader.world.exists(target):
                return _Mention(start, start + 1 + len(each), each, target, line)
        target = self._resolve(plain, path) if plain else None
        return _Mention(start, start + 1 + len(plain), plain, target, line) if target else None

    def _resolve(self, named: str, path: str) -> str | None:
        """The absolute path that an import names; None if the agent follows no such name."""
        rule = self.rule
        if rule.begins == "text":
            named = named.replace("\\ ", " ").partition("#")[0]
        if not named or (rule.begins == "mark" and named.endswith("/")):
            return None
        if named.startswith("~") and not (rule.home and named.startswith("~/")):
            return None
        if named.startswith("/") and not rule.absolute:
            return None
        return posixpath.normpath(expand_path(named, posixpath.dirname(path), self.place.home))

    def _import(self, mention: _Mention, path: str, levels: int) -> list[Piece] | None:
        """The text that replaces an import; None if it stays."""
        rule, reader = self.rule, self.reader
        real = reader.real_or(mention.path)
        if reader.world.exists(real) and not contains_path(reader.real_or(self.root), real):  # the agent refuses it
            self._warn("import-outside", mention, path, f"is outside {self.root}: it is not loaded")
            return self._replace(rule.refused, mention)
        result = reader.look_at(
            mention.path, PathReference(f"imported by {path}, line {mention.line}", self.limits[path])
        )
        if isinstance(result, ReadRefusal):
            return self._refuse(mention, path, result)
        if rule.not_ignored and is_gitignored(reader, self.place, result.real):
            self._warn("import-ignored", mention, path, "is ignored by git: it is not loaded")
            return self._replace(rule.refused, mention)
        stem, ending = posixpath.splitext(mention.path)
        if rule.endings and ending and ending[1:].lower() not in rule.endings:
            reason = because("not-followed", path, "ending", ending)
            reader.note(mention.path, "context", "skipped", reason, self.step.step)
            fix = f"a link to it named `{posixpath.basename(stem)}.md` is"
            self._warn("import-kind", mention, path, f"is not imported: this agent imports no `{ending}` files; {fix}")
            return None
        if result.real in self.visited:
            if result.real == reader.real_or(path):
                self._warn("import-cycle", mention, path, "imports itself: remove the line")
            return self._replace(rule.again, mention)
        if levels <= 0:
            deep = f"is {count_noun(rule.depth + 1, 'import')} deep: the agent follows {rule.depth}"
            self._warn("import-deep", mention, path, f"{deep}; import it from a file further up")
            return None
        return self._load(mention, result, path, levels)

    def _refuse(self, mention: _Mention, path: str, refusal: ReadRefusal) -> list[Piece] | None:
        """What an agent writes for a file that is not there, or can't be read."""
        rule = self.rule
        if refusal.outcome == "outside":
            self.reader.note(mention.path, "context", "outside", refusal.reason, self.step.step)
            self._warn("import-outside", mention, path, f"is not loaded: {refusal.detail}")
            return None
        if rule.refused is not None and not contains_path(self.root, mention.path):
            return self._replace(rule.refused, mention)  # its existence is not checked
        if FILE_LIKE.search(mention.named) or refusal.outcome != "absent":
            what = "does not exist" if refusal.outcome == "absent" else f"can't be read: {refusal.detail}"
            self._warn("import-missing", mention, path, f"{what}: fix the path, or remove the line")
        elif rule.missing is not None and not any(n.code == REPLACED and n.path == path for n in self.notes):
            message = "is taken for an import, and an error message replaces it: put backticks around it"
            self._warn(REPLACED, mention, path, f"{message}, and around others of its kind")
        return self._replace(rule.missing, mention)

    def _load(self, mention: _Mention, sighting: Sighting, path: str, levels: int) -> list[Piece] | None:
        """The pieces of an imported file in place of its mention; None if it stays, or comes after the text."""
        rule, reader, apart = self.rule, self.reader, self.rule.place == "after"
        self.times += 1
        if self.times > rule.max_files:  # a file that may be imported repeatedly could grow without limit
            if self.times == rule.max_files + 1:
                most = f"is not imported: this agent imports {count_noun(rule.max_files, 'file')} at most"
                self._warn("import-many", mention, path, f"{most}, counted from the first file")
            return None
        if apart and reader.claim(sighting, "context") != "new":
            return None  # it is loaded already
        raw: RawText | None = reader.load(sighting, "import", make_raw_text)
        if raw is None or (rule.utf_8 and not reader.is_utf_8(sighting.path, "import")):
            return self._replace(rule.missing, mention)
        if apart and not (raw := _strip_frontmatter(raw, self.step)).text.strip():
            reader.note(sighting.path, "context", "cleared", because("empty", "", "import"), self.step.step)
            return None
        self.limits.setdefault(sighting.path, reader.limits_of(sighting.path, sighting.real, self.limits[path]))
        self.loaded.append((sighting.path, because("imported", path, mention.line)))
        if apart:
            at = len(self.imported)
            self.imported.append((sighting.path, []))
            self.imported[at] = (sighting.path, self.follow(raw, sighting.path, levels - 1))
            return None
        inner = self.follow(raw, sighting.path, levels - 1)
        located = mention._replace(path=sighting.real)
        before, after = (_fill(text, located) for text in (rule.before, rule.after))
        return [Piece(before), *inner, Piece(after)]

    def _replace(self, template: str | None, mention: _Mention) -> list[Piece] | None:
        return None if template is None else [Piece(_fill(template, mention))]

    def _warn(self, code: str, mention: _Mention, path: str, message: str) -> None:
        self.notes.append(warning(code, f"@{mention.named} {message}", path, mention.line))


def _fill(template: str, mention: _Mention) -> str:
    return template.replace("{path}", mention.named).replace("{target}", mention.path)
