"""The words of sentences: nouns after numbers, articles, lists of words, shortened texts, sums of money."""

from collections.abc import Sequence


def shorten_text(text: str, max_chars: int) -> str:
    """A text in at most so many characters; if it is cut, the last is `…`."""
    return text if len(text) <= max_chars else f"{text[: max_chars - 1]}…"


def pluralize(number: float, noun: str) -> str:
    """A noun as it follows a number: `problem` after 1, else `problems`; `repository`, `repositories`; `misses`."""
    if abs(number) == 1:
        return noun
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou") else f"{noun}s"


def count_noun(number: float, noun: str) -> str:
    """`1 problem`, `2 problems`, `0.5 seconds`."""
    return f"{f'{number:,}' if isinstance(number, int) else f'{number:g}'} {pluralize(number, noun)}"


SPELLED_OUT = ("npm", "xai")
"""Small words whose first letter is read by its name."""


def choose_article(words: str) -> str:
    """`a` or `an`, as the words after it sound: `an AWS key`, `an xAI key`, `a URL`, `a user`."""
    first = words.split(maxsplit=1)[0] if words.strip() else ""
    if first.lower() in SPELLED_OUT or (first.isupper() and len(first) > 1):
        return "an" if first[0].upper() in "AEFHILMNORSX" else "a"
    starts_with_you = first.lower().startswith(("uni", "use", "usa", "uti", "eu", "one", "once"))
    return "an" if first[:1].lower() in tuple("aeiou") and not starts_with_you else "a"


def join_words(words: Sequence[str]) -> str:
    """`a, b and c`, as a sentence lists them."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def format_money(dollars: float) -> str:
    """`$4.10`; of less than ten cents, four digits."""
    if 0 < dollars < 0.00005:
        return "less than $0.0001"
    return f"${dollars:,.2f}" if dollars >= 0.1 or dollars == 0 else f"${dollars:.4f}"
