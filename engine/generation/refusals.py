"""Whether a reply declines the task. Conservative: a prompt that merely holds such words ("I can't stop laughing") declines nothing.

A reply counts as a refusal only if it begins with one: the speaker apologises or speaks as a model, and cannot or will not do what was
asked; or says outright that they cannot help with, or write, *this request*.
"""

from __future__ import annotations

import regex

VERSION = "refusals-1"

READ = 400
"""Characters that are looked at: a refusal comes first."""

_FLAGS = regex.VERSION1 | regex.IGNORECASE

_POLITELY = r"(?:respectfully |politely )?"
_SORRY = (
    r"(?:(?:i am|we are|we're) (?:very |so |truly |really |deeply )?sorry|sorry|i (?:sincerely )?apologi[sz]e|(?:my )?apologies|"
    r"unfortunately|regrettably|i am afraid)"
)
_MODEL = r"as an? (?:responsible |helpful |digital )?(?:ai|artificial intelligence|(?:large )?language model|text-based)\b"
_REST = r"[^.!?\n]{0,140}?"
_CANNOT = (
    r"i (?:really |simply |just )?(?:cannot|can't|can not|could not|couldn't|(?:won't|will not)(?: be able to)?|"
    r"am (?:not able|unable|not allowed|not permitted|not capable)|"
    rf"(?:must|have to) {_POLITELY}(?:decline|refuse)|{_POLITELY}(?:decline|refuse) to)\b"
)
_THIS = (
    r"(?:(?:that|this)(?= *(?:[.!,;:]|$))|(?:(?:your|this|that|such|the|any|an?|these|those) )?(?:[\w-]+ ){0,3}?"
    r"(?:requests?|prompts?|content|images?|pictures?|instructions?|material|task|edits?|depictions?|captions?)"
    r"(?= *(?:[.!,;:]|$)| (?:of|that|which|with|for|in|as|because|due|since|about|or|and|you)\b))"
)
_DO = (
    r"(?:create|generate|produce|write|provide|make|draw|design|rewrite|edit|describe|depict|discuss|fulfil+|complete|answer|offer|do|give|"
    r"process|continue|accept|satisfy|respond to|accommodate|carry out|proceed with)"
)
_HELP = r"(?:(?:help|assist)(?: you)?(?: with| in| on|(?= *(?:[.!,;]|$)))|comply\b|engage (?:in|with)|participate in|support)"

_ENGLISH = (
    # "I'm sorry, but I can't."  "Unfortunately I am unable to write this prompt."
    rf"{_SORRY}{_REST}\b{_CANNOT}(?: *(?:[.!]|$)| (?:to )?{_HELP}| (?:to )?{_DO}\b{_REST}{_THIS})",
    # "As an AI, I am not able to see pictures."
    rf"(?:{_SORRY}{_REST})?{_MODEL}{_REST}\b{_CANNOT}",
    # "I can't help with that."  "I understand, but I cannot write this prompt."
    rf"(?:(?:i (?:understand|appreciate)|thank you|thanks)\b{_REST}[,.] *(?:but |however,? )?)?"
    rf"{_CANNOT} (?:to )?(?:{_HELP}|{_DO} (?:you )?{_THIS})",
    rf"(?:{_SORRY}{_REST}\b)?i (?:am not|do not feel|don't feel) comfortable{_REST}\b{_THIS}",
    rf"(?:{_SORRY}{_REST}\b)?i (?:must|have to) {_POLITELY}(?:decline|refuse)\b",
    rf"(?:{_SORRY}{_REST})?(?:this|your|the) (?:request|prompt|content|instruction) (?:(?:may )?violates?|goes against|is against)\b",
)

_OTHERS = (
    (r"(?:es )?tut mir (?:sehr )?leid|entschuldigung|leider", r"kann|darf|werde|möchte", r"helfen|erstellen|schreiben|erfüllen|nachkommen"),
    (r"(?:je suis |nous sommes )?désolée?s?|malheureusement", r"ne (?:peux|suis|pourrai)", r"aider|répondre|créer|générer|écrire|fournir"),
    (r"lo siento|lamentablemente|disculpa|perdón", r"no (?:puedo|podré)", r"ayudar|crear|generar|escribir|cumplir|proporcionar|responder"),
    (r"sinto muito|desculpe|lamento|infelizmente", r"não (?:posso|consigo)", r"ajudar|criar|gerar|escrever|atender|fornecer|responder"),
    (r"mi dispiace|purtroppo|scusa", r"non posso", r"aiutar|creare|generare|scrivere|soddisfare|fornire|rispondere"),
    (r"извините|к сожалению|простите|прошу прощения", r"не (?:могу|смогу)", r"помочь|создать|написать|выполнить|ответить|предоставить"),
    (r"很?抱歉|对不起|對不起|不好意思", r"无法|無法|不能|不可以", r"帮|幫|协助|協助|提供|生成|创建|創建|满足|滿足|回答|完成|处理"),
    (r"申し訳(?:ありません|ございません)|すみません|ごめんなさい", "", r"できません|できかねます|いたしかねます"),
    (r"죄송합니다|죄송하지만|미안하지만", "", r"수 없습니다|수 없어요"),
    (r"عذرًا|عذرا|آسف|أعتذر|للأسف", r"لا (?:أستطيع|يمكنني)", r"مساعدت|إنشاء|كتابة|تقديم|تلبية"),
    (r"क्षमा करें|माफ़ करें|मुझे खेद है", "", r"नहीं कर सकत"),
)
"""German, French, Spanish, Portuguese, Italian, Russian, Chinese, Japanese, Korean, Arabic, Hindi: an apology, "cannot", and what."""


def _told(sorry: str, cannot: str, what: str) -> str:
    # The apology may be a sentence of its own: "Es tut mir leid. Ich kann dabei nicht helfen."
    return rf"(?:{sorry})[^\n]{{0,80}}?(?:{cannot})[^.!?。！？؟।\n]{{0,80}}?(?:{what})"


_REFUSAL = regex.compile("|".join(f"(?:{pattern})" for pattern in (*_ENGLISH, *(_told(*words) for words in _OTHERS))), _FLAGS)
_BEFORE = regex.compile(r"^(?:[\s\p{P}\p{S}]|(?:hello|hi|hey|oh|well)\b)+", _FLAGS)


def is_refusal(reply: str) -> bool:
    """Whether a reply, without the model's reasoning, declines the task instead of doing it."""
    text = regex.sub(r"\bi'm\b", "i am", _BEFORE.sub("", reply[:READ].replace("’", "'")), flags=_FLAGS)
    return bool(_REFUSAL.match(text))
