"""Finds what texts for agents name and the project lacks: files in links, imports and backticks."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from posixpath import basename, dirname, join, normpath, relpath
from typing import Literal, NamedTuple

from ..known_agents.file_owners import AGENT_FOLDERS, match_known_file
from ..lazy import cached
from ..text.escape import unescape_percent
from ..text.markdown import LINK
from ..text.path_printer import readable_path
from .findings import CheckRule, Finding, Severity
from .input import CheckedFile, CheckInput
from .project_tree import ProjectTree, list_above

MAX_NEAR = 50
"""Folders that a section speaks of."""
MAX_ALONE = 8
"""Findings of a code in a file, or in a skill; more of them are one."""
Code = Literal["broken-import", "broken-link", "missing-path"]


class Mention(NamedTuple):
    """A file that a text names, where, and the text around it."""

    code: Code
    """What it is if the file does not exist."""
    target: str
    line: int
    column: int
    section: int = 0
    """The line of the heading above."""
    before: str = ""
    after: str = ""
    alone: bool = False
    """Whether an import has its line to itself."""


SPAN = re.compile(r"(?<!`)`([^`\n]{1,300})`(?!`)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]\[\n^]{1,200}\]:[ \t]+<?(?P<plain>[^\s<>]{1,500})", re.MULTILINE)
NO_PATH = re.compile(
    r"(?!mdc:)[a-z][a-z0-9+.-]*:|//|[#~@-]|[\w.-]+@|\W*$|(?:origin|upstream|refs|heads|application|text|image|audio|video"
    r"|feat|fix|chore|tmp|node_modules|dist|build|out|target|\.git|\.venv|venv)/",
    re.IGNORECASE,
)
"""How addresses, options and packages begin, types and branches, and what programs write."""
PLACEHOLDER = re.compile(
    r"[*<>{}$|\\\"'=,;!?^&`\[\]()…%]|\.\.\.|\bX{2,}\b|YYYY|\d{4}-\d\d|/(?:blob|tree)/"
    r"|(?:^|[/._-])(?:foo|bar|baz|qux|path|placeholder|xxx+|(?:my|your|some|example)s?)(?=[-_/.A-Z]|$)"
    r"|(?:^|/)(?:(?:My|Your|Some|Example|Foo)[A-Z]|(?:name|namespace|filename|[A-Z]\w*Name)(?=[/.]|$))"
)
PATH_SHAPE = re.compile(r"(?!/|.*//)(?=.*/)[\w.@+~/-]{3,}")
ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,11}$|/$")
POSITION = re.compile(r"(?:::.*|:\d+(?:[-:]\d+)*|#L?\d.*|[.:])$")
SENTENCE_START = re.compile(r"\n[ \t]*(?:\n|[-*#|>]|\d+\.)|[.!?]\s")
CLAUSE_START = re.compile(rf"[;:—(|]|{SENTENCE_START.pattern}")
CLAUSE_END = re.compile(r"[;—|)]|\n[ \t]*\n|[.!?](?:\s|$)")
BEFORE = re.compile(
    r"\b(?:(?:re)?(?:creat|generat)\w+|writ(?:e|ing|ten)\w*|sav(?:e|ing)\w*|scaffold\w*|produc(?:e|ing)\w*|emit\w*"
    r"|outputs?|stor(?:e|ing)\w*|add(?:s|ed|ing)?|renam\w+|mov(?:e|ing)\w*|remov\w+|delet\w+|new|instead of|rather than"
    r"|replaces?|like|say|if|when|whether|unless|no|without|not|never|don't|doesn't|avoid|formerly|was|were)\W+(?:\w+\W+){0,4}$",
    re.IGNORECASE,
)
"""Words that govern a name behind them, which then need not exist."""
AFTER = re.compile(
    r"\W*(?:(?:\w+\W+){0,3}would\b|if (?:it|they|present|any|missing)|when present|exists?\b|does(?:n't| not) exist"
    r"|no longer|is (?:missing|absent|present|created|generated|written|gone)|optional|generated|example|gitignored"
    r"|not (?:in|committed|tracked)|(?:\w+\W+){0,2}(?:has|have|was|were) (?:been )?(?:remov|delet|renam|mov)ed)",
    re.IGNORECASE,
)
EXAMPLE = re.compile(
    r"^[\s>*|-]*(?:\d+\.\s*)?[*_]*(?:(?:for )?examples?|todo)\b|(?:→|->|=>)\s*$"
    r"|\b(?:e\.g\.|for (?:example|instance)|such as|mirror\w*|example)[^.]*$",
    re.IGNORECASE,
)
"""How a sentence goes before an example, or before the new name of something."""
ELSEWHERE = re.compile(
    r"\b(?:that|other|another|external|upstream|separate|sibling|target|their|your|user'?s?|adopter\w*|consumer\w*"
    r"|framework) (?:repo\w*|project\w*|checkout|app\w*|machine|workspace)\b|\bgithub\.com/|\bVMs?\b",
    re.IGNORECASE,
)
"""What a line says of another project or machine."""
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
    found = list[Mention]()
    for line in page.lines if page.kind in ("instructions", "rule", "import") else ():
        if line.sort == "prose" and "@" in line.text:
            alone = IMPORT_LINE.fullmatch(line.plain)
            matches = [alone] if alone else INLINE_IMPORT.finditer(line.plain)
            make = partial(Mention, "broken-import", line=line.number, alone=bool(alone))
            found += [make(match["path"], column=match.start("path")) for match in matches]
    return tuple(found)


def find_mentions(page: CheckedFile) -> Iterator[Mention]:
    """The links of a page and the paths in its code spans, in its order. Blocks of code name nothing."""
    lines = page.lines
    text = "\n".join("" if line.sort in ("code", "fence") else line.text for line in lines)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    headings = [0, *(line.number for line in lines if line.heading)]
    codes, end = [*SPAN.finditer(text)], 0  # `end` of the last link: its words name nothing
    spans = [(0, 0), *(match.span() for match in codes)]
    for match in sorted((*LINK.finditer(text), *DEFINITION.finditer(text), *codes), key=re.Match.start):
        is_span = match.re is SPAN
        if match.start() < end or (not is_span and match.end() < spans[bisect_right(spans, match.span()) - 1][1]):
            continue  # a link that is shown as code
        group = 1 if is_span else "angled" if match.groupdict().get("angled") else "plain"
        target = (match[group] or "").strip()
        if not is_span:
            end, target = match.end(), target.partition("#")[0].partition("?")[0]
        target = POSITION.sub("", target if is_span else unescape_percent(target))
        if PLACEHOLDER.search(target) or NO_PATH.match(target) or (is_span and not PATH_SHAPE.fullmatch(target)):
            continue
        row = bisect_right(starts, match.start(group))
        place = row, match.start(group) - starts[row - 1] + 1, headings[bisect_right(headings, row) - 1]
        code: Code = "missing-path" if is_span else "broken-link"
        yield Mention(code, target, *place, *cut_around(text, *match.span()))


def cut_around(text: str, start: int, end: int) -> tuple[str, str]:
    """What is read of the text before and after a name."""
    return text[max(0, start - 300) : start], text[end : end + 300]


def is_unsure(before: str, after: str) -> bool:
    """Whether the words around a name leave open that it exists, or that it is of this project."""
    before = SPAN.sub("`", before)
    return bool(
        BEFORE.search(CLAUSE_START.split(before[-60:])[-1])
        or AFTER.match(CLAUSE_END.split(after[:40], maxsplit=1)[0])
        or EXAMPLE.search(SENTENCE_START.split(before)[-1])
        or ELSEWHERE.search(before.rpartition("\n")[2] + after.partition("\n")[0])
    )


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
    lines: tuple[int, ...] = ()
    """Others where its text names it."""

    @property
    def severity(self) -> Severity:
        is_link = self.mention.code == "broken-link" and self.subject.page.kind != "skill"
        return "note" if self.sure < 3 else "error" if is_link or self.mention.alone else "warning"


def find_missing(tree: ProjectTree, pages: Sequence[CheckedFile]) -> list[Missing]:
    """The files that pages, and the other texts of the skills among them, name, and that are neither there nor made."""
    tree.start_listing()  # git reads the disk while we read the pages
    for page in pages:
        page.lines  # noqa: B018
    found = [each for subject in list_subjects(tree, pages) for each in find_in_subject(tree, subject)]
    return drop_ignored(tree, found) if tree.whole else []


def drop_ignored(tree: ProjectTree, found: Sequence[Missing]) -> list[Missing]:
    """Those that git does not ignore. Of a text in an ignored folder, what else is ignored there says nothing."""
    ignored = tree.list_ignored(path for each in found for path in (*each.paths, *each.subject.folders))
    own = {each.subject.page.path: tuple(f"{p}/" for p in each.subject.folders if p in ignored) for each in found}
    rest = [[path for path in each.paths if not path.startswith(own[each.subject.page.path])] for each in found]
    return [each for each, paths in zip(found, rest, strict=True) if ignored.isdisjoint(paths)]


def list_subjects(tree: ProjectTree, pages: Iterable[CheckedFile]) -> Iterator[Subject]:
    """The pages in the project, each with the skill that it is a part of."""
    top, known = f"{tree.root}/", dict[str, tuple[str, CheckedFile]]()
    for page in pages:
        if page.path.startswith(top) and not page.is_unreadable and not NOT_OURS.search(page.path.removeprefix(top)):
            real = tree.world.real_or_same(page.path)
            path, real = (each.removeprefix(top) for each in (page.path, real if real.startswith(top) else page.path))
            known.setdefault(real, (path, page))
    skills = [dirname(real) for real in known if basename(real).lower() == "skill.md"]
    for real, (path, page) in known.items():
        holding = [skill for skill in skills if real.startswith(f"{skill}/")] if page.kind == "skill" else []
        folders = tuple(dict.fromkeys(dirname(each) or "." for each in (path, real)))
        yield Subject(page, folders, max(holding, key=len, default=""))


NOT_OURS = re.compile(
    r"(?:^|/)(?:templates?|fixtures?|__fixtures__|testdata|snapshots|vendor|third_party|node_modules)/"
)
"""Folders with texts for other projects."""
TO_COPY = re.compile(r"/assets/|template[^/]*$", re.IGNORECASE)
"""Texts of a skill whose links count where they are copied to."""


def find_in_subject(tree: ProjectTree, subject: Subject) -> Iterator[Missing]:
    """What one text names and is not there; git may ignore some of it."""
    near, section = list[str](), 0  # the folders that a section speaks of
    is_copied = bool(subject.page.kind == "skill" and TO_COPY.search(subject.page.path))
    for mention in (*find_imports(subject.page), *find_mentions(subject.page)):
        if mention.section != section:
            near, section = [], mention.section
        if mention.code == "missing-path":
            missing = _judge_path(tree, subject, mention, near[-MAX_NEAR:])
        else:
            missing = _judge_link(tree, subject, mention)
        if isinstance(missing, str):
            near.append(missing)
        elif missing and missing.sure >= 2:
            sure = missing.sure - (is_copied or is_unsure(mention.before, mention.after))
            yield from [missing._replace(sure=sure)] if sure >= 2 else ()


def _judge_link(tree: ProjectTree, subject: Subject, mention: Mention) -> Missing | None:
    """A link or an import begins at the folder of its own file; a link with `/`, at the root."""
    target, folders = mention.target, subject.folders
    if target.startswith("mdc:") or (mention.code == "broken-import" and WITHOUT_IMPORTS.search(subject.page.path)):
        folders, target = (".", *folders), target.removeprefix("mdc:")
    paths = [normpath(join(folder, target)) for folder in folders]
    if target.startswith("/"):
        paths = [normpath(target.lstrip("/"))]
        if dirname(paths[0]) not in tree.folders:
            return None  # an address of a site
    if any(tree.has(path) or path in tree.modules for path in paths):
        return None
    is_file = ENDING.search(target) or target[0] == "."
    is_near = "/" in target and dirname(paths[0]) in tree.folders
    return Missing(subject, mention, tuple(paths), 3 if is_file else 2) if is_file or is_near else None


def _judge_path(tree: ProjectTree, subject: Subject, mention: Mention, near: Sequence[str]) -> Missing | str | None:
    """A path in code begins at its file's folder, in the package that the file is about, at the root, or near.

    Of one that is there, the answer is the folder that the section now speaks of.
    """
    ref = normpath(mention.target)
    bases = (*subject.folders, *filter(None, [subject.skill]), *_list_package(subject), *near)
    paths = [path for base in dict.fromkeys(bases) if not (path := normpath(join(base, ref))).startswith("..")]
    for path in paths:
        if tree.has(path) or (path in tree.modules and mention.target[-1] != "/"):
            return path if path in tree.folders else dirname(path) or "."
    is_beside = mention.target[0] == "." and "/" not in ref  # `./x` is not anywhere else
    ends = [] if is_beside else tree.list_ends(ref.replace("../", ""))
    folder = subject.folders[-1]
    # A text in a package speaks of the package's own files, although others have one that ends so.
    is_own = not subject.skill and folder != "." and "/" in ref and join(folder, dirname(ref)) in tree.folders
    if ends and (not is_own or any(path.startswith(f"{folder}/") for path in ends)):
        return ends[0][: -len(ref) - 1] if len(ends) == 1 and ref[0] != "." else None
    outer = [base for base in bases if not subject.skill or not f"{base}/".startswith(f"{subject.skill}/")]
    sure = max(_rate_path(tree, mention.target, outer), min(2, _rate_path(tree, mention.target, bases)))
    if tree.find_spelling(paths):
        return Missing(subject, mention, tuple(paths), 3)
    is_short = subject.skill != "" and "/" not in dirname(ref)  # skills speak of other projects, too
    if ends or is_short or ref.startswith("../") or ref.partition("/")[0] in AGENT_FOLDERS or match_known_file(ref):
        sure = min(2, sure)  # of a tool, in any project
    return Missing(subject, mention, tuple(paths), sure) if paths else None


def _list_package(subject: Subject) -> list[str]:
    """The folder of a text and those above, nearest first. What a file in a hidden folder is about is beside that."""
    path = subject.folders[-1]
    hidden = re.search(r"(?:^|/)\.\w", path)
    top = path[: hidden.start()] if hidden else path
    return [*(() if subject.skill else subject.folders), top or ".", *list_above(top)]


def _rate_path(tree: ProjectTree, target: str, bases: Sequence[str]) -> int:
    """How sure it is that a path should be here: 3 if its folder is, and its form is that of a file."""
    parent, is_file = dirname(normpath(target)), bool(ENDING.search(target))
    steps = [step for step in parent.split("/") if step not in ("..", "")]
    if not steps:
        return 2 if is_file and target.startswith("./") else 1
    first = parent[: parent.index(steps[0]) + len(steps[0])]
    is_near = any(normpath(join(base, parent)) in tree.folders for base in bases)
    if not is_near and len(steps) > 1:
        is_near = sum(path in tree.folders for path in tree.list_ends(parent)) == 1
    begins = is_near or any(normpath(join(base, first)) in tree.folders for base in bases)
    return 3 if is_near and is_file else 2 if is_near or (begins and is_file) else 1


BESIDE = "fix the path; it is relative to the folder of this file"
WORDS: dict[Code, tuple[str, str, str]] = {
    "broken-import": ("imports", "`@{}` imports a file that does not exist", BESIDE),
    "broken-link": ("links", "the link target `{}` does not exist", BESIDE),
    "missing-path": ("paths", "`{}` does not exist in the project", "fix the path or remove it"),
}


@cached
def check_references(inputs: CheckInput) -> tuple[Finding, ...]:
    """The findings of all codes: one for each file that a text names, or one for many of them."""
    tree = find_tree(inputs)
    groups: dict[tuple[Code, str, str], list[Missing]] = {}
    for each in find_missing(tree, inputs.pages) if tree else ():
        groups.setdefault((each.mention.code, each.subject.page.path, normpath(each.mention.target)), []).append(each)
    lumps: dict[tuple[Code, str, Severity], list[Missing]] = {}
    for (code, path, _), group in groups.items():
        first = max(group, key=lambda each: each.sure)
        lines = tuple(sorted({each.mention.line for each in group} - {first.mention.line}))
        lumps.setdefault((code, first.subject.skill or path, first.severity), []).append(first._replace(lines=lines))
    single = [each for lump in lumps.values() if len(lump) <= MAX_ALONE for each in lump]
    texts = [_explain(each, hint) for each, hint in zip(single, _find_hints(tree, single) if tree else (), strict=True)]
    many = [lump for lump in lumps.values() if len(lump) > MAX_ALONE]
    return tuple(
        Finding(each.mention.code, each.severity, text, each.subject.page.path, each.mention.line, each.mention.column)
        for each, text in zip((*single, *(lump[0] for lump in many)), (*texts, *map(_explain_many, many)), strict=True)
    )


def _explain(missing: Missing, hint: str) -> str:
    _, what, fix = WORDS[missing.mention.code]
    also = f"; also on line {', '.join(map(str, missing.lines))}" if missing.lines else ""
    return f"{what.format(missing.mention.target)}: {hint or fix}{also}"


def _explain_many(missing: Sequence[Missing]) -> str:
    """What many of one file, or of one skill, have in common: one cause."""
    pages = len({each.subject.page.path for each in missing})
    where = f"in {pages} files of this skill" if pages > 1 else "of this file"
    names = " and ".join(f"`{each.mention.target}`" for each in missing[:2])
    what = f"{len(missing)} {WORDS[missing[0].mention.code][0]} {where} lead to nothing"
    return f"{what}, such as {names}: fix the paths or remove them"


def _find_hints(tree: ProjectTree, missing: Sequence[Missing]) -> list[str]:
    """What is known of where each file is instead."""
    hints = [_find_hint(tree, each) for each in missing]
    lost = [path for each, hint in zip(missing, hints, strict=True) for path in each.paths[:4] if not hint]
    moves = tree.find_moves(lost[:100])
    new = [next((moves[path] for path in each.paths if path in moves), "") for each in missing]
    moved = [f"now at `{readable_path(path)}`" if path else "" for path in new]
    return [hint or other for hint, other in zip(hints, moved, strict=True)]


def _find_hint(tree: ProjectTree, missing: Missing) -> str:
    name, target = basename(missing.paths[0]), normpath(missing.mention.target)
    if spelled := tree.find_spelling(missing.paths):
        return f"the file is `{readable_path(spelled)}`, and names are case-sensitive"
    if missing.mention.code != "missing-path" and (target in tree.files or target in tree.folders):
        return f"from the folder of this file it is `{relpath(target, missing.subject.folders[-1])}`"
    alike = tree.by_name.get(name.lower(), ()) if missing.mention.target[-1] != "/" else ()
    same = [path for path in alike if basename(path) == name and path in tree.files]
    return f"perhaps now at `{readable_path(same[0])}`, the only file of that name" if len(same) == 1 else ""


@cached
def find_tree(inputs: CheckInput) -> ProjectTree | None:
    """The paths of the project, for all rules about what files name."""
    return ProjectTree(inputs.world, inputs.root) if inputs.world and inputs.root else None


def _list_findings(inputs: CheckInput, code: Code) -> Iterator[Finding]:
    return (each for each in check_references(inputs) if each.code == code)


RULES = (
    CheckRule("missing-path", "warning", "a path that does not exist", partial(_list_findings, code="missing-path")),
    CheckRule(
        "broken-link", "error", "a link to a file that does not exist", partial(_list_findings, code="broken-link")
    ),
    CheckRule(
        "broken-import", "error", "an import of a file that does not exist",
        partial(_list_findings, code="broken-import"),
    ),
)  # fmt: skip
