"""What may stand around frontmatter so that some agents do not know it as such."""

from typing import Literal

Spoiler = Literal["bom", "blank-lines", "unended", "blanks-after-first", "blanks-after-last"]
"""A byte order mark or blank lines before it; no last line; blanks behind the dashes of its first or last line."""
