"""Finds files over the limits of known agents, and the line at which each agent stops reading."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

from ..rule import CheckedFile, CheckInput, CheckRule, Finding

LimitEvidence = Literal["run", "code", "docs"]
LimitUnit = Literal["bytes", "characters"]


class AgentLimit(NamedTuple):
    """What one agent takes of a file, or of several together."""

    agent: str
    proof: LimitEvidence
    unit: LimitUnit
    most: int
    names: tuple[str, ...]
    """Paths below a folder of the project, with `*` for a name."""
    beyond: str
    """What becomes of the rest, in words."""
    together: Literal["", "root first", "nearest first"] = ""
    """Whether all such files share the limit, and which of them is served first."""
    one_each: bool = False
    """Whether only the first of these names counts in a folder."""


AGENT_LIMITS = (
    AgentLimit(
        "Codex CLI 0.166",
        "run",
        "bytes",
        32_768,
        ("AGENTS.override.md", "AGENTS.md"),
        "cuts here, in silence; `project_doc_max_bytes` in its config.toml allows more",
        "root first",
        one_each=True,
    ),
    AgentLimit(
        "Factory droid 0.225",
        "run",
        "characters",
        80_000,
        ("CLAUDE.md", "AGENTS.md"),
        "cuts here",
        "nearest first",
    ),
    AgentLimit(
        "gptme 0.35",
        "run",
        "characters",
        100_000,
        ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", ".cursorrules", ".windsurfrules"),
        "cuts here",
    ),
    AgentLimit(
        "Goose", "code", "bytes", 131_072, (".goosehints", "AGENTS.md"), "follows no `@` import of a larger file"
    ),
    AgentLimit("Zed", "code", "bytes", 102_400, ("skills/*/SKILL.md",), "does not load a larger skill"),
    AgentLimit(
        "Devin Desktop (Windsurf)",
        "docs",
        "characters",
        12_000,
        (".windsurf/rules/*.md", ".devin/rules/*.md"),
        "takes no more of a rule, by its documentation",
    ),
    AgentLimit(
        "Antigravity",
        "docs",
        "characters",
        12_000,
        (".agents/rules/*.md", ".agent/rules/*.md"),
        "takes no more of a rule, by what is said of it",
    ),
)


# Files over the limits of known agents, and the line at which each of them stops reading.


CODE = "over-agent-limit"


def check_agent_limits(ground: CheckInput) -> Iterator[Finding]:
    """One finding for each file that an agent does not take whole."""
    for limit in AGENT_LIMITS:
        pages = [page for page in ground.pages if _is_counted(limit, page, ground.root)]
        if limit.one_each:
            pages = _first_names(limit, pages)
        left = limit.most
        # What lies deeper is read later; the order within a folder is that of the names.
        for page in sorted(pages, key=lambda page: _limit_order(limit, page)):
            size = _size(limit, page.text)
            if size > left:
                yield _finding(limit, page, size, left)
            left = max(0, left - size) if limit.together else limit.most


def _is_counted(limit: AgentLimit, page: CheckedFile, root: str) -> bool:
    inside = not root or page.path.startswith(root.rstrip("/") + "/")
    return inside and page.kind in ("instructions", "rule", "skill") and _place(limit, page) is not None


def _place(limit: AgentLimit, page: CheckedFile) -> int | None:
    """Which of the names a page has."""
    for index, name in enumerate(limit.names):
        steps = page.path.split("/")[-1 - name.count("/") :]
        if fnmatchcase("/".join(steps), name):
            return index
    return None


def _limit_order(limit: AgentLimit, page: CheckedFile) -> tuple[int, int]:
    depth = page.path.count("/")
    return (-depth if limit.together == "nearest first" else depth), _place(limit, page) or 0


def _first_names(limit: AgentLimit, pages: Sequence[CheckedFile]) -> list[CheckedFile]:
    first: dict[str, CheckedFile] = {}
    for page in sorted(pages, key=lambda page: _limit_order(limit, page)):
        first.setdefault(page.path.rpartition("/")[0], page)
    return list(first.values())


def _size(limit: AgentLimit, text: str) -> int:
    return len(text.encode("utf-8", "replace")) if limit.unit == "bytes" else len(text)


def _finding(limit: AgentLimit, page: CheckedFile, size: int, left: int) -> Finding:
    line = 1 + _start(limit, page.text, left).count("\n")
    of = "of all such files together" if limit.together else "of a file"
    does = limit.beyond if left else "takes nothing of it"
    rest = f" where {left:,} are left" if left < limit.most else ""
    message = (
        f"{limit.agent} {does}: it takes {limit.most:,} {limit.unit} {of}, and this one has {size:,}{rest}; move what "
        "is for a few tasks into skills or files of their own"
    )
    return Finding(CODE, "info" if limit.proof == "docs" else "warning", message, page.path, line)


def _start(limit: AgentLimit, text: str, left: int) -> str:
    return text.encode("utf-8", "replace")[:left].decode("utf-8", "ignore") if limit.unit == "bytes" else text[:left]


RULES = (CheckRule(CODE, "warning", "a file that a known agent does not take whole", check_agent_limits),)
