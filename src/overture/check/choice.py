"""Which rules count, and how bad each is: what the caller and the configuration say, as one choice."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from ..discover.configuration.values import Config
from ..errors import ConfigError, nearest
from ..model.struct import Frozen
from .finding import Finding, Severity
from .rules import rules

HYPHEN = re.compile("-")


class Choice(Frozen, frozen=True):
    """The rules that are asked for; each word is a code, or how some codes begin."""

    select: tuple[str, ...] = ()
    """Only these; none: all."""
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = {}
    """How bad a finding is, in place of what its rule says."""
    exclude: tuple[str, ...] = ()
    """Files that are not spoken of: paths below the project, with `*`."""
    comments: bool = True
    """Whether comments in files may ignore findings."""

    def wants(self, code: str) -> bool:
        """Whether a rule counts: the longest word that fits it decides, and `ignore` where both are as long."""
        chosen = _longest(code, self.select) if self.select else 0
        ignored = _longest(code, self.ignore)
        return chosen is not None and (ignored is None or ignored < chosen)

    def judged(self, finding: Finding) -> Severity:
        """How bad a finding is here."""
        word = max((word for word in self.severity if finding.code.startswith(word)), key=len, default=None)
        return self.severity[word] if word is not None else finding.severity

    def excludes(self, path: str | None, root: str) -> bool:
        """Whether a file is not spoken of."""
        if not self.exclude or path is None or not root:
            return False
        below = path.removeprefix(root.rstrip("/") + "/")
        return any(fnmatchcase(below, word) or below.startswith(word.rstrip("/") + "/") for word in self.exclude)


def chosen(config: Config, recipe: str, given: Choice, dashes: str = "") -> Choice:
    """The checks that count: what is given over what is configured; a word that stands for none is an error."""
    values = {name: config.get(f"check.{name}", recipe) for name in ("select", "ignore", "severity", "exclude")}
    for name in ("select", "ignore", "severity"):
        check_words(values[name].value, f"{values[name].origin}: check.{name}")
        check_words(getattr(given, name), f"{dashes}{name}")
    # Whoever asks for a check by its very name wants it, whatever is configured.
    ignored = tuple(word for word in values["ignore"].value if word not in given.select)
    return Choice(
        given.select or values["select"].value,
        (*ignored, *given.ignore),
        {**values["severity"].value, **given.severity},
        values["exclude"].value if given.comments else (),
        given.comments,
    )


def _longest(code: str, words: Iterable[str]) -> int | None:
    return max((len(word) for word in words if code.startswith(word)), default=None)


def check_words(words: Iterable[str], origin: str) -> None:
    """A word that stands for no rule is an error."""
    for word in words:
        if not word or not any(code.startswith(word) for code in rules()):
            near = nearest(word, _beginnings())
            raise ConfigError(f"{origin}: no check is called {word!r:.80}.{near} `overture check --list` has all.")


def _beginnings() -> set[str]:
    """The codes, and the words with which they begin."""
    return {code[:end] for code in rules() for end in (*(m.start() for m in HYPHEN.finditer(code)), len(code))}
