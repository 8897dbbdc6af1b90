"""Write src/overture/tokens/o200k.bin, the vocabulary of o200k as splintr-rs has it."""

from itertools import accumulate
from pathlib import Path
from typing import Any
from zlib import crc32

from splintr import Tokenizer

from overture.tokens.o200k import BUCKETS

VOCABULARY = Path(__file__).parents[1] / "src" / "overture" / "tokens" / "o200k.bin"
TOKENS = 199_998
"""Tokens of text; those of the model's own have higher numbers."""


def make_vocabulary() -> bytes:
    """The file, made anew: where each bucket begins, then of each token its length, itself, its number."""
    tokenizer: Any = Tokenizer.from_pretrained("o200k_base")
    buckets = [b""] * BUCKETS
    for number in range(TOKENS):
        token = bytes(tokenizer.decode_token_bytes(number))
        buckets[crc32(token) % BUCKETS] += bytes([len(token)]) + token + number.to_bytes(3, "little")
    starts = accumulate(map(len, buckets), initial=4 * (BUCKETS + 1))
    return b"".join([*(start.to_bytes(4, "little") for start in starts), *buckets])


if __name__ == "__main__":
    VOCABULARY.write_bytes(make_vocabulary())
