"""The prompt and its sign, with the list that completes it."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Static, TextArea

from ccq_tui.config.keymap import key_of, keymap, with_keys
from ccq_tui.input.gate import PAUSE, WORD, Face, KeyKind, Stroke, To, Verdict
from ccq_tui.prompts.completion_context import CompletionKind, WantedCompletion, wanted_at
from ccq_tui.prompts.completion_list import CompletionList
from ccq_tui.prompts.history import Walk
from ccq_tui.prompts.image_paths import paths_in
from ccq_tui.prompts.images import PromptImage, excess, named, names_in
from ccq_tui.prompts.pastes import unfolded, used
from ccq_tui.prompts.shell_runs import command_in
from ccq_tui.prompts.unread import PromptDraft, among
from ccq_tui.widgets.completer import Completer
from ccq_tui.widgets.keys import Typed, keyboard_of, text_of
from ccq_tui.widgets.lifetime import after
from ccq_tui.widgets.prompt.field import PromptField

SIGN = " ❯ "
PLACEHOLDER = "Ask Claude to do something"
PANEL_CHANGED = "Not sent: a panel opened or closed as you typed · Enter again sends it"
TYPED_ON = "Not sent: an image was still being read as you typed on · Enter again sends it"

IMAGE_MISSING = "An image of this prompt is no longer kept: only its name would be sent"
SEARCH_PLACEHOLDER = "Type to search earlier prompts"


class Prompt(Vertical):
    """The prompt, its sign, and the list above it."""

    DEFAULT_CSS = """
    Prompt {
        height: auto;
        border-top: solid $ccq-rule;
        & > #prompt-line { height: auto; }
        & #sign { width: 3; height: 1; color: $primary; text-style: bold; }
        & #sign.-shell { color: $warning; }
    }
    """

    @dataclass
    class Submitted(Message):
        """The person sent a prompt, with the images that it names; the field is empty again."""

        text: str
        images: Mapping[str, PromptImage] = field(default_factory=dict)

    @dataclass
    class Notice(Message):
        """There are words to show above the prompt, such as why nothing was sent."""

        words: str

    @dataclass
    class Changed(Message):
        """The text of the prompt changed."""

    class ListChanged(Message):
        """The list appeared, disappeared, or its cursor moved; or the keys that hold changed."""

    class KeysWanted(Message):
        """A question mark was typed into the empty prompt, and nothing after it."""

    def __init__(self, text: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(id="prompt")
        self._initial = text
        self._clock = clock
        self.field = PromptField(self)
        """The text area."""
        self._known = text
        self._returned: list[str] = []
        self.face = Face(KeyKind.DECIDE, by_itself=False, prompts=False, quiet=PAUSE)
        """What the gate knows of the prompt."""
        self._walk = Walk()
        self.completer = Completer(self.field, clock)
        self.completer.changed = lambda: self.post_message(self.ListChanged())
        self.completer.chosen = self._chosen
        self.completer.view.pick = self._picked
        self.completer.refused = self._end_search
        self._aside: PromptDraft | None = None
        self._stashed: PromptDraft | None = None
        self.objections: Sequence[Callable[[str], bool]] = ()
        """Checks before a text leaves the field; one that returns True keeps it there, and says why."""
        self.reads_paths: Callable[[str], object] = lambda _: self.put_images()
        """Called with a paste that looks like nothing but paths of images; `put_images` takes the images."""
        self.queued: list[str] = []
        """The prompts, by their ids, that were sent and that Claude has not read."""
        self.take_back: Callable[[], object] = lambda: None
        """Called when the person wants back the newest of them."""
        self._expected = 0
        self._entered: str | None = None
        """The field's text when Enter came while images were still being read, or None."""
        self._sends = self._sent = False
        self.last_typed: float | None = None
        """Time of the last key here, in seconds of the clock, or None."""

    @property
    def typing_at(self) -> float | None:
        """Time of the last key unless that sent the prompt, which is no sign of typing; or None."""
        return None if self._sent else self.last_typed

    def compose(self) -> ComposeResult:
        yield self.completer.view
        with Horizontal(id="prompt-line"):
            yield Static(SIGN, id="sign", markup=False)
            self.field.placeholder = PLACEHOLDER
            yield self.field

    def on_mount(self) -> None:
        """Show the initial text."""
        if self._initial:
            self.put(self._initial)

    @property
    def text(self) -> str:
        """The prompt's text, pastes whole; during a search of earlier prompts, the text from before."""
        return unfolded(self.draft.text, self.draft.pastes)

    @property
    def holds_text(self) -> bool:
        """Whether the prompt, or the search in it, holds more than blanks."""
        return bool(self.field.text.strip()) or (self._aside is not None and bool(self._aside.text.strip()))

    @property
    def draft(self) -> PromptDraft:
        """The prompt's text as it is, with its pastes and images."""
        if self._aside is not None:
            return self._aside
        text = self.field.text
        return PromptDraft(text, used(text, self.field.pastes), images=self.images_in(text))

    @property
    def choices(self) -> CompletionList | None:
        """The list on the screen, or None."""
        return self.completer.shown

    @property
    def in_shell(self) -> bool:
        """Whether the typed text is a command for the shell."""
        return not self.searching and command_in(self.field.text) is not None

    @property
    def searching(self) -> bool:
        """Whether the typed text searches earlier prompts."""
        return self._aside is not None

    # -- from outside -------------------------------------------------------------------------------------

    def take_focus(self) -> None:
        """Give the field the focus at once: the next key may be waiting already."""
        self.screen.set_focus(self.field, scroll_visible=False)

    def came_up(self) -> None:
        """Come under the hands by itself: the keys under way were meant for a panel that closed."""
        self.face = replace(self.face, by_itself=True, shown_at=self._clock())

    def take_over(self, typed: Iterable[Typed]) -> None:
        """Take input from elsewhere: what it types at once, so that the next key finds it here."""
        for event in typed:
            if isinstance(event, events.Paste):
                self.field.paste(event.text)
            elif text := text_of(event):
                self.field.vim.type(text)
            else:
                self.field.post_message(event)
            self.note_typed()

    def send(self) -> None:
        """Send the text at once, by an Enter that was judged where it was pressed."""
        self.note_typed()
        if not self.field.goes_on():
            self._sends = self._submit()

    def note_typed(self, at: float | None = None) -> None:
        """Note that a person typed, now or at a given time, here or elsewhere."""
        now = self._clock() if at is None else at
        self.last_typed = max(now, self.last_typed or now)
        self._sent, self._sends = self._sends, False  # the key under way, and the last one

    def put_back(self, text: str) -> None:
        """Put an unsent prompt before the text typed since, after prompts that came back earlier."""
        before, now = "\n".join(self._returned), self.text
        if not before or not f"{now}\n".startswith(f"{before}\n"):
            self._returned, before = [], ""
        self._returned.append(text)
        typed = now[len(before) :].removeprefix("\n") if before else now
        self.put("\n".join([*self._returned, *([typed] if typed.strip() else [])]))

    def stash(self) -> str:
        """Swap the prompt with the one put aside; return the words to show about it."""
        if self.searching:
            return ""
        aside, self._stashed = self._stashed, self.draft if self.holds_text else None
        if aside is self._stashed is None:
            return "No prompt is put aside"
        self.field.placeholder = self._placeholder
        self.restore(aside or PromptDraft())
        self.field.vim.insert()
        brings = f"{key_of('stash')} brings it back"
        return f"Prompt put aside · {brings}" if self._stashed is not None else "The prompt put aside is back"

    @property
    def _placeholder(self) -> str:
        return PLACEHOLDER if self._stashed is None else with_keys("{stash} brings back the other prompt")

    @property
    def kept(self) -> PromptDraft:
        """The draft that must not be lost: the prompt put aside, and the present one."""
        if self._stashed is None:
            return self.draft
        aside, draft = unfolded(self._stashed.text, self._stashed.pastes), self.draft
        text = f"{aside}\n{draft.text}" if draft.text.strip() else aside
        return PromptDraft(text, draft.pastes, images={**self._stashed.images, **draft.images})

    def clear(self) -> str:
        """Empty the field, which undo brings back; return its text, pastes whole."""
        text = self.text
        self._end_search()
        self.completer.close()
        self.field.show("")
        return text

    def put(self, text: str) -> None:
        """Replace the text, with the caret at its end."""
        self.restore(PromptDraft(text))

    def put_edited(self, text: str) -> None:
        """Take the text that a person has just brought back from an editor."""
        self.put(text)
        self.note_typed()

    def restore(self, draft: PromptDraft) -> None:
        """Replace the text by a draft with its folded pastes and its images."""
        draft = self.adopt(draft)
        self._end_search()
        self.completer.close()
        self._known = draft.text
        self.field.pastes = dict(draft.pastes)
        self.field.load_text(draft.text)
        self.field.move_cursor(self.field.document.end)
        self._post_changed()

    def adopt(self, draft: PromptDraft) -> PromptDraft:
        """Register the images of a draft; return it with the names under which they are known."""
        draft = among(draft, self.field.images)
        self.field.images.update(draft.images)
        return draft

    def images_in(self, text: str) -> dict[str, PromptImage]:
        """Return the images whose names are in a text, in its order."""
        return named(text, self.field.images)

    # -- images -------------------------------------------------------------------------------------------

    def read_pasted(self, pasted: str) -> None:
        """Read the images whose paths were pasted."""
        if not self.searching and paths_in(pasted):
            self.expect_images()
            self.reads_paths(pasted)

    def expect_images(self) -> None:
        """Make Enter wait until `put_images` brings the images."""
        self._expected += 1

    def put_images(self, attached: Sequence[PromptImage] = (), instead_of: str = "") -> str:
        """Put images into the text, and send it if Enter waited for them.

        They replace ``instead_of``, the text that a paste has put in, or go to the caret. Return why they are
        not there, or "".
        """
        self._expected -= 1
        self._typed_on()
        words = excess([*self.draft.images.values(), *attached]) if attached else ""
        if attached and not words and not self.searching:
            if instead_of:
                self.field.exchange(instead_of, attached)
            else:
                for image in attached:
                    self.field.attach(image)
            self._note_text()
        if self._entered is not None and not self._expected:
            self._entered = None
            if not words:
                self._submit()
        return words

    def _typed_on(self) -> None:
        """Cancel an Enter that waits for images if a person typed on after it."""
        if self._entered is not None and self._entered != self.field.text:
            self._entered = None
            self.post_message(self.Notice(TYPED_ON))

    def _note_text(self) -> None:
        """Mark the field's text as known: nobody typed it."""
        self._known = self.field.text
        if self._entered is not None:
            self._entered = self.field.text
        self._post_changed()

    def remember(self, earlier: Iterable[str]) -> None:
        """Set the earlier prompts, the newest first."""
        self._walk.remember(earlier)

    def search(self) -> None:
        """Search the earlier prompts for what is typed from now on.

        During a search, go to the next prompt found.
        """
        if self._aside is not None:
            self.completer.by(1)
            return
        self.completer.close()
        self._aside = self.draft
        self._known = ""
        self.field.load_text("")
        self.field.placeholder = SEARCH_PLACEHOLDER
        self.completer.want(WantedCompletion(CompletionKind.HISTORY, ""))

    # -- keys ---------------------------------------------------------------------------------------------

    def press(self, event: events.Key) -> bool:
        """Handle a key that means something here; all others edit, or are for the screen."""
        if event.key in keymap().keys["history"]:
            self.search()
            return True
        if event.key in keymap().keys["stash"]:
            self.post_message(self.Notice(self.stash()))
            return True
        self._update_list(opens=False)
        if self.completer.press(event.key):
            return True
        if event.key in keymap().keys["panel"]:
            self.came_up()  # what follows in the same burst is typed before the panel is seen
            return False
        return self._press_alone(event.key)

    def _press_alone(self, key: str) -> bool:
        match key:
            case "enter" if not self.searching and self.field.goes_on():
                pass  # a new line, for terminals without a key for it
            case "enter":
                self._enter()
            case "question_mark" if not self.field.text and not self.searching:
                after(self, WORD, partial(self._ask_for_keys, keyboard_of(self).key))
                return False
            case "ctrl+d" if self.field.text:
                self.field.action_delete_right()
            case "up" if self.queued and not self.field.text:
                self.take_back()
            case "up" if self.field.at_top and not self.searching:
                self.walk_by(1)
            case "down" if self.field.at_bottom and not self.searching:
                return self.walk_by(-1)
            case "tab":
                self.completer.take()  # the likeliest row of a list that still waits for its first rows
            case _:
                return key == "shift+tab"  # the focus stays here
        return True

    def _enter(self) -> None:
        """Send the text at once: input after Enter in the same burst belongs to the next prompt.

        Where a panel closed by itself during typing, the first Enter ends what was typed for it.
        """
        hands, verdict = keyboard_of(self), Verdict(To.PANEL)
        if self.face.by_itself and self.text.strip():
            verdict = hands.judge_last(self.face)
        if verdict.sign is not None:
            self.post_message(self.Notice(PANEL_CHANGED))
        elif verdict.after:
            hands.wait(hands.key, verdict.after, self._submit, partial(after, self))
        else:
            self._sends = verdict.to is To.PANEL and self._submit()

    def _ask_for_keys(self, key: Stroke) -> None:
        if (
            keyboard_of(self).key is key
            and key.text == "?"
            and self.field.text == "?"
            and self.field.has_focus
        ):
            self.field.show("")
            self.post_message(self.KeysWanted())

    def _picked(self, row: int) -> None:
        """Move the cursor of the list to a clicked row, or take it."""
        self.completer.click(row)
        self.note_typed()
        self.take_focus()

    def _chosen(self, value: str) -> None:
        """End the search of which an earlier prompt is taken; the draft is the newest of them."""
        if self.searching:
            self._walk.jump(self._end_search().text, value)
            self._miss_images(value)

    def walk_by(self, by: int) -> bool:
        """Show an earlier prompt, or by a negative number a later one; return whether there is one."""
        text = self._walk.step(by, self.field.text)
        if text is None:
            return False
        self._known = text
        # Upwards the caret stays on the first line, so that the next key continues.
        self.field.show(text, len(text.partition("\n")[0]) if by > 0 else None)
        self.completer.close()
        self._post_changed()
        if by > 0:
            self._miss_images(text)
        return True

    def _miss_images(self, text: str) -> None:
        if any(name not in self.field.images for name in names_in(text)):
            self.post_message(self.Notice(IMAGE_MISSING))

    # -- the list -----------------------------------------------------------------------------------------

    def _end_search(self) -> PromptDraft:
        """Put back the prompt from before the search."""
        draft, self._aside = self._aside or PromptDraft(), None
        if self.field.placeholder == SEARCH_PLACEHOLDER:
            self.field.placeholder = self._placeholder
            self._known = draft.text
            self.field.load_text(draft.text)
            self.field.move_cursor(self.field.document.end)
        return draft

    def _update_list(self, *, opens: bool) -> None:
        """Update the list to the typed text; open it only while a person types."""
        text = self.field.text
        wanted = None if self.in_shell else wanted_at(text, self.field.caret)
        if self.searching:
            wanted = WantedCompletion(CompletionKind.HISTORY, text)
        self.completer.update(wanted, opens=opens)

    # -- typing and sending -------------------------------------------------------------------------------

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Note that a person typed, and complete the text."""
        event.stop()
        self.show_sign()
        if self.field.text != self._known:
            self._known = self.field.text
            self.note_typed()
            self.face = self.face.typed_on(self._clock())
            self._typed_on()
            self._update_list(opens=not self.field.vim.commands)
            self._post_changed()

    def show_sign(self) -> None:
        """Show by sign and keys what a letter is: part of a prompt, of a shell command, or Vim's."""
        shown = " N " if self.field.vim.commands else " $ " if self.in_shell else SIGN
        sign = self.query_one("#sign", Static)
        if shown != sign.content or sign.has_class("-shell") != self.in_shell:
            sign.set_class(self.in_shell, "-shell")
            sign.update(shown)
            self.post_message(self.ListChanged())

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        """Close the list when the caret leaves what it completes."""
        event.stop()
        self._update_list(opens=False)

    def _post_changed(self) -> None:
        self.post_message(self.Changed())

    def _submit(self) -> bool:
        """Send the typed text, unless it is only blanks; return whether it was sent."""
        text = self.text
        if not text.strip():
            return False
        if self._expected:
            self._entered = self.field.text
            return False
        images = self.draft.images
        if words := excess(images.values()):
            self.post_message(self.Notice(f"Not sent: {words}"))
            return False
        if any(objects(text) for objects in self.objections):
            return False
        left = self._walk.draft if self._walk.draft != self.field.text else ""
        self._walk.add(text)
        self.field.remember_pastes()
        # Before the field reports that it is empty: the queue must know where the text went.
        self.post_message(self.Submitted(text, images))
        self.restore(PromptDraft(left, used(left, self.field.pastes)))
        self.field.vim.insert()
        self._returned = []
        return True
