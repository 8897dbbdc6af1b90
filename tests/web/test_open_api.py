"""The OpenAPI document is true: what it allows is answered, what it forbids is refused, and answers are as it says.

`make serve-check` looks further than this: SERVE_EXAMPLES requests of each kind.
"""

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from overture.providers import PROVIDERS

from .running import Running, running

EXAMPLES = int(os.environ.get("SERVE_EXAMPLES", "2"))
BEYOND = re.compile(r"(?:[ab]\.)?state\.(?:mission\.|tools\[\d+\]\.signature$|tools$)|messages")
"""What follows a grammar of its own, which no schema can hold: signatures, a mission's template, a provider's
messages; and that a provider takes no two tools of one name."""


@pytest.fixture(scope="module")
def here() -> Iterator[Running]:
    with running() as service:
        yield service


def test_it_names_what_there_is(here: Running) -> None:
    """Every endpoint of the contract, every recipe by its name, and problems as problem details."""
    document = here.client.get("/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    asked = {f"/v1/{name}" for name in ("build", "explain", "fit", "diff", "check", "render", "recipes")}
    assert set(document["paths"]) == {*asked, "/openapi.json", "/health"}
    recipes = document["components"]["schemas"]["BuildRequest"]["properties"]["recipe"]
    assert {"opal", "house", "codex"} <= set(recipes["enum"])
    assert recipes["default"] == "house"
    formats = document["components"]["schemas"]["RenderRequest"]["properties"]["format"]
    assert sorted(formats["enum"]) == sorted(PROVIDERS)
    answers = document["paths"]["/v1/build"]["post"]["responses"]
    assert {"200", "400", "413", "415", "422", "504"} <= set(answers)
    assert list(answers["422"]["content"]) == ["application/problem+json"]


def operations(service: Running) -> list[Any]:
    """All that the document describes."""
    found = schemathesis.openapi.from_dict(service.client.get("/openapi.json").json())
    every: Any = found.get_all_operations()
    return [each.ok() for each in every]


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
def test_what_is_written_is_so(here: Running, mode: GenerationMode) -> None:
    """Requests that fit are accepted, those that do not are refused, and every answer is one that is described."""
    for operation in operations(here):
        if mode is GenerationMode.NEGATIVE and not operation.body:
            continue  # nothing can be wrong with what holds nothing

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(
            max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None,
            phases=[Phase.generate],
        )  # fmt: skip
        def probe(case: Any) -> None:
            answer = case.call(base_url=str(here.client.base_url))
            case.validate_response(answer, excluded_checks=[positive_data_acceptance])
            if mode is GenerationMode.POSITIVE and answer.status_code == 422:
                assert BEYOND.match(answer.json()["path"]), answer.text

        probe()
