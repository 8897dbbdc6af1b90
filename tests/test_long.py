"""What tests/long.py names is there: a name that is gone would leave a test out, or in, without a word."""

import re
from pathlib import Path

from .long import CASES, LONG, SHORT, is_long, is_long_file

PROJECT = Path(__file__).parents[1]


def test_a_name_is_that_of_a_test() -> None:
    """Each is a file or folder of tests, or how a test of such a file begins."""
    for name in (*LONG, *SHORT, *CASES):
        path, _, test = name.partition("::")
        there = PROJECT / path
        assert there.exists(), name
        start = rf"^(?:async )?def {test.partition('[')[0]}"
        assert not test or re.search(start, there.read_text("utf-8"), re.MULTILINE), name


def test_a_few_stand_for_the_others() -> None:
    """A case that is named is run and the others wait; a file of which nothing is named is not even imported."""
    growth = "tests/test_growth.py::test_it_ends"
    assert not is_long(f"{growth}[fit: flags]") and is_long(f"{growth}[notes]")
    assert not is_long("tests/tap/proxy/test_flow.py::test_every_byte_arrives[base]")
    assert is_long_file("tests/browser/test_map.py") and not is_long_file("tests/browser/test_prompt.py")
    assert not is_long_file("tests/test_growth.py") and not is_long_file("tests/cli/test_why.py")


def test_a_test_of_which_all_cases_wait_is_not_collected() -> None:
    """One is collected where a case of it stands for the others; what needs a server of its own always waits."""
    arrives = "tests/tap/proxy/test_flow.py::test_every_byte_arrives"
    assert is_long_file("tests/cli/test_widths.py::test_of_tomorrow") and not is_long_file(arrives)
    assert not is_long_file("tests/cli/test_lock.py::test_two_people_write_the_same_bytes")
    assert is_long("tests/tap/store/test_store.py::test_a_text_is_kept_once[postgres]")
    assert not is_long("tests/tap/store/test_store.py::test_a_text_is_kept_once[sqlite]")
