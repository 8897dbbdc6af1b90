"""Which tokenizers this machine has: splintr-rs, else tiktoken with its file on disk, else the estimate."""

import os
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from importlib import import_module
from math import ceil
from typing import Any

from msgspec import structs

from ..errors import ConfigError, explain_unknown
from ..text.remembered import MIN_CHARS
from ..tokens.counter import DEFAULT_COUNTER, ESTIMATE, Counter
from .disk.real_world import RealWorld
from .stored.code_stamps import VOCABULARY_FILES, VOCABULARY_FOLDER, find_named_vocabulary_folder, stamp_tokenizers
from .stored.recorded_questions import record_into
from .stored.signed_result_store import KeyedStore, ResultStore, blake2b, current_store

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
    store = current_store()
    if store is None and name == DEFAULT_COUNTER:
        return _load_quickly()
    return _load_counter(name) if store is None or name == "estimate" else _find_stored(name, store)


@lru_cache(len(COUNTER_NAMES))
def _find_stored(name: str, store: KeyedStore) -> Counter:
    """The same, which loads no tokenizer for texts that were counted before."""
    if name not in FAMILIES:
        return _make_claude_counter(_find_stored(DEFAULT_COUNTER, store)) if name == "claude" else _load_counter(name)

    return make_stored_counter(name, name not in ONE_WORD, partial(find_quick_counter, name), store)


def find_quick_counter(name: str) -> Counter:
    """The counter of that name, for a process that ends before a tokenizer has repaid the time to load it."""
    if name == "claude":
        return _make_claude_counter(_load_quickly())
    return _load_quickly() if name == DEFAULT_COUNTER else _load_counter(name)


@cache
def _load_counter(name: str) -> Counter:
    """One counter for each name, so that what it knows of a text is known to all who ask for it."""
    if name == "estimate":
        return ESTIMATE
    if name == "claude":
        return _make_claude_counter(_load_quickly())
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
    from ..tokens.o200k import WordEncoder, read_vocabulary

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
    return blake2b(repr(list(ids)).encode(), digest_size=8).hexdigest()


def _compute_file_digest(path: str) -> str | None:
    import hashlib

    try:
        with record_into(None):  # a recording caller has the tokenizer's stamp
            return hashlib.sha256(RealWorld().read(path)).hexdigest()
    except OSError:
        return None


def _find_tiktoken_file(file: str) -> str:
    """Where tiktoken keeps what it has once downloaded."""
    folder = find_named_vocabulary_folder()
    if folder is None:
        import tempfile

        folder = os.path.join(tempfile.gettempdir(), VOCABULARY_FOLDER)
    return os.path.join(folder, file) if folder else ""


def _make_count(encode: Encode) -> Callable[[str], int]:
    """A function that counts the tokens of a text with a tokenizer."""

    def count(text: str) -> int:
        try:
            return len(encode(text))
        except UnicodeEncodeError:  # half a surrogate pair, which is sent as `?`
            return len(encode(text.encode("utf-8", "replace").decode()))

    return count


def _make_claude_counter(base: Counter) -> Counter:
    about = (
        f"an estimate for Claude: {base.name} times {CLAUDE_FACTOR}, a factor calibrated on the public "
        "tokenizer of Claude 2"
    )
    return Counter("claude", lambda text: ceil(base(text) * CLAUDE_FACTOR), about=about)


# Counts of earlier runs, so that a command need not load a tokenizer to repeat them.


MAX_STORED_MISSES = 2_000
"""Texts of one command that are looked up without success and then stored. With more, it needs the tokenizer anyway."""
MAX_REMEMBERED_TEXTS = 16_384
"""Texts whose counts are in memory."""
MAX_REMEMBERED_LONG_TEXTS = 256
"""The same in a job over many inputs, which has no end of them."""


def make_stored_counter(name: str, additive: bool, load: Callable[[], Counter], store: KeyedStore) -> Counter:
    """A counter that asks the store first, and then the tokenizer; the tokenizer itself if nothing is stored.

    That a tokenizer has passed its self-test is stored for its files as they are. Texts are counted whole, as far as
    they can be: few large pieces are looked up faster than many lines.
    """
    files = stamp_tokenizers()
    tested = store.make_key("tokenizer", name.encode(), files)
    if not (about := store.get(tested)):
        counter = load()
        if not counter.exact:
            return counter
        about = counter.about.encode()
        store.put(tested, about)

    misses, is_job = 0, not isinstance(store, ResultStore)

    @lru_cache(MAX_REMEMBERED_LONG_TEXTS if is_job else MAX_REMEMBERED_TEXTS)
    def count(text: str) -> int:
        if len(text) < MIN_CHARS if is_job else misses >= MAX_STORED_MISSES:
            return load()(text)
        key = store.make_key("tokens", name.encode(), files, text.encode("utf-8", "surrogatepass"))
        return int(store.get_or_put(key, partial(count_anew, text)))

    def count_anew(text: str) -> bytes:
        nonlocal misses
        counter = load()
        if not counter.exact:
            store.put(tested, b"")  # the next command tries it again, and estimates
            raise ConfigError(f"The tokenizer {name!r} is no longer available.", hint="Run the command again.")
        misses += 1
        return b"%d" % counter(text)

    return Counter(name, count, exact=True, additive=additive, about=about.decode())
