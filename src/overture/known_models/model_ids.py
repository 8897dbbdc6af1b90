"""Reads the id of a model: the path, the maker, the region, the date behind its name; finds the name in a table.

An id that is the name of another version matches nothing: `gpt-5.7` is not `gpt-5`.
"""

import re
from functools import cache
from typing import NamedTuple

RESOURCE = re.compile(
    r"arn:[^/]*:(?:foundation-model|inference-profile)/"
    r"|(?:projects/[^/]+/locations/[^/]+/)?(?:publishers/[^/]+/)?models/"
    r"|bedrock/(?:converse/)?(?:[a-z]{2}(?:-[a-z]+)+-\d/)?"
)
"""Paths in which clouds put the id of a model."""

MAKER = re.compile(
    r"(?:openrouter/)?(?:openai|anthropic|google|gemini|vertex_ai|x-?ai|deepseek|moonshot(?:ai)?|z-?ai|minimax|qwen)/"
)
"""Prefixes of gateways: by whom the model is made, and so sold at its own price."""

BEDROCK = re.compile(r"(?:(?P<region>us|eu|apac|jp|au|ca|us-gov|global)\.)?(?:anthropic|amazon|openai|meta|mistral)\.")

VERSION = re.compile(r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|latest|default|001))?(?:-v1(?::\d+)*)?(?:\[1m\])?$")
"""A date or a revision of one and the same model, as each provider writes it."""


class ModelId(NamedTuple):
    """An id, taken apart."""

    names: tuple[str, ...]
    """Under which it may be in a table: with its date first, then without."""
    bedrock: bool = False
    region: str | None = None
    """Of Bedrock: `us`, `global`, …; None: the id names none."""


def parse_model_id(text: str) -> ModelId:
    """The names that an id stands for, with Bedrock's region."""
    model_id = text.strip().lower()
    name = MAKER.sub("", RESOURCE.sub("", model_id, count=1), count=1) if "/" in model_id else model_id
    prefix = BEDROCK.match(name)
    name = name[prefix.end() :] if prefix else name
    # Gateways keep their own prefixes: nothing is known of their prices.
    names = dict.fromkeys(map(plain_name, (model_id, name, VERSION.sub("", name))))
    return ModelId(tuple(filter(None, names)), prefix is not None, prefix["region"] if prefix else None)


def plain_name(name: str) -> str:
    """A name in the compared form: `Claude-Opus-4.7` is `claude-opus-4-7`."""
    return name.lower().replace(".", "-")


def find_name(known: tuple[tuple[str, tuple[str, ...]], ...], model: str) -> str | None:
    """The known name that an id stands for; each has aliases."""
    named = _index_by_plain_name(known)
    return next((named[each] for each in parse_model_id(model).names if each in named), None)


@cache
def _index_by_plain_name(known: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, str]:
    return {plain_name(each): name for name, aliases in known for each in (*aliases, name)}


NUMBER = re.compile(r"^([a-z]+)-(\d+)(?:-(\d{1,2}))?(?=-|$)")


def is_model_since(model: str, first: str) -> bool:
    """Whether a model is of the same line as another, and of its version or a later one."""
    start = NUMBER.match(plain_name(first))
    for name in parse_model_id(model).names:
        own = NUMBER.match(name)
        if own and start and own[1] == start[1]:
            return _parse_version(own) >= _parse_version(start)
    return False


def _parse_version(found: re.Match[str]) -> tuple[int, int]:
    return int(found[2]), int(found[3] or 0)
