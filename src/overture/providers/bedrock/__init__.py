"""Amazon Bedrock: one file for each verb."""

from .read import check_response, join_events, keep_own, read_part, read_request, read_response, read_usage
from .write import write_request

__all__ = [
    "check_response", "join_events", "keep_own", "read_part", "read_request", "read_response", "read_usage",
    "write_request",
]  # fmt: skip
