"""By which variables people hold the keys of their providers, so that a command can name what is hidden."""

import re
from typing import Literal

from ..call import Form

HIDDEN = "[hidden]"
Kind = Literal["key", "bearer"]
HOSTS: tuple[tuple[str, str], ...] = (
    ("openrouter.ai", "OPENROUTER_API_KEY"),
    ("x.ai", "XAI_API_KEY"),
    ("deepseek.com", "DEEPSEEK_API_KEY"),
    ("mistral.ai", "MISTRAL_API_KEY"),
    ("groq.com", "GROQ_API_KEY"),
    ("moonshot.ai", "MOONSHOT_API_KEY"),
    ("moonshot.cn", "MOONSHOT_API_KEY"),
    ("kimi.com", "KIMI_API_KEY"),
    ("aliyuncs.com", "DASHSCOPE_API_KEY"),
    ("openai.azure.com", "AZURE_OPENAI_API_KEY"),
    ("githubcopilot.com", "GITHUB_TOKEN"),
    ("models.github.ai", "GITHUB_TOKEN"),
    ("z.ai", "ZAI_API_KEY"),
    ("chatgpt.com", "CODEX_ACCESS_TOKEN"),
    ("ollama.com", "OLLAMA_API_KEY"),
)
"""Hosts that have a key of their own, whatever the form of their requests."""
FORMS: dict[Form, dict[Kind, str]] = {
    "anthropic": {"key": "ANTHROPIC_API_KEY", "bearer": "{ANTHROPIC_AUTH_TOKEN:-$ANTHROPIC_API_KEY}"},
    "openai-chat": {"key": "OPENAI_API_KEY", "bearer": "OPENAI_API_KEY"},
    "openai-responses": {"key": "OPENAI_API_KEY", "bearer": "OPENAI_API_KEY"},
    "gemini": {"key": "GEMINI_API_KEY", "bearer": "GOOGLE_OAUTH_ACCESS_TOKEN"},
    "bedrock": {"key": "AWS_BEARER_TOKEN_BEDROCK", "bearer": "AWS_BEARER_TOKEN_BEDROCK"},
    "ollama": {"key": "OLLAMA_API_KEY", "bearer": "OLLAMA_API_KEY"},
}
"""A key in a header of its own, and one as a bearer token; SDKs of Anthropic send either kind as the latter."""
OWN: dict[Form, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai-chat": "https://api.openai.com",
    "openai-responses": "https://api.openai.com",
    "gemini": "https://generativelanguage.googleapis.com",
    "bedrock": "https://bedrock-runtime.us-east-1.amazonaws.com",
    "ollama": "http://127.0.0.1:11434",
}
"""Where providers are that were not asked, since the call was a trial."""
KEYS = ("x-api-key", "api-key", "x-goog-api-key", "key", "api_key")
"""Headers, and names in a query, whose value is the provider's key."""
UNSAID = re.compile(r"[^A-Za-z0-9]+")


def variable_of(name: str, form: Form, host: str) -> str:
    """The variable that holds what a header, or a value of a query, has hidden: what stands behind a `$`."""
    small = name.lower()
    if small != "authorization" and small not in KEYS:
        made = UNSAID.sub("_", name).strip("_").upper()
        return made if made[:1].isalpha() else f"HIDDEN_{made}".rstrip("_")
    bare = host.partition(":")[0].lower()
    own = next((key for end, key in HOSTS if bare == end or bare.endswith(f".{end}")), None)
    return own or FORMS[form]["bearer" if small == "authorization" else "key"]
