"""Which counter answers to a name, and that none is believed without a test or downloaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import overture
from overture import ConfigError
from overture.tokens.load_tokenizer import FAMILIES


@pytest.mark.parametrize("name", list(FAMILIES))
def test_every_family_is_exact(name: str) -> None:
    """Each model family that is offered passes its self-test and is exact."""
    counter = overture.counter(name)
    assert (counter.name, counter.exact) == (name, True)
    assert counter("hello world") in (2, 3)
    assert counter("") == 0


def test_claude_is_a_labelled_approximation() -> None:
    """For Claude it is o200k times a factor, and says so."""
    claude, o200k = overture.counter("claude"), overture.counter("o200k")
    text = "Run the tests before you commit. " * 50
    assert not claude.exact
    assert "o200k times 1.2" in claude.about
    assert 1.19 <= claude(text) / o200k(text) <= 1.22


def test_an_unknown_name_names_the_nearest() -> None:
    """A tokenizer that is not known is an error with all names."""
    with pytest.raises(ConfigError, match="Did you mean 'o200k'"):
        overture.counter("o20k")


def asked(code: str, **variables: str) -> str:
    """What a fresh interpreter prints that can't import splintr."""
    script = f"import sys; sys.modules['splintr'] = None\nimport overture\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_without_a_tokenizer_it_is_the_estimate_and_says_why(tmp_path: Path) -> None:
    """Where nothing is installed, or tiktoken has no file on disk, nothing is downloaded: the estimate answers."""
    said = asked("c = overture.counter('cl100k'); print(c.name, c.exact, c.about)", TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert said.startswith(
        "estimate False an estimate, because cl100k is not available: splintr-rs is not installed; tiktoken has no"
    )
    assert said.endswith("pip install 'overture[tokens]'")
    assert list(tmp_path.iterdir()) == []


SAMPLES = (
    "Run the tests before you commit.", "日本語で答えてください。\n\n/usr", "{\"a\": [1, 2.5]}", "👩🏽‍💻🏳️‍🌈 e\u0301",
    "\t\tif x:\r\n", "<|endoftext|>", "Используйте табы", "  مرحبا  ", "a" * 300, "\ud800",
)  # fmt: skip


def test_a_broken_tokenizer_is_not_believed(tmp_path: Path) -> None:
    """A tokenizer that gives other ids than it must is passed over."""
    package = tmp_path / "splintr"
    package.mkdir()
    (package / "__init__.py").write_text(
        "class Tokenizer:\n"
        "    @staticmethod\n"
        "    def from_pretrained(name):\n"
        "        return Tokenizer()\n"
        "    def encode_ordinary(self, text):\n"
        "        return list(text.encode())\n"
    )
    script = "import overture; c = overture.counter('cl100k'); print(c.exact, c.about)"
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "TIKTOKEN_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False an estimate, because cl100k is not available: splintr-rs fails its self-test")
