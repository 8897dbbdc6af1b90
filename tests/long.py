"""What takes too long for `make test`: the page in a browser, the tap with processes and servers, and some more.

`make everything` runs it, and so does whoever names its files: `pytest tests/browser/test_map.py`.
"""

LONG = (
    "tests/browser/",
    "tests/tap/proxy/",
    "tests/tap/run/",
    "tests/tap/store/",
    "tests/tap/record/",
    "tests/tap/attribute/",
    "tests/tap/importers/test_bad_logs.py",
    "tests/tap/importers/test_damaged_logs.py",
    "tests/tap/importers/test_import_command.py",
    "tests/tap/importers/test_laws.py",
    "tests/tap/importers/test_variants.py",
    "tests/tap/importers/test_forms.py",
    "tests/tap/wire/test_cut_once.py",
    "tests/session/test_faults.py::test_thousands_of_turns",
    "tests/web/page/test_attached.py",
    "tests/web/page/test_copy.py",
    "tests/tap/page/test_following.py",
    "tests/agents/test_seen.py",
    "tests/agents/test_worlds.py",
    "tests/cli/test_lock_bad_input.py",
    "tests/cli/test_build.py::test_a_reader_that_leaves_early",
    "tests/cli/test_build.py::test_without_discovery_nothing",
    "tests/cli/test_diff_revisions.py",
    "tests/cli/test_watch.py",
    "tests/cli/test_widths.py",
    "tests/cli/test_why.py::test_every_recommended_line_works",
    "tests/recipes/test_list_items.py",
    "tests/check/test_ignores.py::test_hostile_files_cost_little",
    "tests/report/sheet/test_marks.py::test_every_attack_of_the_corpus",
    "tests/report/sheet/test_word_changes.py::test_half_a_million",
    "tests/tap/judge/test_provider_agrees.py",
    "tests/tap/judge/test_read_laws.py",
    "tests/agents/test_random_trees.py",
    "tests/agents/test_fix_law.py",
    "tests/cli/test_far_below.py",
    "tests/cli/test_lock.py",
    "tests/cli/test_progress.py::test_down_a_pipe",
    "tests/discover/test_skill_files.py::test_hostile_yaml",
    "tests/fit/test_fit_fills.py::test_a_rich_state_fills",
    "tests/session/test_save.py::test_a_process_killed",
    "tests/session/test_watch.py",
    "tests/session/publish/test_publish.py::test_a_full_disk",
    "tests/web/test_command.py",
    "tests/web/test_open_api.py::test_what_is_written_is_so",
    "tests/web/page/test_follow.py",
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
    "tests/tap/proxy/test_bytes.py",
    "tests/tap/proxy/test_flow.py::test_every_byte_arrives[plain",
    "tests/tap/proxy/test_flow.py::test_a_body_right_behind",
    "tests/tap/run/test_command.py::test_a_program_is_run",
    "tests/tap/store/test_store.py",
    "tests/tap/wire/test_cut_once.py",
    "tests/tap/importers/test_forms.py",
    "tests/tap/importers/test_bad_logs.py",
    "tests/web/page/test_attached.py::test_the_turns_of_a_running",
    "tests/tap/page/test_following.py::test_a_call_of_another_process",
    "tests/tap/judge/test_provider_agrees.py::test_ten_calls_are_predicted[claude-code",
    "tests/tap/judge/test_provider_agrees.py::test_evidence_of_later",
    "tests/agents/test_worlds.py::test_a_random_tree_is_the_same_each_time[claude-code]",
    "tests/agents/test_worlds.py::test_a_world_is_the_same_each_time[imports",
    "tests/cli/test_diff_revisions.py::test_two_revisions",
    "tests/cli/test_diff_revisions.py::test_exit_code",
    "tests/cli/test_diff_revisions.py::test_a_comment_for",
    "tests/cli/test_lock_bad_input.py::test_a_file_that_is_no_lock",
    "tests/cli/test_lock.py::test_two_people",
    "tests/cli/test_lock.py::test_a_changed_file",
    "tests/cli/test_lock.py::test_a_second_run",
    "tests/cli/test_watch.py::test_the_changed_lines",
    "tests/session/test_watch.py::test_an_edit_is_seen",
    "tests/web/test_command.py::test_the_address_is_printed",
    "tests/web/test_command.py::test_what_cant_be_served",
    "tests/cli/test_widths.py::test_nothing_is_wider_than_the_terminal[explain house-",
    "tests/cli/test_why.py::test_every_recommended_line_works[CLAUDE.md-house]",
)
"""Of these, those that stand for the others."""
CASES = {
    "tests/agents/test_bad_input.py::test_a_home_that_cannot_be_read_is_passed_over": ("claude-code", "codex"),
    "tests/agents/test_expected.py::test_an_agent_reads_what_it_is_known_to_read": ("claude-code", "codex", "copilot"),
    "tests/agents/test_not_modelled.py::test_a_setting_is_reported": ("claude-code", "codex"),
    "tests/agents/test_not_modelled.py::test_a_variable_is_reported": ("claude-code", "codex"),
    "tests/cli/test_build.py::test_a_broken_machine_is_one_clear_line": ("disk full", "directory gone"),
    "tests/cli/test_build.py::test_output_is_utf_8_whatever_the_locale": ("ascii",),
    "tests/cli/test_outside.py::test_a_command_says_nothing_that_is_outside": ("build claude", "agents", "check"),
    "tests/cli/test_pipes.py::test_a_reader_who_takes_nothing": ("--help", "build house --no", "recipes]"),
    "tests/cli/test_pipes.py::test_a_reader_who_takes_one_line": ("build house --no",),
    "tests/cli/test_report_mode.py::test_private_text_is_for_the_user_alone": ("files0", "files1"),
    "tests/cli/test_saved_files.py::test_what_is_neither_is_refused": ("{-",),
    "tests/cli/test_secrets.py::test_an_error_about_a_file_holds_none_either": ("state.json", "my.toml-[[sections]]"),
    "tests/cli/test_secrets.py::test_an_error_holds_no_raw_control_character": ("buildr", "build--set", "build--cwd"),
    "tests/cli/test_secrets.py::test_no_command_prints_a_key": ("build-", "explain-", "check"),
    "tests/cli/test_terminal.py::test_commands_that_build": ("build-", "explain-"),
    "tests/cli/test_tools.py::test_the_requests_of_the_recipes_have_schemas": ("anthropic",),
    "tests/cli/test_why.py::test_any_path_has_an_answer": ("house-",),
    "tests/discover/test_outside.py::test_a_revision_names_what_it_reaches_outside": ("claude-code", "gemini-cli"),
    "tests/discover/test_outside.py::test_what_is_outside_is_named_and_not_read": ("opal", "claude-code", "gemini-cli"),
    "tests/fit/test_fit.py::test_five_megabytes_without_a_newline_are_cut": ("sentences",),
    "tests/recipes/test_line_breaks.py::test_blank_ends_are_none": ("house",),
    "tests/recipes/test_line_breaks.py::test_it_is_reported_once": ("house",),
    "tests/recipes/test_text_everywhere.py::test_a_carriage_return_is_a_line_end": ("\\r-house", "\\r-pi"),
    "tests/recipes/test_text_everywhere.py::test_a_code_block_that_is_left_open_is_closed": (
        "```sh\\nls-house",
        "```sh\\nls-pi",
    ),
    "tests/recipes/test_text_everywhere.py::test_a_control_character_is_shown_and_reported": (
        "U+001B-house",
        "U+001B-pi",
    ),
    "tests/providers/test_render_own_tools.py::test_the_tools_of_a_recipe_arrive": ("house", "nova"),
    "tests/web/test_answers.py::test_build_is_that_of_the_command_line": ("house",),
    "tests/session/test_replies.py::test_a_reply_of_one_goes_to_any_other": ("anthropic", "openai-responses"),
    "tests/session/test_send.py::test_what_arrives_is_what_the_turn_gave": ("child", "compacted"),
    "tests/test_growth.py::test_it_ends": ("build: ", "fit: ", "frontmatter: ", "claude-code: imports", "TOML: "),
    "tests/test_imports.py::test_discover_stays_the_function": ("nothing", "the folder"),
}
"""Tests with many cases, and how those cases begin that stand for the others."""


def is_long(name: str) -> bool:
    """Whether a test takes long, by its name."""
    test, _, case = name.partition("[")
    if test in CASES:
        return not case.startswith(CASES[test])
    return (name.startswith(LONG) or SERVERS in name) and not name.startswith(SHORT)


def is_long_file(path: str) -> bool:
    """Whether all tests of a file take long: then it need not even be imported."""
    return path.startswith(LONG) and not any(short.startswith(path) for short in SHORT)
