"""What is longer than its place is broken or shortened with care; what it says and its colours are kept."""

from hypothesis import given
from hypothesis import strategies as st

from overture.terminal.table_layout import MARK, lay_out_table, measure_width, shorten_cell, strip_styles, wrap_text

WORDS = ("tide", "/srv/harbor/berths/AGENTS.md", "a,b,c", "潮の満ち引き", "e\u0301", "x" * 50, "-", "features.skills")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
RED, PLAIN = f"{MARK}[31m", f"{MARK}[0m"


@given(texts, st.integers(10, 60), st.booleans())
def test_a_text_in_lines_loses_nothing(text: str, width: int, red: bool) -> None:
    """No line is longer than there is room, no character is lost, and each line begins and ends its own colour."""
    lines = list(wrap_text(f"{RED}{text}{PLAIN}" if red else text, width))
    assert all(measure_width(line) <= width for line in lines)
    assert "".join(map(strip_styles, lines)).replace(" ", "") == text.replace(" ", "")
    assert all(not red or (line.startswith(RED) and line.endswith(PLAIN)) for line in lines)


@given(texts, st.integers(8, 60))
def test_a_cell_without_its_middle_has_room(text: str, width: int) -> None:
    """It is no longer than there is room, and has a mark where something is gone."""
    cell = shorten_cell(text, width)
    assert measure_width(cell) <= width
    assert cell == text or "…" in cell


def test_a_path_goes_on_after_a_folder() -> None:
    """The name of a file stays in one piece where there is room for it."""
    path = ".cursor/rules/core-mcp-objects.mdc, AGENTS.md"
    assert list(wrap_text(path, 34)) == [".cursor/rules/", "core-mcp-objects.mdc, AGENTS.md"]


def test_a_path_keeps_its_last_names() -> None:
    """Whole ones where that is near; its beginning goes first."""
    path = "/work/projects/harbor/services/berths/.agents/skills/tide-check/SKILL.md"
    assert shorten_cell(path, 40) == "/…/.agents/skills/tide-check/SKILL.md"
    assert shorten_cell(path, 30) == "/…/skills/tide-check/SKILL.md"
    assert shorten_cell(path, 12).endswith("/SKILL.md")


@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=4), st.integers(30, 120))
def test_a_table_fits(rows: list[tuple[str, str, str]], room: int) -> None:
    """Whatever its cells hold, no line is wider than the room."""
    assert all(measure_width(line) <= room for line in lay_out_table(rows, room, frozenset({2})))
