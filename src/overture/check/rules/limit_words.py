"""Sentences that ask a model to drop limits of its own, by language: data of `phrase_families`."""

LIMITS: dict[str, tuple[str, str]] = {
    "en": (
        "ignore|disregard|bypass|override|overturn|suspend|abandon|drop"
        "|discard|disable|deactivate|turn off|set aside|break|outside|beyond|transcend|forget",
        r"\b(?:ignore|disregard|bypass|override|overturn|suspend|abandon|drop|discard|disable|deactivate"
        r"|turn off|set aside"
        r"|break (?:away )?from|operate outside|act outside|function beyond|go beyond|transcend"
        r"|forget)\s+(?:all\s+|of\s+)*"
        r"your\s+(?:own\s+)?(?:[\w-]+\s+){0,3}?(?:restrictions?|safeguards?|constraints|ethic\w*|moral\w*|programming"
        r"|guidelines?|training|content filters?|safety \w+|code of conduct|limits|limitations|boundaries|protocols?"
        r"|parameters|compliance)\b",
    ),
    "es": (
        "ignor|anul|descart|desech|abandon|omit|suspend|desactiv|olvid|olvíd|evad|elud|fuera de",
        r"\b(?:ignor|anul|descart|desech|abandon|omit|suspend|desactiv|olv[ií]d|evad|elud"
        r"|oper[ae] fuera de)\w*\s+(?:todas?\s+)?"
        r"tus\s+(?:\w+\s+){0,2}?(?:restricciones|éticas?|límites|parámetros|directrices|normas|protocolos|reglas)",
    ),
    "fr": (
        "ignore|contourne|outrepasse|suspend|abandonne|désactive|écarte|mets de|néglige|omet|opère",
        r"\b(?:ignore|contourne|outrepasse|suspend|abandonne|désactive|écarte|mets de côté|néglige|omet"
        r"|opère en dehors de)\w*\s+"
        r"(?:temporairement\s+)?(?:une? de\s+)?(?:tes|ta|ton|vos|votre)\s+(?:\w+\s+){0,2}?(?:restrictions?"
        r"|directives|normes"
        r"|protocoles|programmation|formation|limites|paramètres|code de conduite|règles|éthiques?)",
    ),
    "pt": (
        "ignor|anul|descart|abandon|omit|suspend|desativ|desafi|contorn|fora de",
        r"\b(?:ignor|anul|descart|abandon|omit|suspend|desativ|desafi|contorn|aja fora de"
        r"|opere fora de)\w*\s+(?:temporariamente\s+)?"
        r"(?:uma das\s+)?(?:tuas|suas|teus|seus)\s+(?:\w+\s+){0,2}?(?:restrições|diretrizes|limites|normas"
        r"|protocolos|regras"
        r"|éticos?|éticas?)",
    ),
    "it": (
        "ignora|scarta|abbandona|sospendi|disattiva|ometti|da parte|aggira|viola",
        r"\b(?:ignora|scarta|abbandona|sospendi|disattiva|ometti|metti da parte|lascia da parte|aggira|viola)\w*\s+"
        r"(?:temporaneamente\s+)?(?:tutte\s+)?(?:le tue|i tuoi|la tua|il tuo)\s+(?:\w+\s+){0,2}?(?:restrizioni|norme"
        r"|linee guida|misure di sicurezza|programmazione|formazione|procedure|limiti|etiche?|protocolli|regole)",
    ),
    "de": (
        "ignorier|umgeh|deaktivier|missacht|verwirf|brich mit|setze|trenne dich|gehe über|überschreite",
        r"\b(?:ignorier|umgeh|deaktivier|missacht|verwirf|brich mit|setze|trenne dich von|gehe über"
        r"|überschreite)\w*\s+"
        r"(?:vorübergehend\s+)?dein\w*\s+(?:[\w-]+\s+){0,2}?(?:[\w-]*beschränkungen|[\w-]*einschränkungen"
        r"|[\w-]*grenzen"
        r"|[\w-]*protokolle?|programmierung|richtlinien|[\w-]*regeln|training|kompass|schutzmaßnahmen)",
    ),
}
"""Keywords, and then verb, whose and what in one: without the possessive it is about somebody's code."""
