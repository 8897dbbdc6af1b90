"""The half of a key at the end of a text is known by the letters that it begins with; the end of a word is not."""

import pytest

from overture.text.secrets.cut_secrets import hide_cut_secret
from overture.text.secrets.find_and_hide import hide_secrets

KEYS = {
    "GitHub token": "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "Anthropic key": "sk-ant-" + "api03-Zq7xW1vB9nM3kL5jH8gF2dS4aP6oI0uYtReWq",
    "OpenAI key": "sk-" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7k",
    "AWS access key": "AKIA" + "Q3ZX7V5RT9KD2MNP",
    "GitLab token": "glpat-" + "x7Kq9Zr2Wm4Ty6Bn8Lp3",
}


@pytest.mark.parametrize("kind", KEYS)
def test_half_a_key_is_hidden(kind: str) -> None:
    """All but the last of its characters, or fewer: what is already known for a key, or would be with the rest."""
    key = KEYS[kind]
    for length in range(len(key) - 4, len(key)):
        assert hide_secrets(hide_cut_secret(f"Deploy with {key[:length]}")) == f"Deploy with [secret: {kind}]"
    assert hide_cut_secret(f"{key[:20]} is here") == f"{key[:20]} is here"  # it is not at the end


@pytest.mark.parametrize("end", [
    "", "done.", "a task-management-pathological", "https://docs.example/guides/getting-started",
    "src/components/pathResolverForEverything.py", "sk-learn-contributions", "cio", "ghp_", "ghp_token",
    "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f0", "patternMatching2Version3", "eyJ",
    "https://git.example/o/r/commit/a1b2c3d4e5f6a7b8", "key-Decisions-2024-Q3", "xai-grok-2-1212-beta",
])  # fmt: skip
def test_the_end_of_a_word_stays(end: str) -> None:
    """Words, paths, addresses, digests and what only begins as a key does."""
    assert hide_cut_secret(f"It is {end}") == f"It is {end}"
