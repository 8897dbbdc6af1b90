"""Words of sentences follow what stands beside them."""

import pytest

from overture.text.words import choose_article, count_noun


@pytest.mark.parametrize(
    ("words", "article"),
    [
        ("xAI key", "an"), ("npm token", "an"), ("NVIDIA key", "an"), ("AWS access key", "an"), ("OpenAI key", "an"),
        ("age key", "an"), ("user and password", "a"), ("JWT", "a"), ("URL", "a"), ("1Password token", "a"),
        ("Slack token", "a"), ("SSH key", "an"), ("OAuth token", "an"), ("", "a"),
    ],
)  # fmt: skip
def test_an_article_goes_by_the_sound(words: str, article: str) -> None:
    """A letter that is read by its name sounds as that name does."""
    assert choose_article(words) == article


def test_a_noun_goes_by_its_number() -> None:
    """One token, and two tokens."""
    assert [count_noun(number, "token") for number in (0, 1, 2)] == ["0 tokens", "1 token", "2 tokens"]
    assert [count_noun(2, noun) for noun in ("miss", "box", "repository", "day")] == [
        "2 misses", "2 boxes", "2 repositories", "2 days",
    ]  # fmt: skip
