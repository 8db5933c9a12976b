"""The keys of one panel: each is judged by the gate, and taken to where it goes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ccq_tui.input.gate import Face, KeyKind, Sign, Stroke, To, Verdict, is_seen
from ccq_tui.input.keynames import shown_key
from ccq_tui.questions.events import Clicked, Doubted, Pressed, Signed, TabClicked, TakenBack, Words
from ccq_tui.questions.keys import enter_words, kind_of
from ccq_tui.questions.state import Focus
from ccq_tui.widgets.keys import Keyboard, Waiting

NOT_SENT = "Enter again sends the prompt"
UNSEEN = Face(shown_at=None, words_at=None)


class PanelKeys(Waiting):
    """Takes the keys, pastes and clicks of one `RequestPanel`.

    Attributes:
        face: What the gate knows of the panel, but for the key.
    """

    def __init__(self, panel: Any, hands: Callable[[], Keyboard]) -> None:
        super().__init__()
        self.face = UNSEEN
        self._panel = panel
        self._hands = hands
        self._before: Any = None
        """The state before the first key of a word."""
        self._word: list[tuple[str, Any]] = []
        """The keys since then: what each types, and the input itself."""
        self._decides: object = None

    def begin(self, *, by_itself: bool, used: bool = False) -> None:
        """Begin with a panel that is not drawn yet."""
        self.cancel()
        self.face = replace(UNSEEN, by_itself=by_itself, used=used)
        self._decides, self._word = None, []

    def undecided(self) -> list[Any]:
        """Return the letter that was not known to be a command yet, if the panel goes before it is."""
        waits = self._due is not None and bool(self._due.key.text) and not self._due.decides
        return [self._word[-1][1]] if waits else []

    def come(self) -> None:
        """Come to the front: no key from elsewhere is the beginning of a word here."""
        self._hands().forget_keys()
        if not self.face.by_itself:
            self._hands().at_panel()

    def drawn(self) -> object | None:
        """Return what Enter decides if its words were drawn anew, or None."""
        state = self._panel.state
        decides = state.tab, state.focus, enter_words(state), state.questions, state.hidden
        if decides == self._decides:
            return None
        self._decides, self.face = decides, replace(self.face, words_at=None)
        return decides

    def written(self, decides: object, at: float) -> None:
        """Note that these words are on the terminal."""
        if decides == self._decides and self.face.words_at is None:
            shown_at = at if self.face.shown_at is None else self.face.shown_at
            self.face = replace(self.face, shown_at=shown_at, words_at=at)

    def seen(self, at: float) -> bool:
        """Return whether the panel is known to the person."""
        return is_seen(self.face, self._hands().hand, at)

    @property
    def enter_is_prompts(self) -> bool:
        """Whether Enter belongs to words in the prompt."""
        ours = self.face.by_itself and self._hands().hand.to is To.PROMPT
        return ours and bool(self._panel.drafting)

    def take(self, key: Stroke, typed: Any, *intended: Pressed) -> bool:
        """Take a key or a paste, with its meanings here; return whether it is done with.

        Else it is a character of the open text.
        """
        state = self._panel.state
        if state.hidden:
            self._hands().note(key, To.PANEL)
            return self._obey(intended, uses=True)
        if self._hands().hand.walks(key.at):
            intended = tuple(replace(one, walks=True) for one in intended)
        kinds = [kind_of(state, one) for one in intended] or [KeyKind.TEXT] * state.typing
        kind = next((one for one in kinds if one is not KeyKind.NONE), KeyKind.NONE)
        verdict = self._judge(key, kind, takes=any(one.key == "enter" for one in intended))
        if len(self._hands().hand.word) == 1:
            self._before, self._word = state, []
        if key.text:
            self._word.append((key.text, typed))
        match verdict.to:
            case To.NOWHERE:
                self._sign(key, verdict.sign)
            case To.PROMPT if not verdict.words:
                sends = key.name == "enter" and verdict.decides
                self.wait(key, verdict.after, partial(self._send, typed, sends=sends), self._panel.later)
            case To.PROMPT | To.WORDS:
                self._write(verdict)
            case To.PANEL:
                return self._command(key, kind, verdict, intended)
        return True

    def _command(self, key: Stroke, kind: KeyKind, verdict: Verdict, intended: Sequence[Pressed]) -> bool:
        if key.text and kind is KeyKind.TEXT:
            if verdict.sign is Sign.DOUBT:
                self._panel.dispatch(Doubted(self._word[-2][0]))
            return False
        first = [replace(one, decides=False) for one in intended]
        intended = intended if verdict.decides else first
        uses = not (key.text.isdigit() or kind is KeyKind.NONE)
        before = self._panel.state
        if not verdict.after:
            obeyed = self._obey(intended, uses=uses)
            if not verdict.decides and self._panel.state == before:
                self._panel.dispatch(Signed(f"Press {shown_key(key.name)} again after a moment"))
            return obeyed
        if verdict.decides and key.text:
            self._obey(first, uses=uses)  # the cursor shows what it will take
        call = partial(self._obey, intended, uses=uses)
        self.wait(key, verdict.after, call, self._panel.later, decides=verdict.decides)
        return True

    def followed(self, key: Stroke) -> Stroke | None:
        """Do or drop what waits, and say which letter no longer decides."""
        if letter := super().followed(key):
            self._sign(letter, Sign.AGAIN)
        return letter

    def _send(self, typed: Any, *, sends: bool) -> None:
        """Give the prompt a key that types nothing; no sign about it stands any longer."""
        self._panel.to_prompt([typed], sends=sends)
        self._panel.dispatch(Signed(""))

    def click(self, key: Stroke, clicked: Clicked | TabClicked) -> None:
        """Take a click, as of the time when the button went down."""
        self.run_due()
        if self._panel.state.hidden or self.face.shown_at is None:
            return
        page, takes = self._panel.state.page, clicked == Clicked(self._panel.state.page.cursor)
        decides = (
            takes if page.question.acts else self._panel.state.in_review and isinstance(clicked, Clicked)
        )
        verdict = self._judge(key, KeyKind.DECIDE if decides else KeyKind.ACT, takes=takes)
        if verdict.to is To.PANEL:
            self._use()
            self.wait(key, verdict.after, partial(self._panel.dispatch, clicked), self._panel.later)
        else:
            self._sign(key, verdict.sign)

    def _judge(self, key: Stroke, kind: KeyKind, *, takes: bool) -> Verdict:
        """Judge a key or click; ``takes``: it takes the row under the cursor."""
        state, draft = self._panel.state, self._panel.drafting
        question = state.page.question
        act = None if state.typing else state.act
        lasts = (takes and act is not None and act.lasts) or state.focus is Focus.DECLINE
        words = state.questions.takes_prose if state.in_review else bool(question.acts) or not question.closed
        face = replace(self.face, kind=kind, lasts=lasts, takes_words=words)
        return self._hands().judge(key, replace(face, prompts=draft is not None, draft=bool(draft)))

    def _use(self) -> None:
        self.face = replace(self.face, used=True)

    def _obey(self, intended: Sequence[Pressed], *, uses: bool) -> bool:
        if uses:
            self._use()
        return bool([one for one in intended if self._panel.obey(one)])

    def _sign(self, key: Stroke, sign: Sign | None) -> None:
        """Say in the line of keys why a key did not decide."""
        if sign is None:
            return
        state, name = self._panel.state, "Click" if key.name == "click" else shown_key(key.name)
        does = "declines" if state.focus is Focus.DECLINE else enter_words(state).again
        self._panel.dispatch(Signed(NOT_SENT if sign is Sign.NOT_SENT else f"{name} again {does}"))

    def _write(self, verdict: Verdict) -> None:
        """Put the keys of a word into the prompt or own words, and take back what they did here."""
        if verdict.takes_back:
            self._panel.dispatch(TakenBack(self._before))
        if verdict.to is To.PROMPT:
            self._panel.to_prompt([typed for _, typed in self._word[-len(verdict.words) :]])
            return
        self._use()
        self._panel.dispatch(Words("".join(verdict.words)))
