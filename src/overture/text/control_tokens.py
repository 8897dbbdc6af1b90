"""Strings that some model's tokenizer takes for a token of its own: turns, tools, thoughts, padding.

Whoever writes one into a file speaks to the model past the text. Tokenizers of open models recognise them wherever they
stand; so every one is found, also inside another.
"""

import re

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

TOKEN = re.compile(
    "|".join(
        [
            f"<(?={BARS}|{WIDE_BARS}|(?:{'|'.join(ANGLED)})>|</?SYS>>)",
            rf"\[(?=(?:{'|'.join(SQUARE)}|unused\d+)\])",
            rf"\|(?=\|\|(?:{'|'.join(PERSONAL)})\|\|\|)",
            "/(?=nothink)",
        ]
    )
)
"""The first character of each, also of those that begin inside another. `re` skips to those characters."""
ENTITIES = {"<": "&lt;", "[": "&#91;", "|": "&#124;", "/": "&#47;"}


def control_tokens(text: str) -> tuple[int, ...]:
    """Where a control token begins."""
    if not ("<" in text or "]" in text or "|||" in text or "/nothink" in text):
        return ()
    return tuple(m.start() for m in TOKEN.finditer(text))


def without_tokens(text: str) -> str:
    """`text` with the first character of each control token written as an entity."""
    pieces: list[str] = []
    start = 0
    for at in control_tokens(text):
        pieces += text[start:at], ENTITIES[text[at]]
        start = at + 1
    return "".join([*pieces, text[start:]])
