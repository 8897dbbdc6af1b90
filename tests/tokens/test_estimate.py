"""The estimate errs upwards on what fills prompts."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import overture
from overture.tokens.counter import estimate

pytestmark = pytest.mark.slow


O200K = overture.counter("o200k")
ROOT = Path(__file__).parents[2]
SCHEMA = msgspec.json.format(msgspec.json.encode(msgspec.json.schema(overture.State)), indent=2).decode()
CJK = """在提交之前运行测试，并在提交信息中说明为什么需要这个更改。请保持更改较小。文件位于代码旁边。
コミットする前にテストを実行し、変更が必要な理由をメッセージに書いてください。変更は小さくしてください。
커밋하기 전에 테스트를 실행하고 변경이 필요한 이유를 메시지에 적으세요. 변경은 작게 유지하세요."""


def samples(kind: str) -> list[str]:
    """Real text of a kind."""
    if kind == "English":
        return [(ROOT / "LICENSE").read_text(encoding="utf-8")]
    if kind == "code":
        return [path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py"))]
    if kind == "Markdown":
        return [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))]
    return [SCHEMA] if kind == "JSON" else [CJK]


ERRORS = {
    "English": (12, -6, 45),
    "code": (11, -23, 33),
    "JSON": (2, -23, 17),
    "Markdown": (13, 2, 38),
    "CJK": (20, -10, 49),
}
"""Per cent above o200k on real text in chunks of 2,000 to 4,000 characters: on average, at least, at most."""


@pytest.mark.parametrize("kind", list(ERRORS))
def test_it_does_not_under_count_on_average(kind: str) -> None:
    """On English, code, JSON, Markdown and CJK it is at least what o200k says, and not half as much again."""
    texts = samples(kind)
    ratio = sum(map(estimate, texts)) / sum(map(O200K, texts))
    assert 1.0 <= ratio <= 1.5, (kind, ratio)


@given(st.lists(st.text(max_size=30).map(str.strip).filter(bool), min_size=1, max_size=4))
def test_estimates_of_blocks_add_up(texts: list[str]) -> None:
    """What is estimated of blocks is together what is estimated of the whole."""
    ends = ["\n\n"] * (len(texts) - 1) + [""]
    assert sum(estimate(text + end) for text, end in zip(texts, ends, strict=True)) == estimate("\n\n".join(texts))


def test_nothing_is_nothing() -> None:
    """An empty text has no tokens."""
    assert estimate("") == 0


@given(st.text("aBcD 01!_-\t\n\r\0é", max_size=30))
def test_a_letter_of_another_script_does_not_change_what_stands_on_other_lines(text: str) -> None:
    """Text of ASCII has the tokens that it has beside a line that is none."""
    assert estimate(f"{text}\nß\n") == estimate(f"{text}\n") + estimate("ß\n")


@given(st.text("aBcD 01!\t\n—→✅😀é世ж\u3000\ufff0", max_size=30))
def test_dashes_and_emoji_count_alike_among_letters_of_any_script(text: str) -> None:
    """A text has the tokens that it has beside a line of another script."""
    assert estimate(f"{text}\nß世\n") == estimate(f"{text}\n") + estimate("ß世\n")


PIECES = {
    "some TEXT, with 12 words": 8,
    "  \t two  blanks\n\n c (d)": 9,
    "internationalisation of HTTPServer 2026-03-07": 15,
    "a — b → c ✅ \ufe0f😀 é": 14,
    "世界\u3000\ufff0\ud7ff はい": 8,
    "Привет, Ελλάδα, مرحبا, שלום, नमस्ते, საქართველო": 25,
    "\r\0\x7f": 0,
}
"""Texts, and the tokens of all their pieces."""


@pytest.mark.parametrize("text", PIECES)
def test_each_piece_has_its_price(text: str) -> None:
    """Words, capitals, digits, signs, blanks, and letters of each script."""
    assert estimate(text) == PIECES[text]


def test_a_text_of_ideograms_has_the_tokens_of_its_parts() -> None:
    """However many there are."""
    assert estimate("世界 ⚠️\n" * 1_000) == 1_000 * estimate("世界 ⚠️\n")
