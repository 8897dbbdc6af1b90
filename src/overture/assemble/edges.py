"""The two ends of a block: it begins and ends with a character, whatever it was made from."""

from msgspec import structs

from ..model.source import Source


def trim(texts: list[str], sources: list[Source], *, keep_indent: bool) -> None:
    """No blank lines at the ends; without a frame, no blanks either."""
    while texts and not texts[0].strip():
        del texts[0], sources[0]
    while texts and not texts[-1].strip():
        del texts[-1], sources[-1]
    if texts and texts[0][0].isspace():
        texts[0], sources[0] = _without_blank_lines(texts[0], sources[0], keep_indent)
    if texts and texts[-1][-1].isspace():
        texts[-1] = texts[-1].rstrip()


def _without_blank_lines(text: str, source: Source, keep_indent: bool) -> tuple[str, Source]:
    kept = text.lstrip()
    start = len(text) - len(kept)
    lines = text.count("\n", 0, start)
    if keep_indent:
        kept = text[text.rfind("\n", 0, start) + 1 :]
    if lines and source.line is not None:
        source = structs.replace(source, line=source.line + lines)
    return kept, source
