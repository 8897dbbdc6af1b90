"""One module for each provider: write a request, read a request, read a response, usage."""

PROVIDERS = {
    "anthropic": "anthropic",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "gemini": "gemini",
    "bedrock": "bedrock",
    "ollama": "ollama",
}
"""The forms of a request, and whose models take them."""
