"""No input costs more than its size: each of these would take minutes, or all memory, if it cost its square."""

import pytest

from .growth import PATHS, Path


@pytest.mark.slow(unless=("build: ", "fit: f", "fit: s", "frontmatter: ", "TOML: "))
@pytest.mark.parametrize("path", PATHS, ids=[path.name for path in PATHS])
def test_it_ends(path: Path) -> None:
    """A hostile input that is far too large for its square is dealt with."""
    path.run()
