"""Write src/overture/tokens/o200k.bin, the vocabulary of o200k as splintr-rs has it."""

from pathlib import Path
from typing import Any

from splintr import Tokenizer

from overture.tokens.o200k import pack_vocabulary

VOCABULARY = Path(__file__).parents[1] / "src" / "overture" / "tokens" / "o200k.bin"
TOKENS = 199_998
"""Tokens of text; those of the model's own have higher numbers."""


def make_vocabulary() -> bytes:
    """The file, made anew."""
    tokenizer: Any = Tokenizer.from_pretrained("o200k_base")
    return pack_vocabulary([bytes(tokenizer.decode_token_bytes(number)) for number in range(TOKENS)])


if __name__ == "__main__":
    VOCABULARY.write_bytes(make_vocabulary())
