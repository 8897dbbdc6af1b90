"""Finds what texts for agents name and the project lacks: files in links, imports and backticks."""

import os
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from posixpath import basename, dirname, join, normpath
from typing import Literal, NamedTuple

from ..discovery.globs import matches_glob
from ..discovery.scan_folders import MAX_TRACKED_BYTES, SKIPPED_FOLDERS
from ..discovery.world import World, read_file_within
from ..known_agents.file_owners import AGENT_FOLDERS, match_known_file
from ..lazy import cached, lazy
from ..text.escape import unescape_percent
from ..text.markdown import LINK
from ..text.path_printer import readable_path
from .findings_and_input import CheckedFile, CheckInput, Finding, Severity
from .rules_by_code import CheckRule

MAX_FILE_BYTES = 1024 * 1024
"""Bytes of a file of the project that is read for what it names, ignores or defines."""
MAX_HISTORY_SECONDS = 0.1
"""Seconds for a hint where missing files went: a check is not worth more of anybody's time for it."""


class ProjectTree:
    """The files below a root: those that git tracks, else those of its folders. Nothing outside is looked at."""

    def __init__(self, world: World, root: str) -> None:
        self.world, self.root = world, root.rstrip("/")
        self.whole = True
        """Whether everything could be listed."""

    def ask_git(self, *words: str, stdin: bytes = b"", seconds: float | None = None) -> list[str] | None:
        """The parts of git's answer; None where there is no git, or no answer."""
        from ..discovery.git import ask_git

        if not self.world.is_machine:
            return None
        try:
            answer = ask_git(words, self.root or "/", None, stdin=stdin, seconds=seconds, max_bytes=MAX_TRACKED_BYTES)
        except OSError:
            return None
        return None if answer is None else os.fsdecode(answer).split("\0")[:-1]

    @lazy
    def files(self) -> frozenset[str]:
        """Every file and link, relative to the root; of git's, those that are still there."""
        rows = self.ask_git("ls-files", "-z", "-t", "--cached", "--deleted")
        if rows:  # a repository without tracked files says nothing of its folders
            return frozenset(row[2:] for row in rows) - {row[2:] for row in rows if row[0] == "R"}
        paths, folders = list[str](), [""]
        for folder in folders:
            try:
                names = self.world.names(f"{self.root}/{folder}".rstrip("/") or "/")
            except OSError:
                self.whole = False  # an unreadable folder may hold the named file
                continue
            base = f"{folder}/" if folder else ""
            paths += [f"{base}{name}" for name, kind in names if kind != "dir"]
            folders += [f"{base}{name}" for name, kind in names if kind == "dir" and name not in SKIPPED_FOLDERS]
        return frozenset(paths)

    @lazy
    def folders(self) -> frozenset[str]:
        folders = {"."}
        for path in self.files:
            while (path := path.rpartition("/")[0]) and path not in folders:
                folders.add(path)
        return frozenset(folders)

    @lazy
    def by_name(self) -> dict[str, list[str]]:
        """All paths by the last step of each, in small letters."""
        paths: defaultdict[str, list[str]] = defaultdict(list)
        for path in (*self.files, *self.folders):
            paths[path.rpartition("/")[2].lower()].append(path)
        return paths

    @lazy
    def modules(self) -> frozenset[str]:
        """The files without their endings: `src/x` for `src/x.ts` and `src/x.test.ts`."""
        splits = ((path, path.find(".", path.rfind("/") + 2)) for path in self.files)
        return frozenset(cut for path, at in splits if at > 0 for cut in (path[:at], path[: path.rfind(".")]))

    def has(self, path: str) -> bool:
        """Whether a path is there, or can't be known to be gone: below a link that leads out, or in a submodule."""
        if path in self.files or path in self.folders or path.startswith("../"):
            return True
        above = path
        while above := dirname(above):
            if above in self.folders:
                return False
            if above in self.files:
                return self._has_below(above, path[len(above) + 1 :])
        return False

    def _has_below(self, above: str, rest: str, hops: int = 20) -> bool:
        """Git lists nothing below a link, nor in a submodule."""
        entry = self.world.find(f"{self.root}/{above}")
        if entry is None or entry.kind != "link" or not hops:
            return entry is None or entry.kind == "dir" or not hops
        path = normpath(join(dirname(above), self.world.target(f"{self.root}/{above}"), rest))
        if path.startswith(("../", "/")):
            return True
        nested = next((each for each in _list_above(path) if each in self.files), None)
        return self._has_below(nested, path[len(nested) + 1 :], hops - 1) if nested else self.has(path)

    def is_on_disk(self, path: str) -> bool:
        """Whether a file that git does not track is there, in a folder without links."""
        steps = [each for each in reversed([path, *_list_above(path)]) if each != "."]
        entries = (self.world.find(f"{self.root}/{each}") for each in steps)
        return all(entry is not None and (entry.kind == "dir" or each == path) for each, entry in zip(steps, entries))

    def list_ends(self, path: str) -> list[str]:
        """The paths that end with this one."""
        return [each for each in self.by_name.get(basename(path).lower(), ()) if each.endswith(f"/{path}")]

    def find_spelling(self, paths: Iterable[str]) -> str | None:
        """The path that differs from one of these in letter case only."""
        small = {path.lower(): path for path in paths}
        same = (each for path in small for each in self.by_name.get(basename(path), ()) if each.lower() in small)
        return next(same, None)

    def read(self, path: str) -> bytes | None:
        """The content of a file of the project; None if it is unreadable or large, or a link out of the project."""
        try:
            return read_file_within(self.world, f"{self.root}/{path}", self.root or "/", MAX_FILE_BYTES)
        except OSError:
            return None

    def list_ignored(self, paths: Iterable[str]) -> set[str]:
        """Which of these paths git ignores, as files or as folders: they are generated, and need not exist here."""
        asked = sorted({path for path in paths if not path.startswith("..")})
        text = "\0".join(name for path in asked for name in (path, f"{path}/"))
        words = ("-c", f"core.excludesFile={os.devnull}", "check-ignore", "-z", "--stdin", "--no-index")
        answer = self.ask_git(*words, stdin=os.fsencode(f"{text}\0")) if asked else []
        if answer is not None:
            return {path.rstrip("/") for path in answer}
        return {path for path in asked if self._is_ignored(path)}

    def _is_ignored(self, path: str) -> bool:
        """The same where git can't be asked: of the lines that match, the last one decides."""
        for step in reversed([path, *_list_above(path)][:-1] or [path]):
            last = ""
            for folder in reversed(list(_list_above(step))):
                for line in self.ignore_lines.get(folder, ()):
                    pattern = line.removeprefix("!").rstrip("/")
                    last = line if matches_glob(pattern, step if folder == "." else step[len(folder) + 1 :]) else last
            if last and not last.startswith("!"):
                return True
        return False

    @lazy
    def ignore_lines(self) -> dict[str, list[str]]:
        """By folder, the lines of its .gitignore."""
        texts = {dirname(path) or ".": self.read(path) or b"" for path in self.files if basename(path) == ".gitignore"}
        return {
            folder: [line.rstrip() for line in text.decode("utf-8", "replace").splitlines() if line.strip("/* \t#")]
            for folder, text in texts.items()
        }

    def find_moves(self, paths: Sequence[str]) -> dict[str, str]:
        """Where git's history moved these files, as far as it can be read in a moment."""
        words = ("log", "-M", "--full-diff", "--diff-filter=R", "--name-status", "--format=", "-z", "--relative")
        pathspecs = [f":(top,literal){path}" for path in paths]
        rows = self.ask_git(*words, "-n200", "--", *pathspecs, seconds=MAX_HISTORY_SECONDS) if paths else None
        moves: dict[str, str] = {}
        for old, new in zip(rows[1::3] if rows else (), rows[2::3] if rows else (), strict=False):
            moves.setdefault(old, moves.get(new, new))  # the latest commit comes first
        return {path: moves[path] for path in paths if moves.get(path) in self.files}


def _list_above(path: str) -> Iterator[str]:
    """The folders above a path, nearest first, and the root, `.`."""
    while path := dirname(path):
        yield path
    yield "."


class Mention(NamedTuple):
    """A file that a text names, and where."""

    kind: Literal["link", "import", "path"]
    target: str
    """As it is written, without a line's number or a part of a page."""
    line: int
    column: int
    is_unsure: bool = False
    """Whether words around it leave open that it exists, or that it is of this project."""
    section: int = 0
    """The line of the heading above."""
    alone: bool = False
    """Whether an import has its line to itself."""


SPAN = re.compile(r"(?<!`)`([^`\n]{1,300})`(?!`)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]\[\n^]{1,200}\]:[ \t]+<?(?P<plain>[^\s<>]{1,500})(?P<angled>)", re.MULTILINE)
NO_PATH = re.compile(
    r"[a-z][a-z0-9+.-]*:|//|[#~@-]|[\w.-]+@"
    r"|(?:origin|upstream|refs|heads|application|text|image|audio|video|feat|fix|chore|tmp|node_modules|dist|build|out"
    r"|target|\.git|\.venv|venv)/",
    re.IGNORECASE,
)
"""How addresses, options and packages begin, types and branches, and what programs write."""
PLACEHOLDER = re.compile(
    r"[*<>{}$|\\\"'=,;!?^&`\[\]()…%]|\.\.\.|\bX{2,}\b|YYYY|\d{4}-\d\d|/(?:blob|tree)/"
    r"|(?:^|[/._-])(?:foo|bar|baz|qux|path|placeholder|xxx+|(?:my|your|some|example)s?)(?=[-_/.A-Z]|$)"
    r"|(?:^|/)(?:My|Your|Some|Example|Foo)[A-Z]"
)
SHAPE = re.compile(r"[\w.@+~/-]+")
ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,11}$")
POSITION = re.compile(r"(?:::.*|:\d+(?:[-:]\d+)*|#L?\d.*|[.:])$")
CLAUSE_START = re.compile(r"[;:—(|]|\n[ \t]*(?:\n|[-*#|>]|\d+\.)|[.!?]\s")
CLAUSE_END = re.compile(r"[;—|)]|\n[ \t]*\n|[.!?](?:\s|$)")
BEFORE = re.compile(
    r"\b(?:(?:re)?creat\w+|(?:re)?generat\w+|writ(?:es?|ing|ten)|sav(?:e[sd]?|ing)|scaffold\w*|produc(?:e[sd]?|ing)"
    r"|emit\w*|outputs?|stor(?:e[sd]?|ing)|add(?:s|ed|ing)?|renam\w+|mov(?:e[sd]?|ing)|new|instead of|replaces?|like"
    r"|say|if|when|whether|unless|no|without|not|never|don't|doesn't|avoid|removed?|deleted?|formerly|was|were)"
    r"\W+(?:\w+\W+){0,4}$",
    re.IGNORECASE,
)
"""Words that govern a name behind them, which then need not exist."""
AFTER = re.compile(
    r"\W*(?:(?:\w+\W+){0,3}would\b|if (?:it|they|present|any|missing)|when present|exists?\b|does(?:n't| not) exist"
    r"|no longer|is (?:missing|absent|present|created|generated|written|gone)"
    r"|optional|generated|example|not (?:in|committed|tracked)|gitignored)",
    re.IGNORECASE,
)
EXAMPLE = re.compile(
    r"^[\s>*|-]*(?:\d+\.\s*)?[*_]*(?:for )?examples?\b|(?:→|->|=>)\s*$"
    r"|\b(?:e\.g\.|for (?:example|instance)|such as|mirror\w*|example)[^.]*$",
    re.IGNORECASE,
)
"""What is on the line before an example, or before the new name of something."""
ELSEWHERE = re.compile(
    r"\b(?:that|other|another|external|upstream|separate|sibling|target|their|your|user'?s?|adopter\w*|consumer\w*"
    r"|framework) (?:repo\w*|project\w*|checkout|app\w*|machine|workspace)\b|\bgithub\.com/",
    re.IGNORECASE,
)
IMPORT_LINE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?@(?P<path>[\w.][\w./-]*\.(?:md|mdc|txt))[ \t]*")
INLINE_IMPORT = re.compile(
    r"(?:(?<=[\s(])|^)@(?P<path>\.{0,2}/?(?:[\w.-]+/)+[\w.-]+\.(?:md|mdc))(?=[\s,;:)]|\.?$|\.\s)"
)
WITHOUT_IMPORTS = re.compile(
    r"/\.(?:clinerules|cline|roo|roorules|kilo|kilocode|windsurf|devin|kiro|continue|junie|augment|cursor)(?:/|$)"
)
"""Folders of agents that take `@path` for text, or for a path from the root."""


@cached
def find_imports(page: CheckedFile) -> tuple[Mention, ...]:
    """The files that a page imports, in its order."""
    if page.kind not in ("instructions", "rule", "import"):
        return ()
    lines = ((line.number, line.plain) for line in page.lines if line.sort == "prose" and "@" in line.text)
    return tuple(each for number, bare in lines for each in _find_imports_on_line(number, bare))


def _find_imports_on_line(number: int, bare: str) -> Iterator[Mention]:
    if alone := IMPORT_LINE.fullmatch(bare):
        yield Mention("import", alone["path"], number, alone.start("path"), alone=True)
        return
    for match in INLINE_IMPORT.finditer(bare):
        yield Mention("import", match["path"], number, match.start("path"))


def find_mentions(page: CheckedFile) -> Iterator[Mention]:
    """The links of a page and the paths in its code spans, in its order. Blocks of code name nothing."""
    lines = page.lines
    text = "\n".join("" if line.sort in ("code", "fence") else line.text for line in lines)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    headings = [0, *(line.number for line in lines if line.heading)]
    spans = [match.span() for match in SPAN.finditer(text)]
    end = 0  # of the last link: code in its words names nothing more
    found = (*LINK.finditer(text), *DEFINITION.finditer(text), *SPAN.finditer(text))
    for match in sorted(found, key=re.Match.start):
        is_span = match.re is SPAN
        before = bisect_right(spans, match.span()) - 1
        if match.start() < end or (not is_span and before >= 0 and match.end() < spans[before][1]):
            continue  # a link that is shown as code
        group = 1 if is_span else "angled" if match["angled"] else "plain"
        target = match[group] or ""
        if not is_span:
            end = match.end()
            target = unescape_percent(target.partition("#")[0].partition("?")[0].removeprefix("mdc:"))
        target = POSITION.sub("", target.strip())
        if not target or PLACEHOLDER.search(target) or NO_PATH.match(target) or (is_span and not _is_path(target)):
            continue
        row = bisect_right(starts, match.start(group)) - 1
        yield Mention(
            "path" if is_span else "link", target, row + 1, match.start(group) - starts[row] + 1,
            is_unsure(text, *match.span(), starts[bisect_right(starts, match.start()) - 1]),
            headings[bisect_right(headings, row + 1) - 1],
        )  # fmt: skip


def _is_path(span: str) -> bool:
    """Whether code has the form of a path of a project: one word, with a step."""
    return SHAPE.fullmatch(span) is not None and span[0] != "/" and len(span) > 2 and "/" in span and "//" not in span


def is_unsure(text: str, start: int, end: int, row: int = 0) -> bool:
    """Whether the words of its clause, or before it on its line, leave open that a file exists here."""
    before = CLAUSE_START.split(text[max(0, start - 60) : start])[-1]
    after = CLAUSE_END.split(text[end : end + 40], maxsplit=1)[0]
    line = text[max(row, start - 500) : start]
    rest = text[end : end + 500].partition("\n")[0]
    return any((BEFORE.search(before), AFTER.match(after), EXAMPLE.search(line), ELSEWHERE.search(f"{line} {rest}")))


MAX_NEAR = 50
"""Folders that a section speaks of."""


class Subject(NamedTuple):
    """A text whose mentions are looked up."""

    page: CheckedFile
    folders: tuple[str, ...]
    """Its folder, and that of the file that it is a link to, relative to the root."""
    skill: str = ""
    """The folder of the skill that it belongs to."""


class Missing(NamedTuple):
    """A mention of a file that is nowhere."""

    subject: Subject
    mention: Mention
    paths: tuple[str, ...]
    """Where it may have been meant to be, the likeliest first."""
    sure: int
    """3: it should exist; 2: it is a note; less: nobody can know."""


def find_missing(tree: ProjectTree, pages: Iterable[CheckedFile]) -> list[Missing]:
    """The files that pages name, and the other texts of the skills among them, and that are neither there nor made."""
    found = [each for subject in _list_subjects(tree, pages) for each in _find_in_subject(tree, subject)]
    ignored = tree.list_ignored(path for each in found for path in each.paths)
    rest = (each for each in found if ignored.isdisjoint(each.paths))
    return [each for each in rest if tree.whole and not any(map(tree.is_on_disk, each.paths))]


def _list_subjects(tree: ProjectTree, pages: Iterable[CheckedFile]) -> Iterator[Subject]:
    top, known, skills = f"{tree.root}/", set[str](), list[str]()
    for page in pages:
        if page.path.startswith(top) and not page.is_unreadable:
            real = tree.world.real_or_same(page.path)
            path, real = (each.removeprefix(top) for each in (page.path, real if real.startswith(top) else page.path))
            known.add(real)
            is_skill = page.kind == "skill" and basename(real).lower() == "skill.md"
            skills += [dirname(real)] if is_skill and "/" in real else []
            folders = tuple(dict.fromkeys(dirname(each) or "." for each in (path, real)))
            yield Subject(page, folders, dirname(real) if is_skill else "")
    texts = sorted(path for path in tree.files if path.endswith(".md")) if skills else []
    for skill in skills:
        for path in texts:
            if path.startswith(f"{skill}/") and path not in known and (data := tree.read(path)):
                known.add(path)
                page = CheckedFile(readable_path(top + path), data.decode("utf-8", "replace"), "skill", read=False)
                yield Subject(page, (dirname(path),), skill)


def _find_in_subject(tree: ProjectTree, subject: Subject) -> Iterator[Missing]:
    near, section = list[str](), 0  # the folders that a section speaks of
    for mention in find_imports(subject.page):
        folders = (*subject.folders, ".") if WITHOUT_IMPORTS.search(subject.page.path) else subject.folders
        paths = [normpath(join(folder, mention.target)) for folder in folders]
        if not any(map(tree.has, paths)):
            yield Missing(subject, mention, tuple(paths), 3)
    for mention in find_mentions(subject.page):
        if mention.section != section:
            near, section = [], mention.section
        is_link = mention.kind == "link"
        missing = _judge_link(tree, subject, mention) if is_link else _judge_path(tree, subject, mention, near)
        if missing and missing.sure - mention.is_unsure >= 2:
            yield missing._replace(sure=missing.sure - mention.is_unsure)


def _judge_link(tree: ProjectTree, subject: Subject, mention: Mention) -> Missing | None:
    """A link begins at the folder of its own file; with `/`, at the root."""
    target = mention.target
    paths = [normpath(join(folder, target)) for folder in subject.folders]
    if target.startswith("/"):
        paths = [normpath(target.lstrip("/"))]
        if paths[0].partition("/")[0] not in tree.folders:
            return None  # an address of a site
    if any(tree.has(path) or path in tree.modules for path in paths):
        return None
    is_file = ENDING.search(target) or target.endswith("/") or target.startswith(".")
    if not is_file and dirname(paths[0]) not in tree.folders:
        return None
    return Missing(subject, mention, tuple(paths), 3 if is_file else 2)


def _judge_path(tree: ProjectTree, subject: Subject, mention: Mention, near: list[str]) -> Missing | None:
    """A path in code begins at its file's folder, in the package that the file is about, at the root, or near."""
    ref = normpath(mention.target)
    paths: dict[str, str] = {}  # with the folder at which each begins
    for base in (*subject.folders, subject.skill, *_list_package(subject), *near):
        paths.setdefault(normpath(join(base, ref)), base)
    paths = {path: base for path, base in paths.items() if not path.startswith("..")}
    for path in paths:
        if tree.has(path) or (path in tree.modules and mention.target[-1] != "/"):
            near[:] = [*near, path if path in tree.folders else dirname(path) or "."][-MAX_NEAR:]
            return None
    ends = tree.list_ends(ref.removeprefix("../"))
    if ends or not paths:
        near[:] = [*near, *(ends[0][: -len(ref) - 1] for _ in ends if len(ends) == 1)][-MAX_NEAR:]
        return None
    own = {*subject.folders, subject.skill} if subject.skill else set()
    sure = max(_rate_path(tree, mention.target, [base for base in paths.values() if base not in own]), 0)
    sure = max(sure, min(_rate_path(tree, mention.target, [base for base in paths.values() if base in own]), 2))
    is_tools = ref.partition("/")[0] in AGENT_FOLDERS or match_known_file(ref) is not None
    return Missing(subject, mention, tuple(paths), min(sure, 2) if is_tools or ref.startswith("../") else sure)


def _list_package(subject: Subject) -> Iterator[str]:
    """The folders above a text, nearest first; those in a hidden folder are not what it is about."""
    path = subject.folders[-1]
    hidden = re.search(r"(?:^|/)\.\w", path)
    top = path[: hidden.start()] if hidden else path
    yield top or "."
    yield from _list_above(top)


def _rate_path(tree: ProjectTree, target: str, bases: Iterable[str]) -> int:
    """How sure it is that a path should be here, by how much of it is."""
    steps = normpath(target).split("/")
    is_file = bool(ENDING.search(target)) or target[-1] == "/"
    depth = max((_count_steps(tree, base, steps) for base in bases), default=0)
    parent = "/".join(steps[:-1])
    is_near = 0 < depth == len(steps) - 1 or (
        len(steps) > 2 and sum(each in tree.folders for each in tree.list_ends(parent)) == 1
    )
    return 3 if is_near and is_file else 2 if is_near or (depth and is_file) else 1


def _count_steps(tree: ProjectTree, base: str, steps: list[str]) -> int:
    """How many folders of a path there are, from that one."""
    count = 0
    while count < len(steps) - 1 and (base := normpath(join(base, steps[count]))) in tree.folders:
        count += 1
    return count


MAX_ALONE = 8
"""Findings of a code in a file, or in a skill; more of them are one."""
BROKEN_IMPORT, BROKEN_LINK, MISSING_PATH = "broken-import", "broken-link", "missing-path"
CODES = {"import": BROKEN_IMPORT, "link": BROKEN_LINK, "path": MISSING_PATH}
NOUNS = {BROKEN_IMPORT: "imports", BROKEN_LINK: "links", MISSING_PATH: "paths"}
MISSED = "import-missing"
"""The diagnostic of a recipe that follows imports."""


@cached
def open_tree(inputs: CheckInput) -> ProjectTree | None:
    """The files of the project; None where nothing is known of it, as for a saved state."""
    return ProjectTree(inputs.project.world, inputs.root) if inputs.project.world and inputs.root else None


@cached
def check_references(inputs: CheckInput) -> tuple[Finding, ...]:
    """The findings of all codes: one for each file that a text names, or one for many of them."""
    tree = open_tree(inputs)
    if tree is None:
        return ()
    groups: dict[tuple[str, str, str], list[Missing]] = {}
    for each in find_missing(tree, inputs.pages):
        key = (CODES[each.mention.kind], each.subject.page.path, normpath(each.mention.target))
        groups.setdefault(key, []).append(each)
    lumps: dict[tuple[str, str, str], list[list[Missing]]] = {}
    for (code, path, _), group in groups.items():
        group.sort(key=lambda each: (-each.sure, each.mention.line))
        lumps.setdefault((code, group[0].subject.skill or path, _choose_severity(group[0])), []).append(group)
    single = [group for lump in lumps.values() if len(lump) <= MAX_ALONE for group in lump]
    hints = _explain_places(tree, [group[0] for group in single])
    many = (_make_lump(lump) for lump in lumps.values() if len(lump) > MAX_ALONE)
    return (*(_make_finding(group, hint) for group, hint in zip(single, hints, strict=True)), *many)


def _choose_severity(missing: Missing) -> Severity:
    if missing.sure < 3:
        return "info"
    kind, read = missing.mention.kind, missing.subject.page.kind != "skill"
    return "error" if (kind == "link" and read) or missing.mention.alone else "warning"


def _explain_places(tree: ProjectTree, missing: Sequence[Missing]) -> list[str]:
    """What is known of where each file is instead."""
    hints = [_explain_place(tree, each) for each in missing]
    moved = tree.find_moves(
        [path for each, hint in zip(missing, hints, strict=True) for path in each.paths[:3] if not hint]
    )
    news = (next((moved[path] for path in each.paths if path in moved), "") for each in missing)
    return [
        hint or (f"it was renamed to `{readable_path(new)}`" if new else "")
        for hint, new in zip(hints, news, strict=True)
    ]


def _explain_place(tree: ProjectTree, missing: Missing) -> str:
    if spelling := tree.find_spelling(missing.paths):
        return f"the file is `{readable_path(spelling)}`, and names are case-sensitive"
    name = basename(missing.paths[0])
    same = [path for path in tree.by_name.get(name.lower(), ()) if basename(path) == name and path in tree.files]
    return f"now at `{readable_path(same[0])}`" if len(same) == 1 else ""


def _make_finding(group: Sequence[Missing], hint: str) -> Finding:
    first = group[0]
    lines = sorted({each.mention.line for each in group} - {first.mention.line})
    also = f"; also on line {', '.join(map(str, lines))}" if lines else ""
    target, code = first.mention.target, CODES[first.mention.kind]
    if code == BROKEN_IMPORT:
        what = f"`@{target}` imports a file that does not exist"
    else:
        what = f"`{target}` does not exist" if code == MISSING_PATH else f"the link target `{target}` does not exist"
    fix = (
        "fix the path or remove it"
        if code == MISSING_PATH
        else "fix the path; it is relative to the folder of this file"
    )
    where = first.subject.page.path, first.mention.line, first.mention.column
    return Finding(code, _choose_severity(first), f"{what}: {hint or fix}{also}", *where)


def _make_lump(groups: Sequence[Sequence[Missing]]) -> Finding:
    """One finding for many of one file, or of one skill: they have one cause."""
    first, second = groups[0][0], groups[1][0]
    code, pages = CODES[first.mention.kind], len({group[0].subject.page.path for group in groups})
    where = f"in {pages} files of this skill" if pages > 1 else "of this file"
    names = f"`{first.mention.target}`, `{second.mention.target}`"
    message = f"{len(groups)} {NOUNS[code]} {where} lead to nothing, such as {names}: fix the paths or remove them"
    place = first.subject.page.path, first.mention.line, first.mention.column
    return Finding(code, _choose_severity(first), message, *place)


def _list_paths(inputs: CheckInput) -> Iterator[Finding]:
    return (each for each in check_references(inputs) if each.code == MISSING_PATH)


def _list_links(inputs: CheckInput) -> Iterator[Finding]:
    return (each for each in check_references(inputs) if each.code == BROKEN_LINK)


def _list_imports(inputs: CheckInput) -> Iterator[Finding]:
    """Agents that know imports drop those that lead to nothing, most without a word."""
    found = [each for each in check_references(inputs) if each.code == BROKEN_IMPORT]
    yield from found
    known = {(each.path, each.line, each.message.partition(" ")[0].strip("`")) for each in found}
    for note in inputs.prompt.diagnostics:  # the recipe itself may look elsewhere, as under home
        if note.code == MISSED and (note.path, note.line, note.message.partition(" ")[0]) not in known:
            yield Finding(BROKEN_IMPORT, note.level, note.message, note.path, note.line, note.column)


RULES = (
    CheckRule(MISSING_PATH, "warning", "a path that does not exist in the project", _list_paths),
    CheckRule(BROKEN_LINK, "error", "a link to a file that does not exist", _list_links),
    CheckRule(BROKEN_IMPORT, "error", "an import of a file that does not exist", _list_imports, frozenset((MISSED,))),
)
