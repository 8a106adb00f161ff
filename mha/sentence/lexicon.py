"""A first guess at a word's category, for words that nobody has sorted yet.

    0 product: what a thing is      1 feature: what it is like      2 filler: what joins the words

A guess, no more: pages let a visitor change it. It knows the common joining words of a few
languages, some everyday adjectives, and the endings that make an English adjective.
"""

from __future__ import annotations

PRODUCT, FEATURE, FILLER = 0, 1, 2

_FILLERS = frozenset(
    """
    a an the this that these those my your his her its our their some any no every each all both
    is are was were be been being am do does did has have had can could will would shall should
    may might must not and or but nor so yet if then than as at by for from in into of off on
    onto out over to under up with without about after again against before between during
    through while i you he she it we they me him them us who whom whose which what when where
    why how there here very too also just only der die das ein eine und oder ist sind mit von zu
    im am auf nicht le la les un une des et ou est sont avec de du en sur dans pas el los las
    una y o es son con por para del al il lo gli e di che non per
    的 了 是 和 在 は が の を に と で も و في من على هو هي
    """.split()
)
_FEATURES = frozenset(
    """
    light heavy warm cold hot cool dry wet soft hard small big large tiny huge long short thin
    thick wide narrow new old young fast slow strong weak cheap fine good bad best better great
    nice fresh clean dark bright red green blue black white grey gray yellow orange pink purple
    brown tall deep flat round sharp smooth rough quiet loud safe sweet sour rich poor free full
    empty open happy sad brave clever lazy quick slim stretchy cosy cozy sturdy windproof
    """.split()
)
_FEATURE_ENDINGS = (
    "able ible ful less ous ive ish proof resistant tight friendly weight like ical"
).split()


def guess_category(word: str) -> int:
    """0 product, 1 feature or 2 filler; a word that nothing is known of counts as a product."""
    plain = word.casefold().strip(".,;:!?\"'()[]{}«»“”‘’…-–—")
    if not any(map(str.isalpha, plain)) or plain in _FILLERS:
        return FILLER if plain in _FILLERS or not _is_pictured(plain) else PRODUCT
    if plain in _FEATURES:
        return FEATURE
    ends_so = any(plain.endswith(e) and len(plain) > len(e) + 2 for e in _FEATURE_ENDINGS)
    return FEATURE if ends_so else PRODUCT


def _is_pictured(word: str) -> bool:
    """Whether a word without letters shows a thing, as an emoji does; digits and dots do not."""
    return any(ord(character) >= 0x2600 for character in word)
