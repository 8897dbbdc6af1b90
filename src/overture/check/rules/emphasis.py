"""Finds files in which too much is emphasized: where everything is important, nothing is."""

from collections.abc import Iterator

from ...text.lazy_pattern import compile_on_use
from ..facts.instructions import Instruction, find_instructions
from ..rule import CheckedFile, CheckInput, CheckRule, Finding

CODE = "emphasis-inflation"
LOUD_WORDS = (
    *("IMPORTANT", "MUST", "NEVER", "ALWAYS", "CRITICAL", "CRITICALLY", "MANDATORY", "REQUIRED", "ABSOLUTELY"),
    *("STRICTLY", "FORBIDDEN", "PROHIBITED", "DO NOT", "DON'T", "WARNING", "ATTENTION", "URGENT", "NON-NEGOTIABLE"),
    "EXTREMELY",
)
"""The page of the rule names them all, so that a reader can count again."""
LOUD = compile_on_use(rf"\b(?:{'|'.join(LOUD_WORDS)})\b|!{{2,}}|⚠|🚨|❗|‼")
BOLD = compile_on_use(r"\*\*(?=\S)([^*\n]{12,300})(?<=\S)\*\*(?!\s*[:—–→-])(?<![:?]\*\*)")
"""A stretch of bold words that is no label of a list, nor a question that a list answers."""
CAPITALS = compile_on_use(r"[A-Z]{2}")
QUIET = compile_on_use(r"`[^`\n]{0,300}`|\*\*\[[^\]\n]{1,300}\]\([^)\n]{0,300}\)\*\*")
"""Code, and a link that is bold as a whole."""
MIN_EMPHASIZED = 12
MIN_SHARE = 0.3
"""The part of its instructions that shout."""


def check_emphasis(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for a file that shouts too often, at the place where it begins."""
    for page in inputs.pages:
        if page.kind != "readme":
            yield from _find_emphasis(page)


def _find_emphasis(page: CheckedFile) -> Iterator[Finding]:
    units = find_instructions(page.text)
    loud = [unit for unit in units if _is_loud(unit)]
    if len(loud) >= MIN_EMPHASIZED and len(loud) >= MIN_SHARE * len(units):
        message = (
            f"{len(loud)} of its {len(units)} instructions are emphasised (MUST, NEVER, IMPORTANT, bold, "
            "`!!`): emphasise only the few that matter most, and give reasons for the others"
        )
        yield Finding(CODE, "info", message, page.path, loud[0].line)


def _is_loud(unit: Instruction) -> bool:
    if not _may_be_loud(unit.text):
        return False
    text = QUIET.sub(" ", unit.text)
    return bool(LOUD.search(text) or BOLD.search(text))


def _may_be_loud(text: str) -> bool:
    """Whether it has what all that is loud has: two capitals, stars or exclamation marks in a row, or a sign."""
    return "**" in text or "!!" in text or not text.isascii() or CAPITALS.search(text) is not None


RULES = (CheckRule(CODE, "info", "a file in which nearly everything is emphasised", check_emphasis),)
