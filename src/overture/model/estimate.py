"""Text -> about how many tokens. Never exact, and meant to err upwards: shown with a `~`."""

import re

PIECES = re.compile(
    r"(?P<word>[A-Za-z]+)"
    r"|(?P<digits>[0-9]+)"
    r"|(?P<blank>[ \t]{2,}|\n+[ \t]*)"
    r"|(?P<sign>[!-/:-@\[-`{-~]+)"
    r"|(?P<accented>[\u00c0-\u024f\u0370-\u04ff]+)"
    r"|(?P<other>[^\x00-\x7f])"
)


def estimate(text: str) -> int:
    """About how many tokens a current model's tokenizer makes of `text`."""
    count = 0.0
    for match in PIECES.finditer(text):
        size = match.end() - match.start()
        match match.lastgroup:
            case "word":
                count += 1 if size <= 8 else 1 + (size - 8) / 5
            case "digits":
                count += (size + 2) // 3
            case "sign":
                count += (size + 1) / 2
            case "accented":
                count += size / 2.5
            case _:
                count += 1
    return int(count + 0.999)
