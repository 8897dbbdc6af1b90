"""What a text is attributed to, and what was sent of each file, in short."""

from collections.abc import Mapping

from overture.tap.attribute.attribute_call import summarize_file
from overture.tap.attribute.files_of_call import SentFile, TextSpan
from overture.tap.attribute.source_lines import ANY, LikelyFiles, attribute_texts


def attribute_text(text: str, files: Mapping[str, str], likely: LikelyFiles = ANY) -> tuple[TextSpan, ...]:
    """The spans of one text."""
    return attribute_texts([text], files, likely)[0][0]


def summarize(text: str, files: Mapping[str, str]) -> list[SentFile]:
    """What of each file a text has, in the order in which they come."""
    (spans,), sources = attribute_texts([text], files)
    paths = dict.fromkeys(span.path for span in spans)
    return [summarize_file(path, [each for each in spans if each.path == path], sources[path]) for path in paths]


def told(
    text: str, files: Mapping[str, str], likely: LikelyFiles = ANY
) -> list[tuple[str, int | None, int | None, str]]:
    """Each span: what it is from, the first line, the last line, and what was done to it."""
    return [(span.path, span.line, span.last_line, span.how) for span in attribute_text(text, files, likely)]
