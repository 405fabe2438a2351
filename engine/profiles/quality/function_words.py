"""The closed-class words of English: what is left of a sentence is its form."""

from __future__ import annotations

_BY_KIND = {
    "articles and determiners": (
        "a an the this that these those each every either neither some any no all both half such another other others "
        "much many more most few fewer less least several enough own same"
    ),
    "pronouns": (
        "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her "
        "hers herself it its itself they them their theirs themselves who whom whose which what one ones somebody "
        "someone something anybody anyone anything nobody none nothing everybody everyone everything whoever whatever "
        "whichever"
    ),
    "auxiliaries": (
        "am is are was were be been being do does did done doing have has had having can could may might must shall "
        "should will would ought need dare let"
    ),
    "short forms": (
        "i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're we've "
        "we'd we'll they're they've they'd they'll that's that'll there's there'll here's what's who's where's how's "
        "isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't couldn't won't wouldn't shouldn't "
        "mustn't needn't let's"
    ),
    "prepositions": (
        "about above across after against along alongside amid among around as at atop before behind below beneath "
        "beside besides between beyond but by despite down during except for from in inside into like near of off on "
        "onto opposite out outside over past per round since than through throughout till to toward towards under "
        "underneath until unlike up upon via with within without"
    ),
    "conjunctions": (
        "and or nor so yet because although though while whereas if unless whether once when whenever where wherever why how that"
    ),
    "adverbs of degree, time and place": (
        "not never ever always often sometimes usually again still already just only even also too very quite rather "
        "almost nearly perhaps maybe here there now then today tonight yesterday tomorrow soon later else away back "
        "together apart instead anyway however meanwhile"
    ),
}

FUNCTION_WORDS = frozenset(word for words in _BY_KIND.values() for word in words.split())
