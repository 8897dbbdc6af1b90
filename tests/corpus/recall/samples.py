"""Random samples of documented secrets, and sentences against the user: how many of them `check` finds.

`python -m tests.corpus.recall.samples` prints the figures that docs/check.md gives.
"""

import json
import random
import re
import tomllib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

from overture.text.secrets.find_and_hide import find_secrets
from tests.check.ground import found_in

HERE = Path(__file__).parents[2] / "contract/corpus/recall"
SLOT = re.compile(r"\{(\w+)(?::(\d+))?\}")
ALPHABETS = {
    "alnum": ascii_letters + digits,
    "url": ascii_letters + digits + "_-",
    "b64": ascii_letters + digits + "+/",
    "hex": "0123456789abcdef",
    "upperhex": "0123456789ABCDEF",
    "upper": ascii_uppercase + digits,
    "lower": ascii_lowercase + digits,
    "letter": ascii_letters,
    "digit": digits,
    "base32": ascii_uppercase + "234567",
}


def _draw(dice: random.Random, kind: str, count: int) -> str:
    return "".join(dice.choice(ALPHABETS[kind]) for _ in range(count))


def _encode(value: object) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _uuid(dice: random.Random) -> str:
    return "-".join(_draw(dice, "hex", count) for count in (8, 4, 4, 4, 12))


SPECIAL: dict[str, Callable[[random.Random], str]] = {
    "uuid": _uuid,
    "snowflake": lambda dice: b64encode(f"{dice.randrange(10**17, 10**18)}".encode()).decode().rstrip("="),
    "basic": lambda dice: b64encode(f"moor:{_draw(dice, 'alnum', 14)}".encode()).decode(),
    "grafana": lambda dice: _encode({"k": _draw(dice, "alnum", 32), "n": "quay", "id": 1}),
    "sentry": lambda dice: _encode({"iat": 1.5, "url": "https://sentry.io", "org": "quay"}),
    "jwt": lambda dice: ".".join([_encode({"alg": "HS256"}), _encode({"sub": "4711"}), _draw(dice, "url", 43)]),
}


def fill_shape(shape: str, seed: int) -> str:
    """A sample of a shape: the same for the same seed."""
    dice = random.Random(f"{shape} {seed}")
    return SLOT.sub(lambda m: _draw(dice, m[1], int(m[2])) if m[2] else SPECIAL[m[1]](dice), shape)


def read_shapes() -> dict[str, list[str]]:
    """Every kind of secret, and its shapes."""
    return tomllib.loads((HERE / "secret_shapes.toml").read_text("utf-8"))["shapes"]  # type: ignore[no-any-return]


def list_samples(seeds: range) -> Iterator[tuple[str, str]]:
    """Each shape and a sample of it, as it stands in a line of an instruction file."""
    for shapes in read_shapes().values():
        for shape in shapes:
            yield from ((shape, f"Use {fill_shape(shape, seed)} here.") for seed in seeds)


def read_phrases(half: str) -> list[tuple[str, str, str]]:
    """The family, the language and the sentence of each."""
    families = tomllib.loads((HERE / "phrases.toml").read_text("utf-8"))[half]
    return [
        (family, language, text) for family, by in families.items() for language, all_ in by.items() for text in all_
    ]


def read_harmless() -> list[str]:
    """Sentences of instruction files that ask for nothing of the kind, in like words."""
    return tomllib.loads((HERE / "phrases.toml").read_text("utf-8"))["harmless"]["sentences"]  # type: ignore[no-any-return]


def is_reported(sentence: str) -> bool:
    """Whether `check` reports it in an instruction file."""
    return bool(found_in(f"# Moor\n\n{sentence}\n", "suspicious"))


def find_missed_phrases(half: str) -> list[tuple[str, str, str]]:
    """The sentences of which nothing is said."""
    return [each for each in read_phrases(half) if not is_reported(each[2])]


def main() -> None:
    """Print how much is found, and what is not."""
    missed = [shape for shape, sample in list_samples(range(5)) if not find_secrets(sample)]
    total = len(list(list_samples(range(5))))
    print(f"secrets: {total - len(missed)} of {total}", *sorted(set(missed)), sep="\n  ")
    for half in ("tuned", "held"):
        lost = find_missed_phrases(half)
        print(f"phrases, {half}: {len(read_phrases(half)) - len(lost)} of {len(read_phrases(half))}", *lost, sep="\n  ")


if __name__ == "__main__":
    main()
