"""Words and names as a sentence has them. Names stand in backticks, as Markdown has them."""

from collections.abc import Iterable


def listed(words: Iterable[str], last: str = "and") -> str:
    """`a, b and c`."""
    given = list(words)
    return f" {last} ".join([", ".join(given[:-1]), given[-1]] if len(given) > 1 else given)


def quoted(names: Iterable[str], last: str = "and") -> str:
    """The same, each in backticks."""
    return listed([f"`{name}`" for name in names], last)


def begun(words: str) -> str:
    """As the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def plain(words: str) -> str:
    """Words for a terminal."""
    return words.replace("`", "")
