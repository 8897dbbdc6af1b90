"""Entities of HTML and percent signs of addresses, undone. Few texts have any: what reads them is loaded for those."""


def unescape_entities(text: str) -> str:
    """A text with the characters that its entities stand for: `<` for `&lt;`."""
    if "&" not in text:
        return text
    from html import unescape

    return unescape(text)


def unescape_percent(text: str) -> str:
    """A part of an address with the characters that it stands for: a blank for `%20`."""
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)
