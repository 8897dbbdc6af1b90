"""One page for all tests that change nothing."""

from collections.abc import Iterator

import pytest

from .shown import Paged, paged, write

SKILL = "---\nname: {name}\ndescription: Use for {name}.\n---\nDo it.\n"


@pytest.fixture(scope="package")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paged]:
    """A page on a small project."""
    folder = tmp_path_factory.mktemp("project")
    write(
        folder,
        AGENTS_dot_md="# Rules\n\nRun `make test` before you commit.\nSay why — in English.\n",
        _dot_agents__skills__pdf__SKILL_dot_md=SKILL.format(name="pdf"),
        _dot_agents__skills__csv__SKILL_dot_md=SKILL.format(name="csv"),
    )
    with paged(folder) as found:
        yield found
