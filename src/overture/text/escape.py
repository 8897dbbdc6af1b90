"""Text is escaped here: for Markdown and XML, and where it holds control tokens of a model."""

import re
from collections.abc import Iterable, Sequence

from .invisible import escape_invisible, escape_to_line
from .normalize import replace_spans

BARS = r"\|[^\s|>]{1,64}\|>"
"""Of `<|im_start|>`, `<|start_header_id|>`: by their form, since new ones come every year."""
WIDE_BARS = "\uff5c[^\uff5c\n]{1,64}\uff5c>"
"""DeepSeek's, with full-width bars."""
ANGLED = (
    "s", "/s", "bos", "eos", "pad", "unk", "mask", "sop", "eop", "think", "/think", "tool_call", "/tool_call",
    "tool_response", "/tool_response", "arg_key", "/arg_key", "arg_value", "/arg_value", "start_of_turn", "end_of_turn",
    "start_of_image", "end_of_image", "osagent_mode", "fim_prefix", "fim_middle", "fim_suffix",
)  # fmt: skip
SQUARE = (
    "INST", "/INST", "AVAILABLE_TOOLS", "/AVAILABLE_TOOLS", "TOOL_CALLS", "TOOL_RESULTS",
    "/TOOL_RESULTS", "TOOL_CONTENT",
    "SYSTEM_PROMPT", "/SYSTEM_PROMPT", "THINK", "/THINK", "IMG", "IMG_BREAK", "IMG_END", "PREFIX", "MIDDLE", "SUFFIX",
    "BOS", "EOS", "EOT", "PAD", "UNK", "CLS", "SEP", "MASK", "gMASK", "sMASK", "start_header_id", "end_header_id",
)  # fmt: skip
PERSONAL = ("EMAIL_ADDRESS", "IP_ADDRESS", "PHONE_NUMBER")

CONTROL_TOKENS = {
    "<": re.compile(f"<(?={BARS}|{WIDE_BARS}|(?:{'|'.join(ANGLED)})>|</?SYS>>)"),
    "]": re.compile(rf"\[(?=(?:{'|'.join(SQUARE)}|unused\d+)\])"),
    "|||": re.compile(rf"\|(?=\|\|(?:{'|'.join(PERSONAL)})\|\|\|)"),
    "/nothink": re.compile("/(?=nothink)"),
}
"""The first character of each, also of those that begin inside another, by a substring that each such text contains.

`re` goes to one character eight times as fast as to one of several.
"""
TOKEN_ENTITIES = {"<": "&lt;", "[": "&#91;", "|": "&#124;", "/": "&#47;"}


def find_control_tokens(text: str) -> tuple[int, ...]:
    """The positions of control tokens."""
    # One character is found in a fifteenth of the time that a word takes.
    near = [token for sign, token in CONTROL_TOKENS.items() if sign[0] in text and sign in text]
    return tuple(sorted([m.start() for token in near for m in token.finditer(text)])) if near else ()


TICKS = re.compile("`+")
BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def inline_code(text: str) -> str:
    """A code span around text of one line, with as many backticks as it takes."""
    ticks = make_longer_ticks(text, 1)
    pad = " " if len(ticks) > 1 or text != text.strip(" ") or not text else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def make_longer_ticks(text: str, least: int) -> str:
    """A row of backticks that is longer than any in a text."""
    return "`" * max([least, *(len(run) + 1 for run in TICKS.findall(text))])


def escape_cell(text: str) -> str:
    r"""Text of one line as a table takes it: `|` is written `\|`."""
    return text.replace("|", "\\|")


MARKDOWN = re.compile(r"[\\`*_\[\]<>#|~&]|:(?=//|\w+:)")
"""What Markdown within a line, an address or the name of a picture could begin with."""
REFERENCE = re.compile(r"(?<!\w)@(?=\w)|#(?=\d)")
"""The sign of a mention or of an issue. GitHub looks for both in the text that is shown, so a `\\` stops none."""


def escape_markdown(text: str) -> str:
    """Text within a line of Markdown: no markup in it takes effect, nothing hides in it, and it ends no cell."""
    text = escape_to_line(" ".join(text.split()))
    return REFERENCE.sub(r"\g<0><!-- -->", MARKDOWN.sub(r"\\\g<0>", text))


def choose_fence(text: str) -> str:
    """The backticks that a code block around `text` needs: three, or more if it holds three itself."""
    return make_longer_ticks(text, 3)


XML_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
XML_SPECIAL = re.compile("[&<>\"']")
BREAK = re.compile("[\t\n\r\u2028\u2029]")


def escape_xml(text: str) -> str:
    """All five XML characters escaped. Hidden characters are left to be contained, and so reported."""
    return XML_SPECIAL.sub(lambda m: XML_ENTITIES[m[0]], text)


def escape_attribute(text: str) -> str:
    """For the value of an attribute: escaped in full, and on one line."""
    text = escape_invisible(escape_for_part(text))
    return replace_spans(text, ((at, at + 1, TOKEN_ENTITIES[text[at]]) for at in find_control_tokens(text)))


def escape_for_part(text: str) -> str:
    """As `attribute`, for a Part: hidden and control characters are left to be contained, and so reported."""
    return BREAK.sub(lambda m: f"&#{ord(m[0])};", escape_xml(text))


LINE_END = re.compile("([\n\u2028\u2029])")


def indent_lines(text: str, by: str) -> str:
    """Every line but the blank ones moved right, whatever ends a line."""
    lines = LINE_END.split(text)
    return "".join([line if LINE_END.match(line) else by + line if line.strip() else "" for line in lines])


MAX_NAME_CHARS = 120
"""Characters of a name that are shown in a table."""


def escape_diff_line(line: str) -> str:
    """A line of a diff: tabs stay, and all else that would move the text or hide in it is shown."""
    return "\t".join(map(escape_to_line, line.split("\t")))


def write_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; its cells are code spans, or words of ours."""
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    return "\n".join(f"| {line} |" for line in lines)


def code_span(text: str, limit: int = MAX_NAME_CHARS) -> str:
    """A code span on one line that its text can't close, nor the cell of a table around it."""
    # In a table a stroke ends the cell, also in code; GitHub takes the backslash away again.
    return escape_cell(inline_code(shorten_middle(escape_to_line(text), limit)))


def shorten_middle(text: str, limit: int = MAX_NAME_CHARS) -> str:
    """A name without its middle, if it is long."""
    return text if len(text) <= limit else f"{text[: limit // 2]}…{text[-(limit // 2) :]}"


# Entities and percent signs, undone. Few texts have any: what reads them is loaded for those.


def unescape_entities(text: str) -> str:
    """A text with its entities decoded: `<` for `&lt;`."""
    if "&" not in text:
        return text
    from html import unescape

    return unescape(text)


def unescape_percent(text: str) -> str:
    """A part of an address with its escapes decoded: a blank for `%20`."""
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)


def quote_text(text: str) -> str:
    """In double quotes and on one line, whatever it holds."""
    import json

    escaped = json.dumps(text, ensure_ascii=False)
    return BREAKS.sub(lambda m: f"\\u{ord(m[0]):04x}", escaped)
