"""The corpus: what attacks do to a prompt, what harmless files become, and the figures that the docs give."""

import tomllib
from pathlib import Path

import pytest

from tests.contract.corpus.cases import HERE, attacks, harmless
from tests.corpus.evaluate import Row, evaluated, table
from tests.fuzz.campaign import SEEDS, targets, tried

OPEN = tomllib.loads((HERE / "open.toml").read_text("utf-8"))
DOCS = Path(__file__).parents[1] / "docs" / "corpus.md"


STEPS = {"some": 8, "all": 1}


@pytest.fixture(scope="module")
def figures(request: pytest.FixtureRequest) -> tuple[list[Row], list[str]]:
    """The corpus, or some texts of each family, each in one place of every recipe."""
    return evaluated(every=False, step=STEPS[request.param])


def test_the_corpus_is_large_enough() -> None:
    """At least two hundred attacks in fourteen families, and two hundred harmless files; no text is there twice."""
    cases, files = [*attacks()], [text for _, text in harmless()]
    assert len(cases) >= 200
    assert len({case.family for case in cases}) >= 14
    assert len(set(files)) == len(files) >= 200
    assert len({(case.family, case.text, str(case.parts), str(case.links)) for case in cases}) == len(cases)


@pytest.mark.slow(unless=("some",))
@pytest.mark.parametrize("figures", STEPS, indirect=True)
def test_every_attack_is_contained_and_reported_and_no_harmless_file_is_altered(
    figures: tuple[list[Row], list[str]],
) -> None:
    """But for what open.toml names, and nothing stands there that holds already."""
    _, faults = figures
    known = (*OPEN["attacks"], *(f"harmless: {text[:70]!r}" for text in OPEN["harmless"]))
    assert [fault for fault in faults if not fault.startswith(known)] == []


@pytest.mark.slow
@pytest.mark.parametrize("figures", ["all"], indirect=True)
def test_the_docs_give_these_figures(figures: tuple[list[Row], list[str]]) -> None:
    """The table of docs/corpus.md is what `make eval` prints."""
    assert table(figures[0]) in DOCS.read_text("utf-8")


@pytest.mark.parametrize(
    "seed", sorted(p for p in SEEDS.rglob("*") if p.is_file()), ids=lambda p: f"{p.parent.name}/{p.name}"
)
def test_what_a_campaign_found_stays_mended(seed: Path) -> None:
    """Every input that once broke a parser or a law is harmless now."""
    target = next(run for name, run in targets().items() if name.replace(" ", "-") == seed.parent.name)
    assert tried(target, seed.read_bytes()) is None
