"""Follows `@path` imports in a text; each piece keeps the file it came from."""

import posixpath
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from ...discover.allowed import PathLimits, PathReference
from ...discover.file_reader import FileReader
from ...discover.paths import contains_path, expand_path
from ...discover.real_paths import Sighting
from ...model.agent_rules import Imports, Step
from ...model.diagnostic import Diagnostic, warning
from ...model.state.files import Piece
from ...text.frontmatter import FrontmatterProblem, parse_frontmatter
from ...text.markdown import Region, RegionFilter, find_regions
from ...text.normalize import line_at, tidy
from ...text.words import count_noun
from .frontmatter_and_rules import list_spoilers, parse_by_line

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


class RawText(NamedTuple):
    """A text as it was read, and the line at which it begins."""

    text: str
    line: int
    spoilers: tuple[str, ...] = ()
    """What may keep its frontmatter from being known as such."""


@lru_cache(maxsize=32)
def _list_regions(text: str) -> tuple[Region, ...]:
    """Several agents read the same file, each with rules of its own."""
    return tuple(find_regions(text))


class ImportMention(NamedTuple):
    """A place that names a file."""

    start: int
    end: int
    named: str
    path: str


class ImportFollower:
    """Follows the imports of one file. Lives for one call."""

    def __init__(
        self, reader: FileReader, step: Step, rule: Imports, root: str, home: str, ignored: Callable[[str], bool]
    ) -> None:
        """Follow the imports of a step's file by the agent's rule, not beyond `root`."""
        self.reader, self.rule, self.root, self.home = reader, rule, root, home
        self.file_step, self.step = step, step.step
        self.ignored, self.times = ignored, 0
        self.visited: set[str] = set()
        self.limits: dict[str, PathLimits] = {}
        """How far the imports of each file may lead."""
        self.notes: list[Diagnostic] = []
        self.imported: list[tuple[str, list[Piece]]] = []
        """Files that are loaded by themselves."""
        self.loaded: list[tuple[str, str]] = []
        """Every file that was imported, and by what."""

    def pieces(self, raw: RawText, path: str, levels: int | None = None) -> list[Piece]:
        """The pieces of a file and of its imports."""
        real = self.reader.real_or(path)
        self.visited.add(real)
        self.limits.setdefault(path, self.reader.limits_of(path, real))
        levels = self.rule.depth if levels is None else levels
        pieces: list[Piece] = []
        at = 0
        for mention in self._find_mentions(raw.text, path, levels):
            line = raw.line + line_at(raw.text, mention.start) - 1
            imported = self._import_file(mention, path, line, levels)
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

    def _find_mentions(self, text: str, path: str, levels: int) -> list[ImportMention]:
        """The mentions of imports in a text that the agent follows, up to a maximum."""
        if "@" not in text:
            return []
        # A file that is imported by another may have any name.
        if levels == self.rule.depth and not self._may_import(path):
            return []
        if self.rule.largest is not None and len(text.encode()) > self.rule.largest:
            return []
        matches = list(re.finditer(IMPORT_PATTERNS[self.rule.begins], text))
        if not matches:
            return []
        ignored = {kind for kind, area in REGION_PLACES.items() if area not in self.rule.counts_in}
        outside = RegionFilter(region for region in _list_regions(text) if region.kind in ignored)
        named = [match for match in matches if outside.holds(match.start())]
        if len(named) > MAX_MENTIONS:
            message = f"it imports {len(named):,} files with `@`: only the first {MAX_MENTIONS:,} are loaded"
            self.notes.append(warning("import-many", message, path))
        return [mention for match in named[:MAX_MENTIONS] for mention in self._find_imported_file(match, path)]

    def _may_import(self, path: str) -> bool:
        """Whether a file of that name imports others; one that is imported itself may have any name."""
        return not self.rule.only_in or posixpath.basename(path).casefold() in self.rule.only_in

    def _find_imported_file(self, match: re.Match[str], path: str) -> list[ImportMention]:
        """The file that an `@path` imports: as written, or else without the marks behind it."""
        named = self._extract_mentioned_path(match)
        plain = named.rstrip(TAIL) if self.rule.tail else named
        for each in dict.fromkeys((named, plain)):
            target = self._resolve_import_path(each, path)
            if target and "\0" not in target and self.reader.world.exists(target):
                return [ImportMention(match.start(), match.start() + 1 + len(each), each, target)]
        target = self._resolve_import_path(plain, path) if plain else None
        return [ImportMention(match.start(), match.start() + 1 + len(plain), plain, target)] if target else []

    def _extract_mentioned_path(self, match: re.Match[str]) -> str:
        """The path as written: where a blank in it counts, and where Markdown ends it."""
        named = match["path"] if self.rule.begins == "text" else match["path"].partition("\\ ")[0]
        if self.rule.begins == "mark":
            return named.partition("<")[0]
        before = match.string[max(match.start() - 1, 0) : match.start()]
        if self.rule.begins == "text" and before in CLOSING_MARKS:
            named, end, _ = named.partition(CLOSING_MARKS[before])
            return named if end or before == ">" else ""
        return named.rstrip("_") if before == "_" else named

    def _resolve_import_path(self, named: str, path: str) -> str | None:
        """The absolute path that an import names; None if the agent follows no such name."""
        if self.rule.begins == "text":
            named = named.replace("\\ ", " ").partition("#")[0]
        if self.rule.begins == "mark" and named.endswith("/"):
            return None
        if not named or (named.startswith("~") and not (self.rule.home and named.startswith("~/"))):
            return None
        if named.startswith("/") and not self.rule.absolute:
            return None
        return posixpath.normpath(expand_path(named, posixpath.dirname(path), self.home))

    def _import_file(self, mention: ImportMention, path: str, line: int, levels: int) -> list[Piece] | None:
        """The text that replaces an import; None if it stays."""
        if self._leads_too_far(mention):
            message = f"@{mention.named} is outside {self.root}: it is not loaded"
            self._warn("import-outside", message, path, line)
            return self._make_replacement_piece(self.rule.refused, mention)
        reach = PathReference(f"imported by {path}, line {line}", self.limits[path])
        result = self.reader.look_at(mention.path, reach)
        if not isinstance(result, Sighting):
            if result.outcome == "outside":
                self._note_outside(mention, path, line, result.detail)
                return None
            if self.rule.refused is not None and not contains_path(self.root, mention.path):
                return self._make_replacement_piece(self.rule.refused, mention)  # its existence is not checked
            return self._report_failed_import(mention, path, line, result.outcome, result.detail)
        if self.rule.not_ignored and self.ignored(result.real):
            self._warn("import-ignored", f"@{mention.named} is ignored by git: it is not loaded", path, line)
            return self._make_replacement_piece(self.rule.refused, mention)
        ending = posixpath.splitext(mention.path)[1]
        if self.rule.endings and ending and ending[1:].lower() not in self.rule.endings:
            self._skip_kind(mention, path, line)
            return None
        if result.real in self.visited:
            if result.real == self.reader.real_or(path):
                self._warn("import-cycle", f"@{mention.named} imports itself: remove the line", path, line)
            return self._make_replacement_piece(self.rule.again, mention)
        if levels <= 0:
            deep = count_noun(self.rule.depth + 1, "import")
            message = f"@{mention.named} is {deep} deep: the agent follows {self.rule.depth}"
            self._warn("import-deep", f"{message}; import it from a file further up", path, line)
            return None
        return self._load_import(mention, result, path, line, levels)

    def _leads_too_far(self, mention: ImportMention) -> bool:
        """Whether the agent itself refuses an existing file."""
        real = self.reader.real_or(mention.path)
        return self.reader.world.exists(real) and not contains_path(self.reader.real_or(self.root), real)

    def _note_outside(self, mention: ImportMention, path: str, line: int, detail: str) -> None:
        """Record an import from outside the project; `@path` stays in the text."""
        self.reader.note(mention.path, "context", "outside", detail, self.step)
        self._warn("import-outside", f"@{mention.named} is not loaded: {detail}", path, line)

    def _skip_kind(self, mention: ImportMention, path: str, line: int) -> None:
        """Record an import that the agent skips because of its name; `@path` stays in the text."""
        stem, ending = posixpath.splitext(mention.path)
        detail = f"`@` in {path} names it, but this agent imports no `{ending}` files"
        self.reader.note(mention.path, "context", "skipped", detail, self.step)
        message = f"@{mention.named} is not imported: this agent imports no `{ending}` files"
        self._warn("import-kind", f"{message}; a link to it named `{posixpath.basename(stem)}.md` is", path, line)

    def _load_import(
        self, mention: ImportMention, sighting: Sighting, path: str, line: int, levels: int
    ) -> list[Piece] | None:
        """The pieces of an imported file in place of its mention; None if it stays, or comes after the text."""
        self.times += 1
        if self.times > self.rule.max_files:  # a file that may be imported repeatedly could grow without limit
            if self.times == self.rule.max_files + 1:
                most = count_noun(self.rule.max_files, "file")
                message = f"@{mention.named} is not imported: this agent imports {most} at most"
                self._warn("import-many", f"{message}, counted from the first file", path, line)
            return None
        if self.rule.place == "after" and self.reader.accept_first_name(sighting, "context") is None:
            return None  # it is loaded already
        raw = self.reader.load(sighting, "import", make_raw_text)
        if raw is None or (self.rule.utf_8 and not self.reader.is_utf_8(sighting.path, "import")):
            return self._make_replacement_piece(self.rule.missing, mention)
        if self.rule.place == "after" and not (raw := strip_frontmatter(raw, self.file_step)).text.strip():
            self.reader.note(sighting.path, "context", "cleared", "it has no text to import", self.step)
            return None
        self.limits.setdefault(sighting.path, self.reader.limits_of(sighting.path, sighting.real, self.limits[path]))
        self.loaded.append((sighting.path, f"imported by {path}, line {line}"))
        if self.rule.place == "after":
            self.imported.append((sighting.path, []))
            index = len(self.imported) - 1
            self.imported[index] = (sighting.path, self.pieces(raw, sighting.path, levels - 1))
            return None
        inner = self.pieces(raw, sighting.path, levels - 1)
        located = mention._replace(path=sighting.real)
        before, after = (self._fill_import_template(text, located) for text in (self.rule.before, self.rule.after))
        return [Piece(before), *inner, Piece(after)]

    def _report_failed_import(
        self, mention: ImportMention, path: str, line: int, outcome: str, detail: str
    ) -> list[Piece] | None:
        if FILE_LIKE.search(mention.named) or outcome != "absent":
            message = "does not exist" if outcome == "absent" else f"can't be read: {detail}"
            self._warn("import-missing", f"@{mention.named} {message}: fix the path, or remove the line", path, line)
        elif self.rule.missing is not None and not any(n.code == REPLACED and n.path == path for n in self.notes):
            message = f"@{mention.named} is taken for an import, and an error message replaces it"
            self._warn(REPLACED, f"{message}: put backticks around it, and around others of its kind", path, line)
        return self._make_replacement_piece(self.rule.missing, mention)

    def _make_replacement_piece(self, template: str | None, mention: ImportMention) -> list[Piece] | None:
        return None if template is None else [Piece(self._fill_import_template(template, mention))]

    def _fill_import_template(self, template: str, mention: ImportMention) -> str:
        return template.replace("{path}", mention.named).replace("{target}", mention.path)

    def _warn(self, code: str, message: str, path: str, line: int) -> None:
        """Record a warning about an import."""
        self.notes.append(warning(code, message, path, line))


def make_raw_text(text: str, _: str) -> tuple[RawText, tuple[Diagnostic, ...]]:
    """A file's text without a BOM and blank lines around it."""
    tidied, skipped = tidy(text)
    return RawText(tidied, 1 + skipped, list_spoilers(text) if tidied.startswith("---") else ()), ()


def strip_frontmatter(raw: RawText, step: Step) -> RawText:
    """The text below the frontmatter, if the agent recognizes and drops that."""
    if "frontmatter" not in step.strip or not raw.text.startswith("---") or is_spoiled(raw, step):
        return raw
    read = parse_by_line if "broken-frontmatter" in step.strip else parse_frontmatter
    parsed = read(raw.text)
    if isinstance(parsed, FrontmatterProblem):
        return raw
    return RawText(raw.text[parsed.body :], raw.line + parsed.body_line - 1)


def is_spoiled(raw: RawText, step: Step) -> bool:
    """Whether the agent takes its frontmatter for text."""
    return any(each in step.spoiled_by for each in raw.spoilers)
