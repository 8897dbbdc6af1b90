"""One value of a settings file is changed, and nothing else in it."""

import pytest

from overture.agents.advice.edit_settings import edit_setting

NAMES = ["GEMINI.md", "AGENTS.md"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("{}", '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{\n  "x": 1 // one\n}\n', '{\n  "x": 1, // one\n  "a": {\n    "b": 1\n  }\n}\n'),
        ('{\n  // two\n  "x": [1, 2,],\n}\n', '{\n  // two\n  "x": [1, 2,],\n  "a": {\n    "b": 1\n  }\n}\n'),
        ('{"x": 1}', '{"x": 1, "a": {"b": 1}}'),
        ('{\n    "a": {\n        "c": 2\n    }\n}', '{\n    "a": {\n        "c": 2,\n        "b": 1\n    }\n}'),
        ('{"a": {"b": 7 /* seven */}}', '{"a": {"b": 1 /* seven */}}'),
        ('{"x": "// no comment, }", "a": {}}', '{"x": "// no comment, }", "a": {\n  "b": 1\n}}'),
    ],
)
def test_json_keeps_its_comments_and_its_form(before: str, after: str) -> None:
    """Comments, commas, blanks and order stay."""
    assert edit_setting(before, "/p/settings.json", ["a", "b"], 1) == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("s.json", '{\r\n  "x": 1\r\n}\r\n', '{\r\n  "x": 1,\r\n  "n": ["A.md"]\r\n}\r\n'),
        ("s.toml", "x = 1\r\n\r\n[t]\r\n", 'x = 1\r\nn = ["A.md"]\r\n\r\n[t]\r\n'),
    ],
)
def test_the_line_ends_of_windows_stay(name: str, before: str, after: str) -> None:
    """Added lines end as the others do."""
    assert edit_setting(before, name, ["n"], ["A.md"]) == after


def test_a_list_that_grows_keeps_what_stands_in_it() -> None:
    """Also the comments between its items."""
    before = '{\n  "n": [\n    "GEMINI.md" // ours\n  ]\n}\n'
    assert (
        edit_setting(before, "s.json", ["n"], NAMES)
        == '{\n  "n": [\n    "GEMINI.md", // ours\n    "AGENTS.md"\n  ]\n}\n'
    )


@pytest.mark.parametrize("before", ['{"a": ', "[1]", '{"a": 5}', "nonsense"])
def test_json_that_can_not_be_changed_is_refused(before: str) -> None:
    """A ValueError with a reason, and no text."""
    with pytest.raises(ValueError, match=r"\w+"):
        edit_setting(before, "s.json", ["a", "b"], 1)


@pytest.mark.parametrize("before", ["[1]", "[]", "null", "0"])
def test_json_that_is_no_object_is_called_so(before: str) -> None:
    """An empty list is as little an object as a full one."""
    with pytest.raises(ValueError, match=r"^it is not an object$"):
        edit_setting(before, "s.json", ["a", "b"], 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'n = ["A.md"]\n'),
        ("# mine\nx = 1 # one\n", '# mine\nx = 1 # one\nn = ["A.md"]\n'),
        ("x = 1\n\n[t]\ny = 2\n", 'x = 1\nn = ["A.md"]\n\n[t]\ny = 2\n'),
        ("x = 1\n\n\n# of t\n  # also\n[t]\n", 'x = 1\nn = ["A.md"]\n\n\n# of t\n  # also\n[t]\n'),
        ("# of t\n[t]\n", 'n = ["A.md"]\n\n# of t\n[t]\n'),
        ("# mine\n\n[t]\n", '# mine\nn = ["A.md"]\n\n[t]\n'),
        ('n = ["B.md"] # old\n', 'n = ["A.md"] # old\n'),
    ],
)
def test_toml_keeps_the_rest(before: str, after: str) -> None:
    """A new key comes before the first table and the comment on it; an old value is replaced."""
    assert edit_setting(before, "c.toml", ["n"], ["A.md"]) == after


@pytest.mark.parametrize("before", ["x = ", "[n]\ny = 1\n", 'n = [\n  "B.md",\n]\n'])
def test_toml_that_can_not_be_changed_is_refused(before: str) -> None:
    """Broken, a table of that name, a value over several lines."""
    with pytest.raises(ValueError, match=r"\w+"):
        edit_setting(before, "c.toml", ["n"], ["A.md"])


def test_yaml_is_left_to_its_author() -> None:
    """Nothing here writes it without losing comments."""
    with pytest.raises(ValueError, match="YAML"):
        edit_setting("model: x\n", "c.yml", ["read"], ["A.md"])
