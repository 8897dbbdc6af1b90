"""A provider is a module with the same verbs for each: write a request, read a request, read a response, usage."""

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from ..model.diagnostic import Diagnostic
from .call_content import JoinedEvents, RequestContent, ResponseContent
from .read.plain_data import Data
from .read.usage import CallUsage
from .write.request_and_manifest import ProviderRequest, RequestInput


class Provider(Protocol):
    """What the module of a provider has. It reads without complaint: whatever the data, nothing is raised."""

    def write_request(self, inputs: RequestInput, /) -> ProviderRequest:
        """The request that says a prompt, ready for the SDK."""

    def read_request(self, body: Data, path: str = "", /) -> RequestContent:
        """What a request says; the path is that of its URL."""

    def read_response(self, data: Data, /) -> ResponseContent:
        """What a response says."""

    def join_events(self, events: Sequence[Data], /) -> JoinedEvents:
        """The response that the events of a stream add up to, as it would have come whole."""

    def read_usage(self, data: Data, /) -> CallUsage | None:
        """The tokens of a response; None where it says nothing of them."""

    def check_response(self, data: Data, /) -> tuple[Diagnostic, ...]:
        """Refuse a response that holds no reply, with a StateError; else what of it is not taken."""

    def keep_own(self, response: ResponseContent, broken: bool, /) -> tuple[Data, ...]:
        """What of a reply goes back to this provider alone; `broken`: the arguments of a call are no JSON."""


def load_provider(form: str) -> Provider:
    """The module of a provider, by the name of its form."""
    return cast(Provider, import_module(f".{form.replace('-', '_')}", __package__))


def read_stream(provider: Provider, events: Sequence[Data]) -> ResponseContent:
    """What a response says that came as events."""
    joined = provider.join_events(events)
    content = provider.read_response(joined.data)
    return content._replace(error=joined.error or content.error, missing=(*joined.missing, *content.missing))
