"""Which tokenizers this machine has: splintr-rs, else tiktoken with its file on disk, else the estimate."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from math import ceil
from typing import Any

from msgspec import structs

from ..model.counter import ESTIMATE, Counter
from ..model.errors import ConfigError, unknown

HELLO = "hello world"
FAMILIES: dict[str, tuple[str, list[int]]] = {
    "o200k": ("o200k_base", [24912, 2375]),
    "cl100k": ("cl100k_base", [15339, 1917]),
    "deepseek_v3": ("deepseek_v3", [33310, 2058]),
    "gemma3": ("gemma3", [23391, 1902]),
    "glm4": ("glm4", [14978, 1879]),
    "kimi_k2": ("kimi_k2", [22931, 2695]),
    "llama2": ("llama2", [22172, 3186]),
    "llama3": ("llama3", [15339, 1917]),
    "mistral_v1": ("mistral_v1", [6312, 28709, 1526]),
    "mistral_v3": ("mistral_v3", [29706, 4304]),
    "olmo2": ("olmo2", [15339, 1917]),
    "phi4": ("phi4", [15339, 1917]),
    "qwen3": ("qwen3", [14990, 1879]),
}
"""The name, what splintr-rs calls it, and what it has to make of `hello world`."""
ONE_WORD = ("llama2", "mistral_v1")
"""These begin every text with a blank of their own, so that the counts of lines do not add up."""
TIKTOKEN = {
    "o200k": "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
    "cl100k": "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
}
CLAUDE = 1.2
"""Anthropic publishes no tokenizer for its current models. On Claude 2's, which is public, English, code, JSON and
Markdown have 1.04 to 1.09 times the tokens of o200k, Chinese and Japanese 1.14 to 1.31."""
NAMES = ("estimate", *FAMILIES, "claude")
DEFAULT = "o200k"

Encode = Callable[[str], Sequence[int]]


@cache
def find_counter(name: str | None = None) -> Counter:
    """The counter of that name; none: the best there is. Nothing is ever downloaded.

    Where no tokenizer can answer to the name, the estimate comes back, and its `about` says why.
    """
    if name == "estimate":
        return ESTIMATE
    if name == "claude":
        return _claude()
    name = (name or DEFAULT).removesuffix("_base")
    if name not in FAMILIES:
        raise ConfigError(unknown("Tokenizer", name, NAMES))
    reasons: list[str] = []
    for load in (_splintr, _tiktoken):
        try:
            encode, made_by = load(name)
            if list(encode(HELLO)) != FAMILIES[name][1]:
                reasons.append(f"{made_by} fails its self-test and is not believed")
                continue
        except Exception as problem:  # a tokenizer that can't be loaded is one that is not there
            reasons.append(str(problem))
            continue
        return Counter(name, _counting(encode), exact=True, additive=name not in ONE_WORD, about=f"exact, {made_by}")
    why = f"an estimate, for want of {name}: {'; '.join(reasons)}; pip install 'overture[tokens]'"
    return structs.replace(ESTIMATE, about=why)


def _splintr(name: str) -> tuple[Encode, str]:
    try:
        import splintr
    except ImportError:
        raise LookupError("splintr-rs is not installed") from None
    tokenizer: Any = splintr.Tokenizer.from_pretrained(FAMILIES[name][0])
    # Not `encode`: it takes `<|endoftext|>` in a text for the model's own token.
    return tokenizer.encode_ordinary, f"splintr-rs {getattr(splintr, '__version__', '')}".strip()


def _tiktoken(name: str) -> tuple[Encode, str]:
    if name not in TIKTOKEN:
        raise LookupError("tiktoken has no such encoding")
    # Looked for first: tiktoken would download what is not there.
    if not os.path.isfile(_kept_by_tiktoken(TIKTOKEN[name])):
        raise LookupError("tiktoken has no file of it on disk")
    try:
        tiktoken: Any = import_module("tiktoken")
    except ImportError:
        raise LookupError("tiktoken is not installed") from None
    return tiktoken.get_encoding(FAMILIES[name][0]).encode_ordinary, f"tiktoken {tiktoken.__version__}"


def _kept_by_tiktoken(url: str) -> str:
    """Where tiktoken keeps what it has once downloaded."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder is None:
        folder = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    return os.path.join(folder, hashlib.sha1(url.encode()).hexdigest()) if folder else ""


def _counting(encode: Encode) -> Callable[[str], int]:
    def count(text: str) -> int:
        try:
            return len(encode(text))
        except UnicodeEncodeError:  # half a surrogate pair, which is sent as `?`
            return len(encode(text.encode("utf-8", "replace").decode()))

    return count


def _claude() -> Counter:
    base = find_counter(DEFAULT)
    about = f"an estimate for Claude: {base.name} times {CLAUDE}, a factor calibrated on Claude 2's public tokenizer"
    return Counter("claude", lambda text: ceil(base(text) * CLAUDE), about=about)
