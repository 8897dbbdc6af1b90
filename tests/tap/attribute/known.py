"""Files in memory as an index, and what a text is attributed to, in short."""

from collections.abc import Mapping

from overture.tap.attribute.anchor_index import FileOnDisk, SourceIndex, make_anchors
from overture.tap.attribute.attribute_text import ANY, LikelyFiles, attribute_text


def index_of(files: Mapping[str, str]) -> SourceIndex:
    """The index of these files."""
    return SourceIndex(
        make_anchors([FileOnDisk(path, len(text), 1) for path, text in files.items()], files.get), files.get
    )


def told(
    text: str, files: Mapping[str, str], likely: LikelyFiles = ANY
) -> list[tuple[str, int | None, int | None, str]]:
    """Each span: what it is from, the first line, the last line, and what was done to it."""
    spans = attribute_text(text, index_of(files), likely)
    return [(span.path, span.line, span.last_line, span.how) for span in spans]
