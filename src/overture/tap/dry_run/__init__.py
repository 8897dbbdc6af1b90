"""A provider that is none: it says "ok" to every call, so that a prompt is seen and nothing is paid."""
