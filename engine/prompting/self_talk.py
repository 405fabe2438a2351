"""What language models say around a prompt, as patterns: openings, labels, notes, marks of a chat. Each is narrow on purpose.

A prompt may itself hold colons, quotes and numbers; only wording that speaks about the reply counts as self-talk.
"""

from __future__ import annotations

import regex

_FLAGS = regex.VERSION1 | regex.IGNORECASE | regex.MULTILINE

_THINKING = r"(?:think|thinking|reasoning|thought)"
REASONING = regex.compile(rf"<({_THINKING})>.*?(?:</\1>|\Z)|\A.*</{_THINKING}>", _FLAGS | regex.DOTALL)
"""Closed, never closed, or opened in the part that the engine wrote."""

END_OF_TURN = regex.compile(r"(?:<\|(?:im_end|endoftext|eot_id|end|end_of_text)\|>|</s>|<end_of_turn>).*", _FLAGS | regex.DOTALL)
START_OF_TURN = regex.compile(r"\A\s*(?:<\|im_start\|>\s*)?assistant\s*[:\n]\s*|\A\s*<\|im_start\|>\s*", _FLAGS)

FENCE = regex.compile(r"^[ \t]*```[\w-]*[ \t]*\n(.*?)(?:^[ \t]*```|\Z)", _FLAGS | regex.DOTALL)
TAGGED = regex.compile(r"<(prompt|answer|output|instruction|response)>\s*(.*?)\s*(?:</\1>|\Z)", _FLAGS | regex.DOTALL)
BOLD = regex.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*")
ITALIC_LINE = regex.compile(r"^([ \t]*)\*(?=[^\s*])([^*\n]+)(?<=\S)\*[ \t]*$", _FLAGS)
QUOTED_LINE = regex.compile(r"^[ \t]*>[ \t]+", _FLAGS)

_TEXT = r"(?:prompts?|instructions?|answers?|outputs?|responses?|repl(?:y|ies)|rewrites?|versions?|quer(?:y|ies)|requests?|phrases|edits?)"
_ADJECTIVE = (
    r"(?:the|my|your|a|final|personali[sz]ed|image|picture|editing|edited|edit|rewritten|revised|new|complete|full|generated|generation|"
    r"text[- ]to[- ]image|suggested|possible|example|improved|user(?:'s)?|three|short)"
)
_COLON = r"[ \t]*[:：][ \t]*"
_REMARK = r"(?:[ \t]*\([^()\n]{0,60}\))?"

LABEL = regex.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]+)?(?:(?:{_ADJECTIVE}[ \t]+){{0,5}}{_TEXT}|提示词|提示|プロンプト){_REMARK}{_COLON}"
    rf"|^[ \t]*#{{1,6}}[ \t]+(?:{_ADJECTIVE}[ \t]+){{0,5}}{_TEXT}[ \t]*$",
    _FLAGS,
)
"""A line that begins by naming what follows: "Prompt:", "## Personalized Prompt", "Final image prompt (80 words):"."""

ALTERNATIVE = regex.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]+)?(?:(?:{_ADJECTIVE}[ \t]+){{0,3}}{_TEXT}|option|alternative|variation|variant|idea)"
    rf"[ \t]+#?(?P<number>[1-9]|[A-D]|one|two|three){_REMARK}(?:{_COLON}|[ \t]*$|[.)][ \t]+)",
    _FLAGS,
)
"""The head of one of several: "Option 1:", "Prompt B:", "### Version 2"."""

HEADING = regex.compile(r"^[ \t]*#{1,6}[ \t]+", _FLAGS)

_OTHER = r"another (?:option|version|prompt|alternative|variation|possibility)\b[^\n:]{0,60}"
ANOTHER = regex.compile(
    rf"^[ \t]*(?:or|alternatively|{_OTHER})[ \t]*[,:：]?[ \t]*$|^[ \t]*(?:alternatively,|{_OTHER}:)"
    r"|^[ \t]*([-_=*])(?:[ \t]*\1){2,}[ \t]*$",
    _FLAGS,
)
"""What stands between alternatives, or between a prompt and a remark."""

_OPENER = (
    r"(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|alright|got it|understood|gladly|no problem|claro(?: que sí)?|por supuesto|"
    r"bien sûr|natürlich|gerne|certo|конечно|好的|当然(?:可以)?|もちろん(?:です)?|承知しました|물론(?:입니다|이죠)?)"
)
_HERE = (
    r"(?:here(?:'s|’s| is| are)|below (?:is|are)|this is|the following|based on|given|using|considering|as requested|my|your|the|for|"
    r"i(?:'ve|’ve| have) (?:written|created|made|rewritten|crafted|personali[sz]ed))"
)
_HELP = (
    r"(?:(?:i(?:['’]d| would|['’]ll| will| am|['’]m) (?:be )?(?:very )?)?(?:happy|glad) to|i can (?:certainly |definitely )?help|let me)"
)
OPENINGS = (
    regex.compile(rf"\A\s*{_OPENER}[ \t]*[!.,:—！。，、：]+\s*", _FLAGS),
    regex.compile(rf"\A\s*{_HELP}\b[^\n.!:]{{0,100}}[.!:]\s*", _FLAGS),
    regex.compile(rf"\A\s*{_HERE}\b[^\n:：.]{{0,200}}?\b{_TEXT}\b[^\n:：.]{{0,120}}[:：]\s*", _FLAGS),
    regex.compile(r"\A\s*(?:这是|以下是|下面是|以下は|こちらが)[^\n:：。]{0,60}[:：]\s*", _FLAGS),
    regex.compile(
        r"\A\s*(?:hier ist|voici|aquí (?:está|tienes)|aqui está|ecco|вот)\b[^\n:：.]{0,120}?\b(?:prompt|anweisung|instruction|instrucción|"
        r"instrução|istruzione|запрос|промпт|version|versión)\b[^\n:：.]{0,80}[:：]\s*",
        _FLAGS,
    ),
)
"""What a reply begins with before the prompt: "Sure!", "I'd be happy to help.", "Here is a prompt that suits you:"."""

_HEADED = r"(?:notes?|explanation|rationale|reasoning|breakdown|disclaimer|negative prompt|word count)"
_CLOSING = (
    r"(?:i (?:really )?hope (?:this|that|it|you)|hope (?:this|that|it|you)|(?:please )?let me know|(?:please )?feel free to|"
    r"would you like (?:me|a|another|any)|do you want me to|if you(?:['’]d| would) like (?:me|any|to|a|another)|is there anything else)"
)
_ABOUT = (
    r"(?:(?:this|the|these)(?: \w+)? (?:prompts?|instructions?|version|rewrite|response|phrases) (?:\w+ly )?"
    r"(?:is|are|was|will|should|would|can|captures?|reflects?|includes?|incorporates?|combines?|keeps?|adds?|aims?|evokes?|highlights?|features?|"
    r"emphasi[sz]es?|describes?|uses?|focus(?:es)?|blends?|stays?|remains?|draws?|suits?|matches|match|provides?|creates?|suggests?)\b|"
    r"in this (?:prompt|version|instruction|rewrite)\b)"
)
_AFTER = r"(?<=[.!?。！？\"'”’»」』)\]*][ \t]+)"
NOTE = regex.compile(
    rf"(?:^[ \t]*|{_AFTER})[(\[*]?{_HEADED}\b[^\n:：]{{0,30}}[:：].*|(?:^[ \t]*|{_AFTER})\(?(?:{_CLOSING}|{_ABOUT}).*",
    _FLAGS | regex.DOTALL,
)
"""A remark about the reply and all that follows it: "Note: ...", "I hope this helps!", "This prompt captures ..."."""

WORD_COUNT = regex.compile(r"\s*[(\[]\s*(?:word count\s*[:：]\s*)?\d+\s+words?\.?\s*[)\]]\s*\Z", _FLAGS)

NUMBERED = regex.compile(r"^[ \t]*\(?(\d{1,2})[.)][ \t]+(?=\S)", _FLAGS)
BULLET = regex.compile(r"^[ \t]*[-*+•·–—▪◦●‣][ \t]+(?=\S)", _FLAGS)
PHRASE_LABEL = regex.compile(r"^[ \t]*(?:phrase|detail|item)[ \t]*#?[1-9][ \t]*[.:：)-][ \t]*", _FLAGS)

CATEGORY = regex.compile(
    r"\A(?:light(?:ing)?|materials?|environment|places?|objects?|actions?|cloth(?:es|ing)|colou?rs?|composition|details?)[ \t]*[:：][ \t]*",
    _FLAGS,
)
"""The kind of thing that a phrase names, before the phrase."""

PAIRS = {
    '"': '"', "'": "'", "＂": "＂", "“": "”", "‘": "’", "„": "“”", "‚": "‘’", "«": "»", "»": "«", "‹": "›", "「": "」", "『": "』",
    "《": "》", "〝": "〞〟", "`": "`", "”": "”",
}  # fmt: skip
"""Opening quotation marks and what may close each."""
