"""What users read is plain technical English: no word of our own where the field has one."""

import re
from functools import cache

import pytest

from .visible_text import Text, visible_text

FORBIDDEN = {
    r"one's|\bby what one\b|\bone sees\b": "you, your, or the thing itself",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\bfor want of\b": "to fit, or: because there is no",
    r"\b(?:is|are) told\b|\btold (?:in|to|of|as|here|once|twice|whole|by)\b": "loaded, sent, listed, reported",
    r"\b(?:brings|brought)\b(?! you nearer)": "loads, imports, adds",
    r"\bpass(?:es|ed) over\b": "skipped",
    r"\bswitch(?:es|ed) off\b": "disabled, hidden by",
    r"\bshadowed\b": "hidden by",
    r"(?<!^)\bleft out\b|^left out\b(?!$)": "skipped, or dropped to fit the budget",
    r"\b(?:lies|lie) (?:in|at|on|there|here|above|below|beside|under|where)\b": "is",
    r"(?<!there )(?<!There )\b(?:is|are|was) no "
    r"(?!longer\b|more\b|such\b|[a-z]+ (?:for|in|of|on|to|at|with|that|here|left)\b)": "is not a",
    r"\bof which (?:none|one|some|all|each|the)\b": "a second sentence",
    r"\bthat there (?:is|are)\b": "a plain order of words",
    r"\b(?:its|whose|a project's|somebody's) word\b": "trust, approve",
    r"\banew\b": "again",
    r"\ball the same\b": "anyway",
    r"\bhas not(?= *[.,;:]|$)": "does not have, does not support",
    r"\bcomes to nothing\b|\bgoes for nothing\b": "has no effect",
    r"\bat a glance\b|\bfates\b|\bstrangers?\b|\bway out\b|\bpassages?\b(?! of a file)": "the vocabulary",
    r"\bLeave (?:it|one|them|\S+) (?:out|away)\b|\bLeave out\b|\bleft away\b": "omit, remove",
    r"\bno answer came\b|\bgave no answer\b": "no response",
    r"\b[Cc]annot be read\b": "can't be read",
    r"\bnests deeper\b": "nested too deeply",
    r"\bas by a\b": "as a",
    r"\bask for (?:two|different) things\b": "can't be combined",
    r"\bin no table\b": "unknown",
    r"\bgives? back\b|\bbrings? back\b": "is read from the cache, restores",
    r"\bthe (?:call|turn) before(?: it)?\b": "the previous call or turn",
    r"\bhand(?:s|ed)? (?:it |them )?over\b": "pass",
    r"\bturned off\b": "disabled",
    r"\bseen in runs\b|\bSeen in runs\b": "seen in a run",
    r"\bno other run\b": "nothing, or: 1 newer run",
    r"\bfor a million (?:input|output)\b": "per million",
}
"""What is not said, and what is said instead."""
EXEMPT = {
    "src/overture/model/recipe/cut_to_beginning.py": r"characters are left out",
    "src/overture/recipes/moltis/persona.py": r"characters are left out from here on",
    "src/overture/recipes/moltis/soul.md": r"Leave out the applause",
    "src/overture/recipes/opal/recipe.py": r"The passage to (?:replace|put in its place)",
    "": r'broken = "mended"|\bmended: values are quoted first',
}
"""Where a text begins with such a path, these words stay.

The four paths are text of a prompt, which is part of what a recipe promises, byte for byte. `mended` is a value that a
recipe in TOML may have.
"""


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_no_text_uses_a_word_of_our_own(pattern: str) -> None:
    """A reader finds the words that other tools use."""
    found = [f"{path}:{line}: {text!r}" for path, line, text in _texts() if re.search(pattern, text)]
    assert not found, f"Say {FORBIDDEN[pattern]}: " + "\n".join(found)


@cache
def _texts() -> tuple[Text, ...]:
    return tuple((path, line, _judged(path, text)) for path, line, text in visible_text())


def _judged(path: str, text: str) -> str:
    """A text without the words that may stay there."""
    for start, words in EXEMPT.items():
        if path.startswith(start):
            text = re.sub(words, "", text)
    return text
