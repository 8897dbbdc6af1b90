"""The page's words in every language, for a page that is one file: the English forms once, and packed."""

import json
import zlib
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = files("overture.serve") / "static" / "languages"


@cache
def packed_words() -> str:
    """JSON: under `forms` the English forms by room, under each language their words in that order."""
    named = sorted((each.name, each) for each in LANGUAGES.iterdir() if each.name.endswith(".json"))
    read = {name.removesuffix(".json"): json.loads(file.read_text("utf-8")) for name, file in named}
    forms = {room: list(words) for room, words in next(iter(read.values())).items()}
    told = {tag: {room: [words[room][form] for form in forms[room]] for room in forms} for tag, words in read.items()}
    return json.dumps({tag: _packed(each) for tag, each in {"forms": forms, **told}.items()})


def _packed(value: Any) -> str:
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return b64encode(zlib.compress(plain.encode(), 9)).decode()
