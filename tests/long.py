"""What takes too long for `make test`: the page in a browser, the tap with processes and servers, and some more.

`make everything` runs it, and so does whoever names its files: `pytest tests/browser/test_map.py`.
"""

LONG = (
    "tests/browser/",
    "tests/tap/",
    "tests/test_growth.py::test_it_ends[sent:",
    "tests/session/test_faults.py::test_thousands_of_turns",
    "tests/serve/page/attach/test_attached.py",
    "tests/serve/page/test_copy.py",
    "tests/serve/page/calls/test_following.py",
    "tests/agents/test_seen.py",
    "tests/report/tap/attribute/",
    "tests/report/tap/test_provider_agrees.py::test_a_provoked_miss",
    "tests/cli/test_lock_bad_input.py",
    "tests/cli/test_why.py::test_any_path_has_an_answer[",
    "tests/fit/test_fit.py::test_five_megabytes_without_a_newline_are_cut[",
    "tests/recipes/test_text_everywhere.py::test_a_control_character_is_shown_and_reported[",
)
"""How the names of such tests begin."""
SERVERS = "[postgres"
"""Tests that need a server of their own."""
SHORT = (
    "tests/browser/test_prompt.py::test_what_is_seen_is_what_is_sent",
    "tests/browser/test_prompt.py::test_a_click_keeps_it",
    "tests/browser/test_budget.py::test_a_number_shortens",
    "tests/browser/test_live.py::test_an_edit_leaves",
    "tests/browser/test_pictures.py::test_each_view",
    "tests/tap/test_bytes.py",
    "tests/tap/test_flow.py",
    "tests/tap/test_command.py::test_a_program_is_run",
    "tests/tap/store/test_store.py",
    "tests/tap/store/wires/test_cut_once.py",
    "tests/tap/logs/test_forms.py",
    "tests/tap/logs/test_bad_logs.py",
    "tests/serve/page/attach/test_attached.py::test_the_turns_of_a_running",
    "tests/serve/page/calls/test_following.py::test_a_call_of_another_process",
    "tests/agents/test_seen.py::test_an_agent_is_told_what_it_sent[claude-code]",
    "tests/agents/test_seen.py::test_an_agent_is_told_what_it_sent[codex]",
    "tests/report/tap/test_provider_agrees.py::test_a_provoked_miss_has_its_true_cause[claude-code-",
    "tests/cli/test_lock_bad_input.py::test_a_file_that_is_no_lock",
    "tests/cli/test_why.py::test_any_path_has_an_answer[house-",
    "tests/cli/test_why.py::test_any_path_has_an_answer[opal-",
    "tests/fit/test_fit.py::test_five_megabytes_without_a_newline_are_cut[one word]",
    "tests/fit/test_fit.py::test_five_megabytes_without_a_newline_are_cut[sentences]",
    "tests/recipes/test_text_everywhere.py::test_a_control_character_is_shown_and_reported[U+0000-",
    "tests/recipes/test_text_everywhere.py::test_a_control_character_is_shown_and_reported[U+001B-",
    "tests/recipes/test_text_everywhere.py::test_a_control_character_is_shown_and_reported[U+0085-",
)
"""Of these, those that stand for the others."""


def is_long(name: str) -> bool:
    """Whether a test takes long, by its name."""
    return (name.startswith(LONG) or SERVERS in name) and not name.startswith(SHORT)
