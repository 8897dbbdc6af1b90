"""Images, documents and sounds: read in any provider's form, said in any other that has them, refused elsewhere."""

import base64
import json
import warnings
from collections.abc import Callable
from typing import Any

import pytest

with warnings.catch_warnings():  # of the SDKs themselves, while they are loaded
    warnings.simplefilter("ignore")
    from openai.types.responses import ResponseInputImage

from overture import Call, Content, Message, StateError
from overture.providers.read.read_content import read_content
from tests.contract.providers.sendable import PROVIDERS, said

PNG = b"\x89PNG\r\n\x1a\n\xfb\xff"
PDF = b"%PDF-1.7 \xfb\xff"
WAV = b"RIFF\x00\x00\x00\x00WAVEfmt "
IMAGE, DOCUMENT, SOUND = (base64.b64encode(data).decode() for data in (PNG, PDF, WAV))
URL = "https://example.com/quay.png"

IMAGES: dict[str, Any] = {
    "openai-chat": {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}},
    "openai-responses": {"type": "input_image", "image_url": f"data:image/png;base64,{IMAGE}", "detail": "auto"},
    "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": IMAGE}},
    "openai-responses object": ResponseInputImage(
        type="input_image", image_url=f"data:image/png;base64,{IMAGE}", detail="auto"
    ),
    "mcp": {"type": "image", "data": IMAGE, "mimeType": "image/png"},
    "ours": Content("image", media="image/png", data=IMAGE),
}
DOCUMENTS: dict[str, Any] = {
    "anthropic": {
        "type": "document", "title": "plan.pdf",
        "source": {"type": "base64", "media_type": "application/pdf", "data": DOCUMENT},
    },
    "ours": Content("document", media="application/pdf", data=DOCUMENT, name="plan.pdf"),
}  # fmt: skip
SHOWN_IMAGE: dict[str, Any] = {
    **{name: IMAGES[name] for name in PROVIDERS if name in IMAGES},
    "gemini": {"inline_data": {"mime_type": "image/png", "data": IMAGE}},
    "bedrock": {"image": {"format": "png", "source": {"bytes": PNG}}},
    "ollama": {"images": [IMAGE]},
}
SHOWN_DOCUMENT: dict[str, Any] = {
    "openai-chat": {
        "type": "file", "file": {"filename": "plan.pdf", "file_data": f"data:application/pdf;base64,{DOCUMENT}"},
    },
    "openai-responses": {
        "type": "input_file", "filename": "plan.pdf", "file_data": f"data:application/pdf;base64,{DOCUMENT}",
    },
    "anthropic": DOCUMENTS["anthropic"],
    "bedrock": {"document": {"format": "pdf", "name": "plan-pdf", "source": {"bytes": PDF}}},
    "gemini": {"inline_data": {"mime_type": "application/pdf", "data": DOCUMENT}},
}  # fmt: skip


def user(*parts: Any) -> Message:
    """A user's message of these parts."""
    text, contents = read_content(list(parts), "The prompt")
    return Message("user", text, parts=contents)


def content(provider: str, *parts: Any) -> Any:
    """What a provider gets of them."""
    (row,) = said(provider, [user(*parts)], cache=False)
    return row.get("content") if "content" in row else row["parts"]


@pytest.mark.parametrize("form", IMAGES)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_image_goes_from_any_form_to_any_other(provider: str, form: str) -> None:
    """Text and image in that order, the bytes as they were."""
    parts = content(provider, "What is this?", IMAGES[form])
    if provider == "ollama":
        (row,) = said(provider, [user("What is this?", IMAGES[form])])
        assert row == {"role": "user", "content": "What is this?", "images": [IMAGE]}
        return
    text, image = parts
    assert text["text"] == "What is this?"
    assert image == SHOWN_IMAGE[provider]


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("provider", SHOWN_DOCUMENT)
def test_a_document_goes_from_any_form_to_any_other_that_has_it(provider: str, form: str) -> None:
    """A PDF with its name, where the provider has names; Ollama has no documents."""
    text, document = content(provider, "Sum it up.", DOCUMENTS[form])
    assert text["text"] == "Sum it up."
    assert document == SHOWN_DOCUMENT[provider]
    with pytest.raises(StateError, match=r"ollama does not take a document \('plan\.pdf', application/pdf\)"):
        content("ollama", "Sum it up.", DOCUMENTS[form])


URLS: dict[str, Any] = {
    "openai-chat": {"type": "image_url", "image_url": {"url": URL}},
    "openai-responses": {"type": "input_image", "image_url": URL, "detail": "auto"},
    "anthropic": {"type": "image", "source": {"type": "url", "url": URL}},
}
SHOWN_URL = {**URLS, "gemini": {"file_data": {"file_uri": URL, "mime_type": "image/png"}}}


@pytest.mark.parametrize("form", URLS)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_address_goes_where_it_can_be_opened(provider: str, form: str) -> None:
    """Bedrock and Ollama fetch nothing: the error says so, and what to do."""
    if provider in ("bedrock", "ollama"):
        with pytest.raises(StateError, match=rf"{provider} does not take an image \(.*quay\.png\).*Pass its bytes"):
            content(provider, "See.", URLS[form])
    else:
        assert content(provider, "See.", URLS[form])[1] == SHOWN_URL[provider]


FILES: dict[str, Any] = {
    "openai": Content("document", file="file-1", name="plan.pdf", provider="openai"),
    "anthropic": {"type": "document", "source": {"type": "file", "file_id": "file_1"}},
    "gemini": Content("document", media="application/pdf", file="https://x.org/files/x", provider="gemini"),
    "bedrock": Content("document", media="application/pdf", file="s3://b/x.pdf", name="plan", provider="bedrock"),
}
SHOWN_FILE: dict[str, Any] = {
    "openai-chat": {"type": "file", "file": {"file_id": "file-1"}},
    "openai-responses": {"type": "input_file", "file_id": "file-1"},
    "anthropic": FILES["anthropic"],
    "gemini": {"file_data": {"file_uri": "https://x.org/files/x", "mime_type": "application/pdf"}},
    "bedrock": {
        "document": {"format": "pdf", "name": "plan", "source": {"s3Location": {"uri": "s3://b/x.pdf"}}},
    },
}


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_file_goes_to_those_with_whom_it_lies(provider: str, form: str) -> None:
    """Its id means nothing to another provider, and is not sent there."""
    if provider.startswith(form):
        assert content(provider, "Sum it up.", FILES[form])[1] == SHOWN_FILE[provider]
    else:
        with pytest.raises(StateError, match=rf"{provider} does not take a document"):
            content(provider, "Sum it up.", FILES[form])


SOUNDS: dict[str, Any] = {
    "mcp": {"type": "audio", "data": SOUND, "mimeType": "audio/wav"},
    "ours": Content("audio", data=SOUND),
}
SHOWN_SOUND: dict[str, Any] = {
    "openai-chat": {"type": "input_audio", "input_audio": {"data": SOUND, "format": "wav"}},
    "gemini": {"inline_data": {"mime_type": "audio/wav", "data": SOUND}},
    "bedrock": {"audio": {"format": "wav", "source": {"bytes": WAV}}},
}


@pytest.mark.parametrize("form", SOUNDS)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_sound_goes_where_it_can_be_heard(provider: str, form: str) -> None:
    """Three of the six take one; the others say so."""
    if provider in SHOWN_SOUND:
        assert content(provider, "Hear.", SOUNDS[form])[1] == SHOWN_SOUND[provider]
    else:
        with pytest.raises(StateError, match=rf"{provider} does not take a sound \(audio/wav\)"):
            content(provider, "Hear.", SOUNDS[form])


def test_what_only_one_form_has_goes_back_to_it_alone() -> None:
    """A level of detail, citations and a cache mark stay with the provider in whose form they came."""
    detailed = {"type": "image_url", "image_url": {"url": URL, "detail": "low"}}
    assert content("openai-chat", "See.", detailed)[1] == detailed
    assert content("openai-responses", "See.", detailed)[1]["detail"] == "low"
    assert "detail" not in json.dumps(content("anthropic", "See.", detailed))
    cited = {**DOCUMENTS["anthropic"], "citations": {"enabled": True}, "cache_control": {"type": "ephemeral"}}
    assert content("anthropic", "Sum it up.", cited)[1] == cited
    assert content("openai-chat", "Sum it up.", cited)[1] == SHOWN_DOCUMENT["openai-chat"]
    marked = {"type": "text", "text": "Long.", "cache_control": {"type": "ephemeral"}}
    assert content("anthropic", marked) == [marked]
    assert content("openai-chat", marked) == [{"type": "text", "text": "Long."}]


def test_a_text_document() -> None:
    """Anthropic's plain text goes to the others as a file of text, and a table in text to Anthropic as text."""
    notes = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Tides ü"}}
    assert content("anthropic", "See.", notes)[1] == notes
    assert content("bedrock", "See.", notes)[1]["document"]["source"] == {"bytes": "Tides ü".encode()}
    assert content("bedrock", "See.", notes)[1]["document"]["format"] == "txt"
    table = Content("document", media="text/csv", data=base64.b64encode(b"a,b").decode(), name="t")
    assert content("anthropic", "See.", table)[1]["source"]["data"] == "a,b"


REFUSED: dict[str, tuple[str, Any, str]] = {
    "a docx for anthropic": (
        "anthropic", Content("document", media="application/msword", data=IMAGE), "its media type is",
    ),
    "tiff for bedrock": ("bedrock", Content("image", media="image/tiff", data=IMAGE), "not one of image/png"),
    "a document's address for chat": (
        "openai-chat", {"type": "document", "source": {"type": "url", "url": "https://x.org/a.pdf"}}, "not open URLs",
    ),
    "an address of what for gemini": (
        "gemini", {"type": "image_url", "image_url": {"url": "https://x.org/a"}}, "its media type is unknown",
    ),
    "an image's id for chat": ("openai-chat", {"type": "input_image", "file_id": "f"}, "Use openai-responses"),
    "a film for openai": (
        "openai-responses", Content("video", media="video/mp4", data=IMAGE), "accepts text, images",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_provider_has_not_is_refused_before_it_is_sent(case: str) -> None:
    """One line: who, what, and what to do."""
    provider, part, told = REFUSED[case]
    with pytest.raises(StateError) as caught:
        content(provider, "See.", part)
    assert f"{provider} does not take" in str(caught.value)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


IN_RESULTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "anthropic": lambda row: row["content"][0]["content"][1],
    "openai-responses": lambda row: row["output"][1],
    "gemini": lambda row: row["parts"][1],
    "bedrock": lambda row: row["content"][0]["toolResult"]["content"][1],
    "ollama": lambda row: {"images": row["images"]},
}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_result_may_show_an_image(provider: str) -> None:
    """Where the provider takes it; Chat Completions has only text there, and the error says where to turn."""
    text, parts = read_content(["a ship", IMAGES["mcp"]], "The result")
    conversation = [Message("assistant", calls=(Call("c", "look"),)), Message("tool", text, call="c", parts=parts)]
    if provider == "openai-chat":
        with pytest.raises(StateError, match=r"a tool result must be text there. Use openai-responses"):
            said(provider, conversation)
        return
    row = said(provider, conversation)[-1]
    assert IN_RESULTS[provider](row) == SHOWN_IMAGE[provider]
    assert "a ship" in str(row)


def test_base64_is_no_text_to_count() -> None:
    """An image does not make a short conversation long enough for a mark."""
    big = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG * 3000).decode()},
    }
    (row,) = said("anthropic", [user("See.", big)], model="claude-opus-5")
    assert "cache_control" not in json.dumps(row)
    text = "word " * 9000
    (row,) = said("anthropic", [user(text, big)], model="claude-opus-5")
    assert "cache_control" in row["content"][-1]
