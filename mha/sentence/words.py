"""A visitor's words: split into tokens, bounded, labelled, each with a category.

A token here is a word between white space, and one unit however many code points it takes. Nothing
in this module treats it as anything but text; what shows it must do the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

import regex

from mha.sentence.lexicon import guess_category

CATEGORY_NAMES = ("product", "feature", "filler")
EXAMPLE = "the rain jacket is light packable"

MAX_TOKENS = 32
MAX_CLUSTERS = 24
MAX_CODE_POINTS = 8 * MAX_CLUSTERS  # a family emoji takes 7; stacked accents could take thousands
MAX_TEXT = 4096

_DIRECTION_CONTROLS = frozenset(["LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"])
_ZERO_WIDTH_JOINERS = "\u200c\u200d"  # needed inside emoji, Persian and Indic words


@dataclass(frozen=True)
class Sentence:
    """Tokens in order, and the category of each: 0 product, 1 feature, 2 filler."""

    tokens: tuple[str, ...]
    categories: tuple[int, ...]

    @classmethod
    def parse(cls, text: str, categories: str | Sequence[int] | None = None) -> Sentence:
        """Split text on white space and give every token a category.

        Args:
            text: 1 to 32 tokens of at most 24 grapheme clusters each.
            categories: one number a token, as a sequence or as digits ("200211"); None guesses.

        Raises:
            ValueError: the first thing that does not fit. `fit` says them all and goes on.
        """
        sentence, complaints = cls.fit(text, categories)
        if complaints:
            raise ValueError(complaints[0])
        return sentence

    @classmethod
    def fit(
        cls, text: str, categories: str | Sequence[int] | None = None
    ) -> tuple[Sentence, tuple[str, ...]]:
        """Take of `text` what fits, and say what did not.

        Returns:
            the sentence (the example where the text holds no token), and a message for each limit
            that was passed; no message means that everything fitted.
        """
        complaints = []
        if len(text) > MAX_TEXT:
            complaints.append(
                f"the text must have at most {MAX_TEXT:,} characters; got {len(text):,}. "
                f"Try a shorter text; the rest is left out."
            )
            text = text[:MAX_TEXT]
        words = [_seen(word) for word in visible(text).split()]
        if not words:
            complaints.append(f"the text must have at least one word; got none. Try: {EXAMPLE}")
            words = EXAMPLE.split()
        if len(words) > MAX_TOKENS:
            complaints.append(
                f"a sentence must have at most {MAX_TOKENS} tokens; got {len(words)}. "
                f"Try fewer words; the first {MAX_TOKENS} are shown."
            )
            words = words[:MAX_TOKENS]
        tokens = tuple(map(_shorten_to_limit, words))
        for word, token in zip(words, tokens, strict=True):
            if token != word:
                complaints.append(_too_long(word, token))
        chosen, complaint = _read_categories(categories, tokens)
        return cls(tokens, chosen), tuple(complaints + complaint)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A unique name for each token: a repeated word gets its count, as in `the (2)`.

        Tokens hold no space, so that no label can be another token's text.
        """
        seen: dict[str, int] = {}
        labels = []
        for token in self.tokens:
            seen[token] = seen.get(token, 0) + 1
            labels.append(token if seen[token] == 1 else f"{token} ({seen[token]})")
        return tuple(labels)

    def with_category(self, position: int, category: int) -> Sentence:
        """The same tokens, one of them with another category."""
        changed = list(self.categories)
        changed[position] = category
        return Sentence(self.tokens, tuple(changed))

    @property
    def category_digits(self) -> str:
        """The categories as they travel in a link, one digit a token."""
        return "".join(map(str, self.categories))

    @property
    def is_guessed(self) -> bool:
        """Whether every category is the one that would be guessed, so that none need be kept."""
        return self.categories == tuple(map(guess_category, self.tokens))

    def __len__(self) -> int:
        return len(self.tokens)


def carry_categories(old: Sentence, new_tokens: Sequence[str]) -> tuple[int, ...]:
    """Categories for edited text: words that stayed keep theirs, words never seen are guessed."""
    carried = [guess_category(token) for token in new_tokens]
    matcher = SequenceMatcher(a=old.tokens, b=list(new_tokens), autojunk=False)
    for start_old, start_new, size in matcher.get_matching_blocks():
        carried[start_new : start_new + size] = old.categories[start_old : start_old + size]
    return tuple(carried)


def grapheme_clusters(text: str) -> list[str]:
    """What a reader counts as characters: a letter with its accents, a whole emoji."""
    return regex.findall(r"\X", text)


def shorten(label: str, most: int) -> str:
    """A label of at most `most` columns, where Chinese and emoji take two; its end becomes `…`."""
    widths = [_columns(cluster) for cluster in grapheme_clusters(label)]
    if sum(widths) <= most:
        return label
    kept, used = 0, 1  # the ellipsis takes one
    while used + widths[kept] <= most:
        used += widths[kept]
        kept += 1
    return "".join(grapheme_clusters(label)[:kept]) + "…"


def _columns(cluster: str) -> int:
    """Columns of a cluster: two where it is wide by itself, a flag, or asks for its emoji look."""
    wide = unicodedata.east_asian_width(cluster[0]) in "WF"
    is_flag = regex.match(r"\p{Regional_Indicator}{2}", cluster) is not None
    return 2 if wide or is_flag or "\N{VARIATION SELECTOR-16}" in cluster else 1


def visible(text: str) -> str:
    """Make what cannot be seen visible or harmless: controls, lone surrogates, direction overrides.

    An override (U+202E and its kin) would turn round whatever stands beside the word.
    """
    return "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    if character.isspace() or character in _ZERO_WIDTH_JOINERS:
        return character
    category = unicodedata.category(character)
    if category == "Cc" and ord(character) < 32:
        return chr(0x2400 + ord(character))  # ␀ and its kin
    if category in ("Cc", "Cs") or unicodedata.bidirectional(character) in _DIRECTION_CONTROLS:
        return "\N{REPLACEMENT CHARACTER}"
    return character


def _seen(word: str) -> str:
    """The word, or a sign in its place where every character of it is invisible."""
    invisible = all(unicodedata.category(character) == "Cf" for character in word)
    return "\N{REPLACEMENT CHARACTER}" if invisible else word


def _shorten_to_limit(word: str) -> str:
    """As many whole clusters as fit; of one cluster that alone is too long, its beginning."""
    token = ""
    for cluster in grapheme_clusters(word)[:MAX_CLUSTERS]:
        if len(token) + len(cluster) > MAX_CODE_POINTS:
            return token or cluster[:MAX_CODE_POINTS]
        token += cluster
    return token


def _too_long(word: str, token: str) -> str:
    clusters = len(grapheme_clusters(word))
    if clusters > MAX_CLUSTERS:
        rule = f"at most {MAX_CLUSTERS} characters; got {clusters}"
    else:
        rule = f"at most {MAX_CODE_POINTS} code points; got {len(word)}"
    return (
        f"a token must have {rule} in the one that begins with {token}. "
        f"Try a shorter word; its beginning is shown."
    )


def _read_categories(
    given: str | Sequence[int] | None, tokens: tuple[str, ...]
) -> tuple[tuple[int, ...], list[str]]:
    guessed = tuple(map(guess_category, tokens))
    if given is None or len(given) == 0:
        return guessed, []
    numbers = [int(c) if c in ("0", "1", "2") else None for c in map(str, given[:MAX_TEXT])]
    complaints = []
    if len(given) != len(tokens):
        complaints.append(
            f"categories must have one digit for each token; got {len(given)} for "
            f"{len(tokens)} tokens. Try {''.join(map(str, guessed))}."
        )
    if None in numbers[: len(tokens)]:
        complaints.append(
            "categories must be 0 (product), 1 (feature) or 2 (filler); "
            f"got something else at token {numbers.index(None)}. "
            f"Try {''.join(map(str, guessed))}."
        )
    padded = numbers[: len(tokens)] + [None] * (len(tokens) - len(numbers))
    pairs = zip(padded, guessed, strict=True)
    return tuple(guess if n is None else n for n, guess in pairs), complaints
