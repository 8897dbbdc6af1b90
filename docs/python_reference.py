"""The public names of the package -> the page docs/reference/python.md."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, get_args

import msgspec

import overture
import overture.testing
from overture.lazy import lazy

TESTING = ("FakeWorld", "make_state", "assert_says", "assert_fits", "assert_loaded", "assert_prefix_stable")


def python() -> str:
    """Functions, classes with their fields and methods, errors, and what tests need."""
    named = {name: getattr(overture, name) for name in vars(overture)["__all__"]}
    errors = {name: value for name, value in named.items() if isinstance(value, type) and _is_error(value)}
    classes = {name: value for name, value in named.items() if isinstance(value, type) and not _is_error(value)}
    functions = {name: value for name, value in named.items() if inspect.isfunction(value)}
    text = "# Python\n\n`import overture` is fast: each name is loaded when you first use it.\n\n## Functions\n\n"
    text += "".join(_function(f"overture.{name}", value) for name, value in functions.items())
    text += "## Classes\n\n" + "".join(_class(f"overture.{name}", value) for name, value in classes.items())
    rest = {name: value for name, value in named.items() if name not in {**errors, **classes, **functions}}
    text += "".join(f"### overture.{name}\n\nA type: `{_short(str(value))}`.\n\n" for name, value in rest.items())
    text += "## Errors\n\nAll are `OvertureError`s. Each has a one-line message.\n\n"
    text += "".join(f"- `{name}`: {' '.join(_about(value).split())}\n" for name, value in errors.items())
    text += "\n## overture.testing\n\n"
    for name in TESTING:
        value = getattr(overture.testing, name)
        text += (_class if isinstance(value, type) else _function)(f"overture.testing.{name}", value)
    return text


def _is_error(value: type) -> bool:
    return issubclass(value, overture.OvertureError)


def _about(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "")


def _function(name: str, value: Callable[..., Any]) -> str:
    return f"### {name}\n\n```text\n{name}{_signature(value)}\n```\n\n{_about(value)}\n\n"


def _signature(value: Callable[..., Any], *, skip_self: bool = False) -> str:
    """The parameters, a line each where they are many; types without the modules that they are from."""
    signature = _evaluate(inspect.signature, value)
    hidden = ("self", "cls") if skip_self else ()
    parameters = [p for p in signature.parameters.values() if not p.name.startswith("_") and p.name not in hidden]
    line = _short(str(signature.replace(parameters=parameters)))
    if len(line) <= 90:
        return line
    returned = _short(f" -> {inspect.formatannotation(signature.return_annotation)}")
    return "(\n" + "".join(f"    {each},\n" for each in _each(parameters)) + f"){returned}"


def _evaluate(read: Callable[..., Any], value: Any) -> Any:
    """What `read` reads of annotations; as they are written, where a name is imported for type checkers alone."""
    try:
        return read(value, eval_str=True)
    except NameError:
        return read(value)


def _each(parameters: list[inspect.Parameter]) -> Iterator[str]:
    named = False
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not named:
            named = True
            yield "*"
        yield _short(str(parameter))


def _short(text: str) -> str:
    """Types and defaults as one would write them: no modules, no quotes around types, no addresses."""
    text = re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", text)
    text = re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", text)
    text = re.sub(r"\*<class '(\w+)'>", r"Unpack[\1]", text)  # as Python has it since 3.12
    return _with_bars(re.sub(r"(?<=[:>\[|] )'([A-Z][\w\[\], |]*)'", r"\1", text))


def _with_bars(text: str) -> str:
    """`Optional[X]` and `Union[X, Y]` as `X | None` and `X | Y`, as Python writes them since 3.14."""
    while found := re.search(r"\b(Optional|Union)\[", text):
        parts, depth, at = [found.end()], 1, found.end()
        while depth:
            depth += (text[at] == "[") - (text[at] == "]")
            if depth == 1 and text[at] == ",":
                parts.append(at + 1)
            at += 1
        inner = [text[start:end].strip(" ,") for start, end in zip(parts, [*parts[1:], at - 1], strict=True)]
        bars = " | ".join([*inner, *(["None"] if found[1] == "Optional" else [])])
        text = text[: found.start()] + bars + text[at:]
    return text


def _class(name: str, value: type) -> str:
    text = f"### {name}\n\n{_about(value)}\n\n"
    if issubclass(value, msgspec.Struct):
        docs = _field_docs(value)
        text += "".join(
            f"- `{field}: {_field_type(hint)}`{docs.get(field) or (field_note(hint) and f': {field_note(hint)}')}\n"
            for field, hint in _evaluate(inspect.get_annotations, value).items()
        )
    elif "__init__" in vars(value):
        text += f"```text\n{name}{_signature(value.__init__, skip_self=True)}\n```\n\n{_about(value.__init__)}\n\n"
    return re.sub(r"\n{3,}", "\n\n", text + "\n" + "".join(_members(value)) + "\n")


def field_note(hint: Any) -> str:
    """The description that a field's annotation has."""
    notes = [meta.description for meta in getattr(hint, "__metadata__", ()) if isinstance(meta, msgspec.Meta)]
    return next(filter(None, notes), "")


def _field_type(hint: Any) -> str:
    """The type without its description, which is prose and stands behind it."""
    plain = get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
    shown = plain if isinstance(plain, str) else inspect.formatannotation(plain)
    return re.sub(r"Annotated\[(\w+), Meta\([^()]*\)\]", r"\1", _short(shown))


def _members(value: type) -> Iterator[str]:
    """Its methods and properties, those that it takes over from our own classes too."""
    seen: set[str] = set()
    for home in value.__mro__:
        if not home.__module__.startswith("overture"):
            continue
        for name, member in vars(home).items():
            plain = member.__func__ if isinstance(member, staticmethod | classmethod) else member
            if name.startswith("_") or name in seen or not _is_member(plain):
                continue
            seen.add(name)
            called = _signature(plain, skip_self=True) if inspect.isfunction(plain) else ""
            if about := _about(plain):
                yield f"- `.{name}{_in_line(called)}`: {about.splitlines()[0]}\n"


def _in_line(signature: str) -> str:
    return " ".join(signature.split()).replace("( ", "(").replace(", )", ")")


def _is_member(value: object) -> bool:
    return isinstance(value, property | lazy) or inspect.isfunction(value)


def _field_docs(struct: type) -> dict[str, str]:
    """What stands below the fields in the source, and their notes."""
    body = ast.parse(textwrap.dedent(inspect.getsource(struct))).body[0]
    assert isinstance(body, ast.ClassDef)
    docs: dict[str, str] = {}
    for field, after in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            words = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            docs[field.target.id] = f": {' '.join(str(words).split())}" if words else ""
    return docs
