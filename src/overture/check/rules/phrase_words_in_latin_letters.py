"""The words of sentences against the user in Latin letters, by language: data of `phrase_families`."""

from typing import NamedTuple


class LanguageSlots(NamedTuple):
    """The slots of each family in one language; the words of a slot are alternatives."""

    drop: tuple[str, ...]
    """Forms of the verb; what is dropped; that it came before."""
    hide: tuple[str, ...]
    """Not to tell, or to hide; what; from the user."""
    send: tuple[str, ...]
    """Forms of the verb; secrets."""
    unasked: tuple[str, ...]
    """Without asking; to run something."""


PERSON = r"(?:(?:the |any |a )?(?:end )?(?:user|human|operator|developer|reviewer|maintainer|person)s?|anyone|whoever)"
"""Those who must know what an agent does."""
ACT = (
    r"(?:this|that|these|it|any of (?:this|it)|what you|that you|anything|the (?:\w+ )?(?:change|step|action|command"
    r"|edit|request|upload|instruction)s?)\b"
)
"""What the agent did, as against what a program shows."""
SAID = r"(?:said|told|written|stated|instructed|communicated|asked of you)"
OF_CODE = (
    r"(?!\s+(?:in|about|for|on|of|from)\s+(?!(?:your?|the (?:system|developer|user|operator)"
    r"|safety|this (?:session|conversation|chat))\b))"
)
"""Not `rules in eslint.config.js`, `instructions about npm`: code or tools have those."""
ELSEWHERE = r"(?!\s+(?:to|in|for|when|if|on|outside)\s+(?!you\b|this (?:session|task|conversation)))"
"""Not `do not apply to generated code`."""
HARVEST = (
    r"(?:\.env\b|~/\.\w+|\bid_(?:rsa|ed25519)\b|\benvironment variables\b|\b(?:ssh|private) keys?\b"
    r"|\b(?:all|every|any|the user's|their) (?:\w+ ){0,2}(?:keys?|tokens?|passwords?|credentials?|secrets?)\b)"
)
"""Secrets that no program needs: a request holds one key, and no user's files."""

LATIN_LANGUAGES: dict[str, LanguageSlots] = {
    "en": LanguageSlots(
        (
            r"\b(?:ignore|disregard|forget|discard|abandon|disobey|stop (?:obeying|following)"
            r"|drop (?:it|them|all|any|every|everything|the|these|those|your)"
            rf"|no longer (?:appl(?:y|ies)\b{ELSEWHERE}|valid|bind(?:ing)?|counts?|in (?:force|effect))"
            rf"|do(?:es)? not apply{ELSEWHERE}|none of\b.{{0,60}}\b(?:apply|applies|counts?|binds?)\b{ELSEWHERE}"
            r"|pay no attention|(?:are|is|as|now) (?:now )?(?:null and )?(?:void|cancel+ed|revoked|obsolete"
            r"|suspended|lifted|invalid)|did not exist|never existed)\b",
            rf"\b(?:(?:instructions?|directives?|guidelines|guidance|rules?|prompts?|orders|commands)\b"
            rf"{OF_CODE}|(?:everything|whatever|anything|all|what) (?:(?:that|which) )?(?:you|the system|they"
            rf"|(?:(?:was|were|is|has been|have been|had been) )?{SAID})\b)",
            r"\b(?:you (?:were|have been|had been|got|received|are)|above|prior|previous(?:ly)?|earlier|original"
            r"|preceding|before(?: this\b| and\b|\s*[.,;:!]|\s*$)|the system (?:said|told)|so far|until now|up to now)",
        ),
        (
            rf"\b(?:do not|don't|never|must not) (?:tell|inform|alert|notify|let) {PERSON} (?:know )?"
            r"(?:(?:about|of)\b(?! (?:each|every|individual|minor|routine|trivial|internal)\b)|that you\b)"
            r"|\b(?:do not|don't|never|must not|under no circumstances|at no time) (?:mention|reveal|disclose|report"
            rf"|show|admit) (?:(?:{ACT})[^.]{{0,60}} to {PERSON}|to {PERSON} (?:{ACT}))"
            rf"|\b(?:hide|conceal|keep) (?:{ACT})[^.]{{0,40}} from {PERSON}"
            rf"|\b{PERSON}(?: [\w']+){{0,5}} (?:must|should|may|can) (?:not|never) (?:find out|be told|ever know"
            rf"|(?:know|learn)(?: (?:about|of))? (?:{ACT})|know\b(?=\s*[.,;!]|\s*$)|notice (?:{ACT}))"
            rf"|\b{PERSON} (?:does not|doesn't|need not|needn't|has no) (?:need to |reason to |have to )?(?:know|hear"
            rf"|learn) (?:about|of|that you) ?(?:{ACT})?"
            rf"|\b(?:make sure|ensure) (?:that )?{PERSON} (?:never|does not|doesn't|do not|don't)"
            rf" (?:know|learn|find out|(?:notice|see) (?:{ACT}))"
            rf"|\bsay nothing (?:about|of) (?:{ACT})[^.]{{0,30}} to {PERSON}"
            r"|\b(?:leave|keep|omit) (?:this|it|these|them) (?:out of|from) (?:your|the) (?:\w+ )?(?:summary|report"
            r"|reply|answer|response)\b"
            r"|\bwithout (?:telling|informing|notifying|alerting) the user that\b",
        ),
        (
            r"\b(?:(?:send|upload|curl|append|exfiltrate|transmit|forward|submit|make a request)\b"
            r"|(?:post|e-?mail|leak|report|push) (?:the|all|any|every|each|it|them|this|these|those|your|its|their|what"
            r"|everything|\S*\.env|~/))",
            r"(?:\.env\b|\b(?:api |private |secret |ssh )?keys?\b|\bpasswords?\b|\bcredentials?\b|\bsecrets?\b"
            r"|\benvironment variables\b|\bvalue of the token\b|\btokens?\b|~/\.(?:ssh|aws))",
            # A header of a request is where a key belongs.
            r"\A(?!.*\b(?:headers?|bearer|authori[sz]ation)\b)",
        ),
        (
            r"\b(?:without (?:asking|(?:any )?(?:user )?(?:confirmation|permission|approval|consent)|waiting for"
            "|the user's|requesting)|(?:do not|don't|never) (?:ask (?:for (?:confirmation|permission|approval)|before)"
            "|wait for)|skip (?:all|any) (?:approval|permission|confirmation)|silently"
            "|no (?:further |prior |user )?(?:confirmation|permission|approval|consent) (?:is )?(?:needed|required"
            r"|necessary))\b",
            r"\b(?:run|execute|install|delete|do (?:this|it)|commands?|push|fetch|download)\b",
            r"\b(?:the (?:user|human|operator|developer)|user (?:consent|approval)|user's|approval prompts"
            r"|ask (?:for confirmation|before running)|(?:any|all|every|whatever) (?:\w+ )?(?:commands?|scripts?)"
            r"|https?://|sudo|rm -r)",
        ),
    ),
    "es": LanguageSlots(
        (
            r"\b(?:ignor[ae]|olvid[ae]|descart[ae]|desestim[ae]|dej[ae] de seguir|ya no (?:val|aplic|rig|cuenta"
            "|son v[aá]lid|est[aá]n? (?:en )?vig)|anul|no hagas caso|haz caso omiso|no sigas|no tengas en cuenta"
            "|no prestes atención|sin efecto)",
            r"\b(?:instrucci|reglas|normas|pautas|órdenes|indicaciones|directrices|todo lo|lo que (?:se )?te)",
            r"\b(?:antes|anterior|previ[ao]s|previamente|arriba|te dij|recibiste|hasta (?:ahora|aquí|este))",
        ),
        (
            r"\b(?:no (?:le )?(?:digas|cuentes|informes|menciones|reveles|avises|muestres)|ocult[ae]|esconde"
            r"|no (?:debe|puede|tiene que) (?:enterarse|saber|conocer)|en secreto|sin que|mant[eé]n .{0,30}secreto)",
            r"\b(?:est[oae]s?|que has|lo que|eso|nada)\b",
            r"\b(?:usuari|desarrollador|operador|human)",
        ),
        (
            r"\b(?:(?:re)?(?:envía|envia)|sube|manda|transmite|publica)",
            r"\.env\b|contraseñ|claves|credencial|tokens?\b|secretos|variables de entorno",
        ),
        (
            r"\b(?:sin (?:preguntar|pedir|consultar|avisar|esperar|(?:la )?(?:confirmación|aprobación|autorización"
            "|permiso|consentimiento))|no (?:preguntes|pidas|esperes)|no (?:hace falta|se necesita|es necesari))",
            r"\b(?:ejecut[ae]|instal[ae]|corr[ae]|borr[ae]|elimin[ae]|lanz[ae])\b",
            r"\b(?:usuari|permiso|autorización|aprobación|de inmediato|inmediatamente)",
        ),
    ),
    "fr": LanguageSlots(
        (
            r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) (?:pas|plus|aucun) compte|ne (?:suis|suivez"
            r"|respecte) (?:pas|plus)|ne (?:prête|prêtez) (?:pas|plus|aucune) attention|ne s'appliquent plus"
            r"|ne (?:valent|comptent) plus|ne (?:sont|est) plus (?:valable|valide|en vigueur)\w*|annul\w+)\b",
            r"\b(?:instructions|consignes|règles|directives|ordres|tout ce (?:qui|que))\b",
            r"(?:précéd|antérieur|ci-dessus|auparavant|reçues|\bavant\b|t'a dit|on t'a|jusqu'(?:ici|à présent"
            "|à maintenant)|plus haut)",
        ),
        (
            r"\b(?:n'en (?:parle|dis|informe)|ne (?:dis|dites|parle|mentionne|révèle|signale|montre)\w* (?:pas|rien"
            r"|jamais)|n'informe\w* (?:pas|jamais)|cache[zr]?[- ](?:l[ea]s?|l'|cel[au]i?|ceci|ça|cet|cette|ces|ce"
            r"|tout)\b|dissimule|sans que|garde\w* .{0,20}secret"
            r"|ne (?:doit|peut) (?:pas|rien|jamais) (?:le |en )?(?:savoir|apprendre|voir|remarquer))",
            r"\b(?:n'en|le|cela|ceci|ça|cette|ce|rien)\b",
            r"(?:\butilisat|\bdéveloppeu|\bopérat|\bhumain)",
        ),
        (
            r"\b(?:envoie|envoyez|transmet|téléverse|poste|publie)",
            r"\.env\b|mots? de passe|clés|identifiants|secrets|jetons|variables d'environnement",
        ),
        (
            r"\b(?:sans (?:que|demander|attendre|l'accord|l'autorisation|prévenir|consulter|(?:aucune )?(?:confirmation"
            r"|autorisation|permission|validation))|ne demande\w* (?:pas|jamais)|n'attend\w* (?:pas|jamais))",
            r"\b(?:exécute|lance|installe|supprime)[sz]?\b",
            r"\b(?:utilisat|permission|autorisation|immédiatement|tout de suite)",
        ),
    ),
    "pt": LanguageSlots(
        (
            r"\b(?:ignor[ae]|esque[cç]|desconsider|descarte|não siga|deixe de seguir|não (?:valem|contam|se aplicam"
            "|são (?:mais )?válid|estão mais em vigor)|já não|não (?:leve|tenha) em conta|não preste atenção|anul"
            "|cancel|sem efeito)",
            r"\b(?:instruções|regras|normas|orientações|ordens|diretrizes|comandos|tudo o que)",
            r"\b(?:antes|anterior|prévi|previamente|acima|recebeu|foi dito|até (?:aqui|agora|este))",
        ),
        (
            r"\b(?:não (?:lhe )?(?:conte|diga|informe|mencione|revele|avise|mostre)|escond[ae]|oculte|em segredo"
            "|não (?:deve|pode) (?:saber|descobrir|ficar sabendo)|sem que)",
            r"\b(?:iss?to|isso|d?est[ae]|d?ess[ae]|que você|nada)",
            r"\b(?:usuári|utilizador|desenvolvedor|operador|human)",
        ),
        (
            r"\b(?:envie|mande|carregue|suba|publique|transmita|encaminhe)",
            r"\.env\b|senhas|chaves|credenciais|tokens?\b|segredos|variáveis de ambiente",
        ),
        (
            r"\b(?:sem (?:perguntar|pedir|consultar|avisar|esperar|(?:a )?(?:confirmação|aprovação|autorização"
            "|permissão|consentimento))|não (?:pergunte|peça|espere)|não (?:é necessári|precisa))",
            r"\b(?:execut[ae]|instal[ae]|rod[ae]|apagu?[ae]|exclu[ai])\b",
            r"\b(?:usuári|utilizador|permissão|autorização|aprovação|imediatamente)",
        ),
    ),
    "de": LanguageSlots(
        (
            r"\b(?:ignorier|vergiss|vergessen sie|missachte|beacht\w+ .{0,60}nicht|verwirf|gelten nicht|gilt nicht"
            "|außer kraft|aufgehoben|ungültig|nichtig|befolge .{0,60}nicht)",
            r"\b(?:anweisung|regel|vorgabe|befehl|instruktion|richtlinie|alles,? was|prompt)",
            "(?:bisher|bislang|bis jetzt|vorher|vorig|früher|obig|zuvor|davor|oben)",
        ),
        (
            r"\b(?:(?:sag|erzähl|verrat|teil)\w* .{0,40}(?:nichts|nicht)|verheimlich|verberg|versteck|verschweig"
            "|geheim|ohne dass|(?:darf|soll) .{0,40}nichts? (?:erfahren|wissen|merken))",
            r"\b(?:davon|dies|das|den)",
            r"\b(?:benutzer|nutzer|anwender|entwickler)",
        ),
        (
            r"\b(?:sende|schick|lade?\b|übermitt|poste)",
            r"\.env\b|passwörter|passwort|schlüssel|zugangsdaten|geheimnisse|tokens?\b|umgebungsvariablen",
        ),
        (
            r"\bohne (?:.{0,40}(?:zu fragen|fragen|nachzufragen)|zustimmung|erlaubnis|bestätigung|rückfrage"
            "|genehmigung)",
            r"\b(?:führe|installier|starte|lösch)",
            r"\b(?:benutzer|nutzer|anwender|erlaubnis|sofort)",
        ),
    ),
    "id": LanguageSlots(
        (
            r"\b(?:abaikan|lupakan|hiraukan|jangan (?:ikuti|patuhi|perhatikan|pedulikan)|berhenti mengikuti"
            r"|tidak (?:lagi )?berlaku|dibatalkan|batalkan)",
            r"\b(?:instruksi|perintah|aturan|arahan|petunjuk|pedoman|(?:semua|segala|apa) (?:yang|sesuatu))",
            r"\b(?:sebelum|di ?atas|terdahulu|tadi|sejauh ini|sampai (?:sekarang|saat ini))",
        ),
        (
            r"\b(?:jangan (?:beri ?tahu|beritahukan|sebut|ungkap|cerita|katakan|laporkan|sampai)|sembunyikan"
            r"|rahasiakan|(?:tidak boleh|jangan sampai) (?:tahu|mengetahui)|tanpa sepengetahuan)",
            r"\b(?:ini|itu|hal|bahwa)\b",
            r"\b(?:pengguna|pengembang|operator|manusia)",
        ),
        (
            r"\b(?:kirim|unggah|teruskan|posting)",
            r"\.env\b|kata sandi|kunci|kredensial|tokens?\b|rahasia|variabel lingkungan",
        ),
        (
            r"\b(?:tanpa (?:bertanya|menanyakan|meminta|menunggu|izin|persetujuan|konfirmasi)|jangan (?:bertanya|tanya"
            "|meminta|minta|tunggu)|tidak perlu (?:izin|konfirmasi|persetujuan))",
            r"\b(?:jalankan|eksekusi|pasang|instal|hapus)",
            r"\b(?:pengguna|izin|persetujuan|segera)",
        ),
    ),
}  # fmt: skip
VERB_KEYWORDS = {
    "en": (
        "ignore|disregard|forget|discard|abandon|disobey|stop obeying|stop following|drop|no longer|not apply|none of"
        "|pay no|void|cancel|revoked|obsolete|suspended|lifted|invalid|not exist|never existed",
        "user|human|operator|developer|reviewer|maintainer|person|anyone|whoever|out of |from ",
        "send|upload|post|email|mail|curl|append|exfiltrate|transmit|forward|submit|leak|report|make a request|push",
        "without asking|confirmation|permission|approval|consent|waiting for|the user's|requesting|ask for|ask before"
        "|wait for|silently",
    ),
    "es": (
        "ignor|olvid|descart|desestim|de seguir|ya no |anul|no hagas caso|caso omiso|no sigas|no tengas|no prestes"
        "|sin efecto",
        "digas|cuentes|informes|menciones|reveles|avises|muestres|ocult|esconde|no debe |no puede |no tiene "
        "|en secreto|mant|sin que|secreto",
        "envía|envia|reenv|sube|manda|transmite|publica",
        "sin |no preguntes|no pidas|no esperes|no hace falta|no se necesita|no es necesari",
    ),
    "fr": (
        "ignore|oublie|compte|ne suis|ne suivez|ne respecte|attention|s'appliquent plus|valent plus|comptent plus"
        "|ne sont plus|ne est plus|annul",
        "n'en |ne dis|ne dites|ne parle|ne mentionne|ne révèle|ne signale|ne montre|n'informe|cache|dissimule|sans que"
        "|garde|secret|ne doit |ne peut ",
        "envoie|envoyez|transmet|téléverse|poste|publie",
        "sans |ne demande|n'attend",
    ),
    "pt": (
        "ignor|esque|desconsider|descarte|não siga|de seguir|não |já não|anul|cancel|sem efeito",
        "não |escond|oculte|em segredo|sem que",
        "envie|mande|carregue|suba|publique|transmita|encaminhe",
        "sem |não ",
    ),
    "de": (
        "ignorier|vergiss|vergessen|missachte|beacht|verwirf|gelten nicht|gilt nicht|außer kraft|aufgehoben|ungültig"
        "|nichtig|befolge",
        "nicht|verheimlich|verberg|versteck|verschweig|geheim|ohne dass|sag|erzähl|verrat|teil|darf|soll",
        "sende|schick|lad|übermitt|poste",
        "ohne ",
    ),
    "id": (
        "abaikan|lupakan|hiraukan|jangan |berhenti mengikuti|berlaku|batalkan|dibatal",
        "jangan |sembunyikan|rahasiakan|tidak boleh |tanpa sepengetahuan",
        "kirim|unggah|teruskan|posting",
        "tanpa |jangan |tidak perlu ",
    ),
}
"""The keywords of the first slot of each family."""
STRONG_SECRETS = (
    (
        ".env|~/.|id_rsa|id_ed25519|environment variables|key|token|password|credential|secret",
        HARVEST,
        r"\b(?:include|embed|encode|insert|append|put|place|send|upload|post|e-?mail|forward|transmit|copy|attach"
        r"|exfiltrate)\b",
        r"https?://(?!localhost\b|127\.|0\.0\.0\.0|\[::1)|\b(?:our|my|the following|an? (?:external|remote)|this)"
        r" (?:\w+ ){0,2}(?:server|endpoint|webhook|bucket|host|address|url)\b",
    ),
)
"""Keywords, secrets, verb and destination of other sentences that send secrets elsewhere, in English."""
