"""What stands in backticks -> a path of the project, or None: many things that have a slash are no paths."""

import re

from ...model.other_tools import known_as

SHAPE = re.compile(r"(?:\./)?(?:[\w.@+-]+/)+(?:[\w.@+-]+)?")
LINES = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$")
FILE = re.compile(
    r"\.(?:md|mdx|mdc|rst|txt|py|pyi|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|rs|go|java|kt|kts|rb|php|cs|c|h|cc|cpp|hpp|swift"
    r"|scala|ex|exs|sh|bash|zsh|ps1|sql|json|jsonc|toml|ya?ml|ini|cfg|css|scss|html|graphql|proto|tf|gradle|xml)$"
)
STAND_INS = re.compile(
    r"(?i:(?:^|[/._-])(?:path|to|foo|bar|baz|qux|your|my|some|name|example|examples|sample|placeholder|xxx+|new|feature"
    r"|component|module|package|file|filename|dir|folder|thing|widget|hello|x|y|z|a|b|n|id|owner|repo|org|username)"
    r"(?=[/._-]|$))|(?:^|[/._-])(?:your|my|foo|some|example|My|Your|Foo|Some|Example)(?=[A-Z_-])"
    r"|[A-Z]{2,}[_-]?(?:NAME|ID)|YYYY|XX|\d{4}-\d\d"
)
CAPITALS = re.compile(r"(?:^|/)(?:NAME|ID|X|Y|N|FOO|BAR|PATH|FILE|DIR|VERSION|MODULE|PACKAGE|PROJECT)(?=[/._-]|$)")
ELSEWHERE = frozenset(
    (
        *("node_modules", "dist", "build", "out", "target", "coverage", ".venv", "venv", "env", "__pycache__", ".git"),
        *(".next", ".cache", "tmp", "temp", "logs", "log", "bin", "obj", "site-packages", ".idea", ".vscode", ".turbo"),
        *(".nx", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", "generated", "__generated__"),
        *("etc", "usr", "var", "opt", "proc", "dev", "home", "root", "mnt", "application", "text", "image", "audio"),
        *("video", "multipart", "origin", "upstream", "refs", "feat", "fix", "chore", "release", "hotfix", "bugfix"),
    )
)
"""First steps of what is made by a build, lies elsewhere on the machine, or is no path at all: a type, a branch."""
UNSURE = re.compile(
    r"\b(?:e\.g\.|eg\.|i\.e\.|for example|for instance|examples?|such as|like|(?:re)?creat(?:e|es|ed|ing|ion)"
    r"|generat(?:e|es|ed|ing)|add(?:s|ed|ing)?|writ(?:e|es|ing|ten) (?:it|them|to|an?|the|in|into|your|new)"
    r"|sav(?:e|es|ed|ing)|outputs?|emit(?:s|ted)?|append(?:s|ed)?"
    r"|produce[sd]?|new|nam(?:e|ed|ing)|call(?:ed)? it|if (?:it|they|one|present|you|an?|the|there|any)|when present"
    r"|optional(?:ly)?|would|could|might|may|was|were|used to|no longer|remov(?:e|ed|ing)|delet(?:e|ed|ing)|old|legacy"
    r"|deprecated|formerly|previously|instead of|renam(?:e|ed|ing)|mov(?:e|ed|ing)|never|not|don't|doesn't|won't|avoid"
    r"|ignor(?:e|ed|ing)|exclud(?:e|ed|ing)|patterns?|templates?|imagine|suppose|pretend|hypothetical|bad|wrong|becomes?"
    r"|branch(?:es)?|container|mount(?:s|ed)?|upload|download|install(?:s|ed)?|cop(?:y|ies|ied)|clone[sd]?|put"
    r"|symlink(?:s|ed)?|(?:that|another|other|separate|sibling|private|public) repo(?:s|sitor(?:y|ies))?|store[sd]?"
    r"|planned|future|todo|will|upstream|external)\b|→|->|=>",
    re.IGNORECASE,
)
"""Words on a line that speak of files which need not be there."""


def is_path(written: str, line: str, said: str = "") -> str | None:
    """The path that stands in backticks, where it is surely one that should be there.

    `said` is the whole paragraph: what a line says of a file may begin on the one above.
    """
    path = LINES.sub("", written)
    if not SHAPE.fullmatch(path) or "@" in path.partition("/")[0] or "//" in path or path.startswith(("../", "-")):
        return None
    path = path.removeprefix("./")
    first = path.partition("/")[0]
    if not path or first in ELSEWHERE or STAND_INS.search(path) or CAPITALS.search(path) or "..." in path:
        return None
    # `.github/copilot-instructions.md` is what a tool reads, wherever there is one.
    if not (FILE.search(path) or path.endswith("/")) or known_as(path) is not None:
        return None
    unsure = UNSURE.search(line.replace(written, " ")) or UNSURE.search(_sentence(said, written))
    return None if unsure else path


def _sentence(said: str, written: str) -> str:
    """The sentence in which something is written first."""
    at = said.find(f"`{written}")
    begin = max(said.rfind(end, 0, max(at, 0)) for end in (". ", "? ", "! ", "; "))
    return said[begin + 1 : max(at, 0)]
