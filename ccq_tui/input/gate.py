"""The gate: judges each key once, from facts alone; nothing else in the program knows a time about keys.

Times are seconds of a monotonic clock. A key has the time at which it was read from the terminal; a surface
the times at which its frames were written there.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

NEVER = float("-inf")
QUIET = 0.4
"""Seconds in which a surface that came by itself takes no key that decides."""
HELD = 0.8
"""Seconds in which the same key may be the first repeat of one that is held down."""
REPEAT = 0.15
"""Most seconds between two repeats of a key that is held down."""
WORD = 0.3
"""Seconds in which a second printable key shows that the first one was no command, but began a word."""
ALONE = 0.25
"""Seconds from the first frame of a panel until a letter alone may be a command."""
SEEN = 2.0
"""Seconds in sight after which a panel counts as seen."""
WRITING = 1.5
"""Seconds after a typed character in which a letter decides nothing."""
AGAIN, CONFIRM = 2.0, 10.0
"""Seconds in which a key that must be pressed twice counts as pressed again; after a question to read."""
PAUSE, THINKING = 0.8, 1.5
"""Seconds without a key in an empty prompt, and in one that holds text, until a panel may open by itself."""
FOCUS = 0.3
"""Seconds after the terminal got the focus in which a click only brought it to the front."""

EDITS = frozenset(("home", "end", "left", "right", "tab", "shift+tab"))
"""Keys that edit a text, whatever else they are to a surface."""


class KeyKind(StrEnum):
    """What a key is to the surface in front, before any time is looked at."""

    NONE = "none"
    """Nothing; a printable one begins own words."""
    TEXT = "text"
    """A character of the text that is open."""
    OPEN = "open"
    """It opens a text."""
    MOVE = "move"
    """It moves or toggles: such keys may follow each other fast."""
    IDLE = "idle"
    """A digit that is not offered: nothing, unless more of a word follows."""
    ACT = "act"
    """Any other effect that can be seen and undone."""
    DECIDE = "decide"
    """It confirms something."""


class To(StrEnum):
    """Where a key goes."""

    PANEL = "panel"
    """To the surface in front: its command, or a character of its open text."""
    PROMPT = "prompt"
    WORDS = "words"
    """Into own words, with the keys before it, whose effects are taken back."""
    NOWHERE = "nowhere"


class Sign(StrEnum):
    """What the line of keys says about a key that did not decide."""

    AGAIN = "again"
    """It came too early: the next one counts."""
    NOT_SENT = "not sent"
    """It ended words for the prompt: the next one sends them."""
    DOUBT = "doubt"
    """The letter before it may have opened the text, or begun a word."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key, a paste or a click.

    Attributes:
        name: Its name, as Textual spells it; "paste" or "click".
        text: What it types, or "".
        at: When it was read.
    """

    name: str
    text: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Face:
    """The surface in front, as a key finds it.

    Attributes:
        kind: What the key is to it.
        shown_at: When its first whole frame was written, or None before that.
        words_at: When the words of what the key decides were written, or None before that.
        by_itself: Whether it came by itself, not by a key.
        used: Whether it had a click, a letter's command, or a key that is not printable.
        lasts: Whether the key decides for longer than this once, or for good.
        takes_words: Whether it has own words to begin.
        prompts: Whether there is a prompt that takes what is not meant for the surface.
        draft: Whether that prompt holds text.
        quiet: Seconds in which it takes no key that decides, where it came by itself.
        twice: What the key does only when it is pressed twice, or "".
        reads: Whether there is a question to read before it is pressed again.
        interrupts: Whether it interrupts Claude.
    """

    kind: KeyKind = KeyKind.NONE
    shown_at: float | None = NEVER
    words_at: float | None = NEVER
    by_itself: bool = True
    used: bool = False
    lasts: bool = False
    takes_words: bool = True
    prompts: bool = True
    draft: bool = False
    quiet: float = QUIET
    twice: str = ""
    reads: bool = False
    interrupts: bool = False

    @property
    def again(self) -> float:
        """Seconds in which a key that must be pressed twice counts as pressed again."""
        return CONFIRM if self.reads else AGAIN

    def drawn_before(self, at: float) -> bool:
        """Return whether what a key decides was on the terminal before it was read."""
        times = (self.shown_at, self.words_at)
        return all(one is not None and one <= at for one in times)

    def typed_on(self, at: float) -> "Face":
        """Return a surface that came by itself after a character typed there: what was begun goes on."""
        if self.shown_at is None:
            return self
        begun = at - self.shown_at < self.quiet
        return replace(self, shown_at=at) if begun else replace(self, by_itself=False)


@dataclass(frozen=True, slots=True)
class Hand:
    """What the keys before came to.

    Attributes:
        name: The last key.
        at: Its time.
        to: Where it went.
        word: The printable keys that just acted as commands; a word, if another one follows at once.
        word_at: The time of the last of them.
        moves: Whether all of them only moved or toggled.
        opened_at: When a letter opened a text in which nothing was typed yet.
        wrote_at: When a character was last typed, wherever.
        prompt_at: When a key last went to the prompt.
        signed: The key that a sign asked to press again, with what for, or "".
        escaped_at: When the last Esc came.
    """

    name: str = ""
    at: float = NEVER
    to: To = To.PROMPT
    word: tuple[str, ...] = ()
    word_at: float = NEVER
    moves: bool = False
    opened_at: float = NEVER
    wrote_at: float = NEVER
    prompt_at: float = NEVER
    signed: str = ""
    escaped_at: float = NEVER

    def walks(self, at: float) -> bool:
        """Return whether the keys just before only moved: people press such keys fast."""
        return bool(self.word) and self.moves and at - self.word_at < WORD

    def writes_elsewhere(self, at: float) -> bool:
        """Return whether the key just before went into words that are not on the surface."""
        return self.to is not To.PANEL and at - self.wrote_at < WORD

    def noted(self, key: Stroke, to: To = To.PROMPT) -> "Hand":
        """Return the hand after a key that nothing had to judge."""
        wrote = key.at if key.text else self.wrote_at
        prompt_at = key.at if to is To.PROMPT and key.text else self.prompt_at
        escaped = key.at if key.name == "escape" else self.escaped_at
        return Hand(key.name, key.at, to, wrote_at=wrote, prompt_at=prompt_at, escaped_at=escaped)

    def again(self, key: Stroke) -> bool:
        """Return whether a key is pressed again, with no other between."""
        return key.name == self.name and key.at - self.at < AGAIN


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a key.

    Attributes:
        to: Where it goes.
        decides: Whether it may decide; else it only does what can be seen and undone.
        after: Seconds until it counts, unless a printable key, or for another key the same one, follows.
        words: The printable keys that go to the prompt or into own words, the earlier ones first.
        sign: What the line of keys says, or None.
    """

    to: To
    decides: bool = True
    after: float = 0.0
    words: tuple[str, ...] = ()
    sign: Sign | None = None

    @property
    def takes_back(self) -> bool:
        """Whether what earlier keys did is undone."""
        return len(self.words) > 1


def is_seen(face: Face, hand: Hand, at: float) -> bool:
    """Return whether what was on the surface is known to the person: it was used, or in sight for a while."""
    if face.used or not (face.by_itself and face.prompts):
        return True
    return face.shown_at is not None and at - max(face.shown_at, hand.prompt_at) >= SEEN


def judge(key: Stroke, face: Face, hand: Hand) -> tuple[Verdict, Hand]:
    """Return what becomes of a key, and the hand after it."""
    begun = key.at - hand.word_at < WORD
    written = face.draft or hand.writes_elsewhere(key.at)
    goes_on = (hand.word and begun) or hand.writes_elsewhere(key.at)
    blank = key.text == " " and face.kind is not KeyKind.TEXT and not goes_on
    if key.text and not (blank and (is_seen(face, hand, key.at) or not written)):
        verdict = _printed(key, face, hand if begun else replace(hand, word=()), written=written)
    else:
        verdict = _pressed(key, face, hand)
    return verdict, _after(key, face, hand if begun else replace(hand, word=()), verdict)


def _printed(key: Stroke, face: Face, hand: Hand, *, written: bool) -> Verdict:
    words = (*hand.word, key.text)
    goes_on = bool(hand.word) and not (hand.moves and face.kind is KeyKind.MOVE)
    goes_on = goes_on or hand.writes_elsewhere(key.at)
    alone = len(key.text) == 1 and key.name != "paste"
    # A word belongs to where its first character came.
    if not is_seen(face, hand, hand.word_at if hand.word else key.at):
        drawn = face.shown_at is not None and key.at >= face.shown_at
        digit = alone and key.text.isdigit() and face.kind in (KeyKind.MOVE, KeyKind.ACT)
        if drawn and digit and not goes_on:
            return Verdict(To.PANEL)  # with words in the prompt, too: it moves, and that can be seen
        acts = alone and face.kind not in (KeyKind.NONE, KeyKind.IDLE, KeyKind.TEXT)
        if not (drawn and acts) or written or goes_on or hand.word or key.at - (face.shown_at or 0.0) < ALONE:
            return Verdict(To.PROMPT, words=words)
        return Verdict(To.PANEL, decides=False, after=WORD)
    if face.kind is KeyKind.TEXT:
        doubt = key.at - hand.opened_at < WORD and key.name != "paste"
        return Verdict(To.PANEL, sign=Sign.DOUBT if doubt else None)
    if goes_on or face.kind is KeyKind.NONE or not alone:
        own = face.takes_words or not face.prompts
        return Verdict(To.WORDS if own else To.PROMPT, words=words if goes_on else (key.text,))
    if face.kind is KeyKind.DECIDE:
        typing = key.at - hand.wrote_at < WRITING or (face.draft and not face.used)
        fresh = face.by_itself and key.at - (face.shown_at or 0.0) < face.quiet
        soon = face.lasts and key.at - (face.words_at or 0.0) < WORD
        decides = face.drawn_before(key.at) and not (typing or fresh or soon)
        return Verdict(To.PANEL, decides, after=WORD if decides else 0.0)
    return Verdict(To.PANEL)


def _pressed(key: Stroke, face: Face, hand: Hand) -> Verdict:
    same, gap = key.name == hand.name, key.at - hand.at
    early = face.shown_at is None or key.at < face.shown_at
    since = key.at - hand.escaped_at if key.name == "escape" else gap if same else -NEVER
    once = face.twice or face.interrupts or key.name in ("enter", "space", "ctrl+d")
    if once and since < (QUIET if face.interrupts else REPEAT):
        return Verdict(To.NOWHERE)
    signed = hand.signed == key.name + face.twice and not (face.twice and gap >= face.again)
    if key.name == "enter" and face.prompts and face.draft and face.by_itself:
        if early:
            return Verdict(To.PROMPT, decides=False)
        if hand.to is To.PROMPT:
            later = REPEAT if same and gap < HELD else 0.0
            return Verdict(To.PROMPT, after=later) if signed else Verdict(To.NOWHERE, sign=Sign.NOT_SENT)
    edits = face.kind is KeyKind.NONE or key.name in EDITS
    if edits and hand.to is To.PROMPT and face.prompts and face.draft:
        return Verdict(To.PROMPT)  # it edits the words that are being written there
    if face.kind is not KeyKind.DECIDE:
        return Verdict(To.PANEL)
    if face.words_at is None or not face.drawn_before(key.at):
        return Verdict(To.NOWHERE, sign=Sign.AGAIN)
    wait = (HELD if same else WORD) if face.lasts else 0.0
    quiet = HELD if same and gap < HELD else face.quiet
    fresh = face.by_itself and key.at - (face.shown_at or 0.0) < quiet
    ends_words = key.name == "enter" and hand.to is To.WORDS
    if not signed and (face.twice or fresh or ends_words or key.at - face.words_at < wait):
        return Verdict(To.NOWHERE, sign=Sign.AGAIN)
    return Verdict(To.PANEL, after=REPEAT if same and gap < HELD else 0.0)


def _after(key: Stroke, face: Face, hand: Hand, verdict: Verdict) -> Hand:
    escaped = key.at if key.name == "escape" else hand.escaped_at
    after = replace(hand, name=key.name, at=key.at, word=(), opened_at=NEVER, signed="", escaped_at=escaped)
    if verdict.to is To.NOWHERE:
        # A key held down stays signed: its next press is the one that counts.
        signed = key.name + face.twice if verdict.sign else hand.signed if hand.name == key.name else ""
        return replace(after, to=hand.to, signed=signed)
    if verdict.to is To.PROMPT:
        return replace(after, to=To.PROMPT, wrote_at=key.at, prompt_at=key.at)
    lost = verdict.to is To.WORDS and not face.takes_words
    after = replace(after, to=To.WORDS if lost else To.PANEL)
    if verdict.to is To.WORDS or (key.text and face.kind is KeyKind.TEXT):
        return replace(after, wrote_at=key.at)
    if not key.text or (key.text == " " and not hand.word):
        return after
    if face.kind is KeyKind.OPEN and not verdict.after:
        return replace(after, opened_at=key.at)
    moves = face.kind is KeyKind.MOVE and (hand.moves or not hand.word)
    return replace(after, word=(*hand.word, key.text), word_at=key.at, moves=moves)


def may_open(now: float, typed_at: float | None, *, draft: bool) -> float:
    """Return the seconds until a panel may open by itself; 0.0 when it may open now."""
    return 0.0 if typed_at is None else max(0.0, typed_at + (THINKING if draft else PAUSE) - now)
