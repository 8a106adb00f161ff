"""A visitor's words: split into tokens, bounded, labelled, each with a category.

A token here is a word between white space, and one unit however many code points it takes. Nothing
in this module treats it as anything but text; what shows it must do the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

import regex

from mha.checks import require_index
from mha.sentence.lexicon import guess_category

CATEGORY_NAMES = ("product", "feature", "filler")
EXAMPLE = "the rain jacket is light packable"

MAX_TOKENS = 32
MAX_CLUSTERS = 24
MAX_CODE_POINTS = 8 * MAX_CLUSTERS  # a family emoji takes 7; stacked accents could take thousands
MAX_TEXT = 4096

_DIRECTION_CONTROLS = frozenset(["LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"])
# What leaves no ink: joiners, fillers, selectors, marks of interlinear notes, and empty Braille.
_INKLESS = regex.compile(r"[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800]+")
_COUNT = regex.compile(r" \(\d{1,2}\)\Z", regex.ASCII)  # of a repeated word's label


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
        is_cut = len(text) > MAX_TEXT
        if is_cut:
            complaints.append(
                f"the text must have at most {MAX_TEXT:,} characters; got more. "
                f"Try a shorter text; the rest is left out."
            )
        words = [_seen(word) for word in visible(text[:MAX_TEXT]).split()]
        if not words:
            complaints.append(f"the text must have at least one word; got none. Try: {EXAMPLE}")
            words = EXAMPLE.split()
        n_words = len(words)
        if n_words > MAX_TOKENS:
            complaints.append(
                f"a sentence must have at most {MAX_TOKENS} tokens; got {n_words}. "
                f"Try fewer words; the first {MAX_TOKENS} are shown."
            )
            words = words[:MAX_TOKENS]
        tokens = tuple(_seen(_shorten_to_limit(word)) for word in words)
        complaints += _too_long(words, tokens)
        guessed = cls(tokens, tuple(map(guess_category, tokens)))
        if categories is None or len(categories) == 0:
            return guessed, tuple(complaints)
        chosen, complaint = _read_categories(categories, guessed, n_words, is_cut)
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
        """The same tokens, one of them with another category.

        Raises:
            ValueError: a position that is not there, or a category other than 0, 1 and 2.
        """
        position = require_index("position", position, len(self))
        category = require_index("category", category, len(CATEGORY_NAMES))
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
    """Categories for edited text: words that stayed or moved keep theirs, new ones are guessed."""
    carried: list[int | None] = [None] * len(new_tokens)
    waiting = list(range(len(old)))  # places of old tokens that have found no new one
    matcher = SequenceMatcher(a=old.tokens, b=list(new_tokens), autojunk=False)
    for start_old, start_new, size in matcher.get_matching_blocks():
        carried[start_new : start_new + size] = old.categories[start_old : start_old + size]
        waiting = [place for place in waiting if not start_old <= place < start_old + size]
    for i, token in enumerate(new_tokens):
        if carried[i] is None:
            moved = next((place for place in waiting if old.tokens[place] == token), None)
            if moved is None:
                carried[i] = guess_category(token)
            else:
                carried[i] = old.categories[moved]
                waiting.remove(moved)
    return tuple(carried)


def grapheme_clusters(text: str) -> list[str]:
    """What a reader counts as characters: a letter with its accents, a whole emoji."""
    return regex.findall(r"\X", text)


@lru_cache(1024)  # a word stays the same while all else on a page changes
def shorten(label: str, most: int) -> str:
    """A label of at most `most` columns, where Chinese and emoji take two; its end becomes `…`.

    The count of a repeated word is kept, so that its places stay apart: `interna… (2)`.
    """
    clusters = grapheme_clusters(label)
    widths = list(map(_columns, clusters))
    if sum(widths) <= most:
        return label
    count = _COUNT.search(label)
    count = count[0] if count and len(count[0]) < most else ""
    kept, used = 0, 1 + len(count)  # the ellipsis takes one
    while used + widths[kept] <= most:
        used += widths[kept]
        kept += 1
    return "".join(clusters[:kept]) + "…" + count


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
    if character.isspace():
        return character
    category = unicodedata.category(character)
    if category == "Cc" and ord(character) < 32:
        return chr(0x2400 + ord(character))  # ␀ and its kin
    if category in ("Cc", "Cs") or unicodedata.bidirectional(character) in _DIRECTION_CONTROLS:
        return "\N{REPLACEMENT CHARACTER}"
    return character


def _seen(word: str) -> str:
    """The word, or a sign in its place where no character of it can be seen."""
    return "\N{REPLACEMENT CHARACTER}" if _INKLESS.fullmatch(word) else word


def _shorten_to_limit(word: str) -> str:
    """As many whole clusters as fit; of one cluster that alone is too long, its beginning."""
    token = ""
    for cluster in grapheme_clusters(word)[:MAX_CLUSTERS]:
        if len(token) + len(cluster) > MAX_CODE_POINTS:
            return token or cluster[:MAX_CODE_POINTS]
        token += cluster
    return token


def _too_long(words: Sequence[str], tokens: Sequence[str]) -> list[str]:
    """One message for all words that were cut to a token, naming the first; none for none."""
    cut = [(word, token) for word, token in zip(words, tokens, strict=True) if token != word]
    if not cut:
        return []
    word, token = cut[0]
    clusters = len(grapheme_clusters(word))
    if clusters > MAX_CLUSTERS:
        rule = f"at most {MAX_CLUSTERS} characters; got {clusters}"
    else:
        rule = f"at most {MAX_CODE_POINTS} code points; got {len(word)}"
    if len(cut) == 1:
        which, instead = "the one", "a shorter word; its beginning is shown"
    else:
        which = f"the first of {len(cut)} that are longer, the one"
        instead = "shorter words; their beginnings are shown"
    return [f"a token must have {rule} in {which} that begins with {token}. Try {instead}."]


def _read_categories(
    given: str | Sequence[int], guessed: Sentence, n_words: int, is_cut: bool
) -> tuple[tuple[int, ...], list[str]]:
    """The categories given, guesses in the gaps, and one message for all that does not fit.

    Args:
        given: not empty.
        n_words: of the text; digits for those that were left out are no mistake.
        is_cut: whether more words stood in what was cut off the text, so that nobody counted them.
    """
    T = len(guessed)
    numbers = [int(c) if c in ("0", "1", "2") else None for c in map(str, given[:T])]
    got = []
    if len(given) not in (T, n_words) and not (is_cut and len(given) > n_words):
        got.append(f"{len(given):,} for {T} token{'s' if T > 1 else ''}")
    if None in numbers:
        got.append(f"something else for {guessed.labels[numbers.index(None)]}")
    complaints = []
    if got:
        complaints.append(
            "categories must have one digit for each token, 0 (product), 1 (feature) or 2 "
            f"(filler); got {' and '.join(got)}. Try {guessed.category_digits}."
        )
    padded = numbers + [None] * (T - len(numbers))
    pairs = zip(padded, guessed.categories, strict=True)
    return tuple(guess if n is None else n for n, guess in pairs), complaints
