"""Which tokenizers this machine has: splintr-rs, else tiktoken with its file on disk, else the estimate."""

import os
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from math import ceil
from typing import Any

from msgspec import structs

from ..errors import ConfigError, explain_unknown
from .counter import DEFAULT_COUNTER, ESTIMATE, Counter

PROBE_TEXT = 'It\'s 2026:  naïve\n\n\t日本語 ไทย 👩🏽‍💻 <|endoftext|> {"a": [1, 22, 333]}\r\n/usr/bin ﬁ'
"""Texts that a tokenizer has to split correctly to be trusted: blanks, digits, scripts, a control token as text."""
FAMILIES: dict[str, tuple[str, str]] = {
    "o200k": ("o200k_base", "f20bb8ba21e47ad6"),
    "cl100k": ("cl100k_base", "66a32ba7756161e1"),
    "deepseek_v3": ("deepseek_v3", "94009364238fa0e2"),
    "gemma3": ("gemma3", "9b5aaca59781d79f"),
    "glm4": ("glm4", "b99b26fee77f3465"),
    "kimi_k2": ("kimi_k2", "5e1a9bfab89fba2c"),
    "llama2": ("llama2", "dade1fc09486426d"),
    "llama3": ("llama3", "b1508bfe3503094d"),
    "mistral_v1": ("mistral_v1", "01592a1d99df19f7"),
    "mistral_v3": ("mistral_v3", "257e634975017832"),
    "olmo2": ("olmo2", "66a32ba7756161e1"),
    "phi4": ("phi4", "66a32ba7756161e1"),
    "qwen3": ("qwen3", "a9b49061464383a5"),
}
"""The name, what splintr-rs calls it, and a digest of the ids that it has to make of PROBE."""
ONE_WORD = ("llama2", "mistral_v1")
"""These begin every text with a blank of their own, so that the counts of lines do not add up."""
VOCABULARY_FILES = {
    "o200k": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}
"""What tiktoken calls the file of a vocabulary: the SHA-1 of the address that it comes from."""
VOCABULARY_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
"""The first that is set names the folder of these files; an empty name means that there is none."""
VOCABULARY_DIGESTS = {
    "o200k": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""The SHA-256 of what tiktoken has downloaded."""
CLAUDE_FACTOR = 1.2
"""Anthropic publishes no tokenizer for its current models. On Claude 2's, which is public, English, code, JSON and
Markdown have 1.04 to 1.09 times the tokens of o200k, Chinese and Japanese 1.14 to 1.31."""
COUNTER_NAMES = ("estimate", *FAMILIES, "claude")

MAX_OWN_CHARS = 1_000_000
"""Characters that are counted by our own copy of o200k; then a tokenizer takes a quarter of the time."""

Encode = Callable[[str], Sequence[int]]


def find_counter(name: str | None = None) -> Counter:
    """The counter of that name; none: the best there is. Nothing is ever downloaded.

    If no tokenizer matches the name, the estimate is returned, and its `about` explains why.
    """
    name = (name or DEFAULT_COUNTER).removesuffix("_base")
    if name == "claude":
        return _make_claude_counter()
    return _load_quickly() if name == DEFAULT_COUNTER else _load_counter(name)


@cache
def _load_counter(name: str) -> Counter:
    """One counter for each name, so that what it knows of a text is known to all who ask for it."""
    if name == "estimate":
        return ESTIMATE
    if name not in FAMILIES:
        raise ConfigError(explain_unknown("Tokenizer", name, COUNTER_NAMES))
    reasons: list[str] = []
    for load in (_load_splintr, _load_tiktoken):
        try:
            encode, library = load(name)
            if _compute_ids_digest(encode(PROBE_TEXT)) != FAMILIES[name][1]:
                reasons.append(f"{library} fails its self-test and is not used")
                continue
        except Exception as problem:  # a tokenizer that can't be loaded counts as missing
            reasons.append(str(problem))
            continue
        return Counter(name, _make_count(encode), exact=True, additive=name not in ONE_WORD, about=f"exact, {library}")
    why = f"an estimate, because {name} is not available: {'; '.join(reasons)}; pip install 'overture[tokens]'"
    return structs.replace(ESTIMATE, about=why)


@cache
def _load_quickly() -> Counter:
    """o200k by our copy of its vocabulary; after much text by a faster tokenizer, if one is installed."""
    from .o200k import WordEncoder, read_vocabulary

    encoder = WordEncoder(read_vocabulary())
    tokenizer: Counter | None = None

    def count(text: str) -> int:
        nonlocal tokenizer
        if tokenizer is None and encoder.chars > MAX_OWN_CHARS:
            tokenizer = _load_counter(DEFAULT_COUNTER)
        return tokenizer(text) if tokenizer is not None and tokenizer.exact else encoder.count(text)

    return Counter(DEFAULT_COUNTER, count, exact=True, additive=True, about="exact, by a copy of its vocabulary")


def _load_splintr(name: str) -> tuple[Encode, str]:
    """The tokenizer of splintr-rs and its name; a LookupError if it is not installed."""
    try:
        import splintr
    except ImportError:
        raise LookupError("splintr-rs is not installed") from None
    tokenizer: Any = splintr.Tokenizer.from_pretrained(FAMILIES[name][0])
    # Not `encode`: it takes `<|endoftext|>` in a text for the model's own token.
    return tokenizer.encode_ordinary, _name_splintr(splintr)


def _name_splintr(package: Any) -> str:
    return f"splintr-rs {getattr(package, '__version__', '')}".strip()


def _load_tiktoken(name: str) -> tuple[Encode, str]:
    """The tokenizer of tiktoken and its name; a LookupError if it would have to download anything."""
    if name not in VOCABULARY_FILES:
        raise LookupError("tiktoken has no such encoding")
    # Checked first: tiktoken would download missing or incomplete files.
    if _compute_file_digest(_find_tiktoken_file(VOCABULARY_FILES[name])) != VOCABULARY_DIGESTS[name]:
        raise LookupError("tiktoken has no complete copy of it on disk")
    try:
        tiktoken: Any = import_module("tiktoken")
    except ImportError:
        raise LookupError("tiktoken is not installed") from None
    return tiktoken.get_encoding(FAMILIES[name][0]).encode_ordinary, f"tiktoken {tiktoken.__version__}"


def _compute_ids_digest(ids: Sequence[int]) -> str:
    from hashlib import blake2b

    return blake2b(repr(list(ids)).encode(), digest_size=8).hexdigest()


def _compute_file_digest(path: str) -> str | None:
    import hashlib

    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _find_tiktoken_file(file: str) -> str:
    """Where tiktoken keeps what it has once downloaded."""
    folder = next((os.environ[name] for name in VOCABULARY_VARIABLES if name in os.environ), None)
    if folder is None:
        import tempfile

        folder = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    return os.path.join(folder, file) if folder else ""


def _make_count(encode: Encode) -> Callable[[str], int]:
    """A function that counts the tokens of a text with a tokenizer."""

    def count(text: str) -> int:
        try:
            return len(encode(text))
        except UnicodeEncodeError:  # half a surrogate pair, which is sent as `?`
            return len(encode(text.encode("utf-8", "replace").decode()))

    return count


@cache
def _make_claude_counter() -> Counter:
    base = _load_quickly()
    about = (
        f"an estimate for Claude: {base.name} times {CLAUDE_FACTOR}, a factor calibrated on the public "
        "tokenizer of Claude 2"
    )
    return Counter("claude", lambda text: ceil(base(text) * CLAUDE_FACTOR), about=about)
