"""Files over the limits of known agents, and the line at which each of them stops reading."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from ..finding import Finding
from ..ground import Ground, Page
from ..rule import Rule
from .agent_limits import LIMITS, Limit

CODE = "over-agent-limit"


def look(ground: Ground) -> Iterator[Finding]:
    """One finding for each file that an agent does not take whole."""
    for limit in LIMITS:
        pages = [page for page in ground.pages if _counts(limit, page, ground.root)]
        if limit.one_each:
            pages = _first_names(limit, pages)
        left = limit.most
        # What lies deeper is read later; the order within a folder is that of the names.
        for page in sorted(pages, key=lambda page: _order(limit, page)):
            size = _size(limit, page.text)
            if size > left:
                yield _finding(limit, page, size, left)
            left = max(0, left - size) if limit.together else limit.most


def _counts(limit: Limit, page: Page, root: str) -> bool:
    inside = not root or page.path.startswith(root.rstrip("/") + "/")
    return inside and page.kind in ("instructions", "rule", "skill") and _place(limit, page) is not None


def _place(limit: Limit, page: Page) -> int | None:
    """Which of the names a page has."""
    for index, name in enumerate(limit.names):
        steps = page.path.split("/")[-1 - name.count("/") :]
        if fnmatchcase("/".join(steps), name):
            return index
    return None


def _order(limit: Limit, page: Page) -> tuple[int, int]:
    depth = page.path.count("/")
    return (-depth if limit.together == "nearest first" else depth), _place(limit, page) or 0


def _first_names(limit: Limit, pages: Sequence[Page]) -> list[Page]:
    first: dict[str, Page] = {}
    for page in sorted(pages, key=lambda page: _order(limit, page)):
        first.setdefault(page.path.rpartition("/")[0], page)
    return list(first.values())


def _size(limit: Limit, text: str) -> int:
    return len(text.encode("utf-8", "replace")) if limit.unit == "bytes" else len(text)


def _finding(limit: Limit, page: Page, size: int, left: int) -> Finding:
    line = 1 + _start(limit, page.text, left).count("\n")
    of = "of all such files together" if limit.together else "of a file"
    does = limit.beyond if left else "takes nothing of it"
    rest = f" where {left:,} are left" if left < limit.most else ""
    message = (
        f"{limit.agent} {does}: it takes {limit.most:,} {limit.unit} {of}, and this one has {size:,}{rest}; move what "
        "is for a few tasks into skills or files of their own"
    )
    return Finding(CODE, "info" if limit.proof == "docs" else "warning", message, page.path, line)


def _start(limit: Limit, text: str, left: int) -> str:
    return text.encode("utf-8", "replace")[:left].decode("utf-8", "ignore") if limit.unit == "bytes" else text[:left]


RULES = (Rule(CODE, "warning", "a file that a known agent does not take whole", look),)
