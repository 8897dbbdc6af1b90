"""OpenAI's parts, of Chat Completions and of Responses -> Content."""

from collections.abc import Mapping

from ..content import Content
from .content_keys import Part, content, rest, within
from .media import Where, addressed, by_ending, inline, kind_of
from .plain_data import lean


def image_url(part: Part, what: str) -> Content:
    """An image of Chat Completions."""
    given = part.get("image_url")
    inner = lean(given) if isinstance(given, Mapping) else {"url": given}
    own = {**rest(part, "image_url"), **rest(inner, "url")}
    return content("image", addressed(inner.get("url"), None, f"{what}.image_url"), "openai", own)


def input_image(part: Part, what: str) -> Content:
    """An image of Responses."""
    own = rest(part, "image_url", "file_id")
    if own.get("detail") == "auto":  # which counts where nothing is said
        del own["detail"]
    if part.get("file_id"):
        return content("image", Where(file=str(part["file_id"]), provider="openai"), "openai", own)
    return content("image", addressed(part.get("image_url"), None, f"{what}.image_url"), "openai", own)


def file(part: Part, what: str) -> Content:
    """A file in either form: `file` around it, or `input_file`."""
    inner = within(part, "file", what) if part["type"] == "file" else part
    name = inner.get("filename")
    own = {**rest(inner, "file_data", "file_id", "file_url", "filename"), **rest(part, "file", *inner)}
    if inner.get("file_id"):
        where = Where(by_ending(name), file=str(inner["file_id"]), provider="openai")
    elif inner.get("file_url"):
        where = addressed(inner["file_url"], None, f"{what}.file_url")
    else:
        where = inline(inner.get("file_data"), None, f"{what}.file_data", name)
    return content(kind_of(where.media) if where.data else "document", where, "openai", own, name)


def input_audio(part: Part, what: str) -> Content:
    """A sound."""
    inner = within(part, "input_audio", what)
    where = inline(inner.get("data"), by_ending(str(inner.get("format"))), f"{what}.input_audio.data")
    return content("audio", where, "openai", rest(part, "input_audio"))
