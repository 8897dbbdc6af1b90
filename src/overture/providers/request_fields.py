"""The fields that a provider's request may have, by the types of its SDK in November 2026."""

import re
from collections.abc import Iterable

from ..errors import ConfigError, find_similar

REQUEST_FIELDS = {
    "openai-responses": (
        "access_programs background context_management conversation image include input instructions "
        "max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt "
        "prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store "
        "stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user"
    ),
    "openai-chat": (
        "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages "
        "metadata modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key "
        "prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed "
        "service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity "
        "web_search_options"
    ),
    "anthropic": (
        "cache_control container diagnostics inference_geo max_tokens messages metadata model output_config "
        "service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p "
        "user_profile_id workspace_id"
    ),
    "gemini": (
        "cachedContent contents generationConfig labels safetySettings serviceTier store systemInstruction toolConfig "
        "tools"
    ),
    "gemini generationConfig": (
        "audioTimestamp audioTranscriptionConfig candidateCount enableAffectiveDialog enableEnhancedCivicAnswers "
        "frequencyPenalty logprobs maxOutputTokens mediaResolution modelSelectionConfig presencePenalty responseFormat "
        "responseJsonSchema responseLogprobs responseMimeType responseModalities responseSchema routingConfig seed "
        "speechConfig stopSequences temperature thinkingConfig topK topP translationConfig"
    ),
    "bedrock": (
        "additionalModelRequestFields additionalModelResponseFieldPaths guardrailConfig inferenceConfig messages "
        "outputConfig performanceConfig promptVariables requestMetadata serviceTier system toolConfig"
    ),
    "bedrock inferenceConfig": "maxTokens stopSequences temperature topP",
}
"""Names by the form of a request; of some fields, also the names within."""
OLDER_FIELDS = {"anthropic": ("temperature", "top_k", "top_p")}
"""Fields that the SDK has no more, and that older models take."""


def check_request_fields(form: str, paths: Iterable[str]) -> None:
    """A path that begins with no field of the request is an error with the nearest name."""
    nested = {
        key.partition(" ")[2]: names.split() for key, names in REQUEST_FIELDS.items() if key.startswith(f"{form} ")
    }
    known = [*REQUEST_FIELDS[form].split(), *(f"{outer}.{name}" for outer, names in nested.items() for name in names)]
    for path in paths:
        first, _, rest = path.replace("[", ".").partition(".")
        begins = f"{first}.{rest.partition('.')[0]}" if first in nested and rest else first
        camel = re.sub("_([a-z])", lambda found: found[1].upper(), begins)  # Gemini takes either
        if begins not in known and camel not in known:
            by_last = {name.rpartition(".")[2]: name for name in known}
            tip = find_similar(begins, known) or by_last.get(find_similar(begins.rpartition(".")[2], by_last), "")
            raise ConfigError(f"--request {path!r}: a request has no field {begins!r}.", noun="field", tip=tip)
