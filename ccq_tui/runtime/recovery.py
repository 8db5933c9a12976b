"""The recovery from a failure, as data: derived from the session's events, taken by one key."""

from dataclasses import dataclass, replace

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import ADVICE, Problem, Remedy
from ccq_tui.config.keymap import key_of
from ccq_tui.config.launch import Launch
from ccq_tui.runtime.facts import SessionFacts

_STARTS = (Remedy.RECONNECT, Remedy.ANEW)
_OPENS = (Remedy.SIGN_IN, Remedy.MODEL)


@dataclass(frozen=True, slots=True)
class Recovery:
    """The state of a session's recovery.

    Attributes:
        offer: The action that the key offers now, or None.
        because: Why it is offered, for a person.
        doing: The action that the key began and that is not done yet, or None.
        compacted: Whether the conversation was compacted since.
        prompt: The last prompt, which the agent did not answer, or "".
        prompt_id: The id of that prompt, or "".
        unsure: Whether its process ended with it, so that only the record shows whether the agent read it.
        queued: The later prompts that have not reached the agent, each with its id.
        begun: Whether there is a conversation to go back to.
        cleared: Whether the conversation of the launch was left behind.
        model: The model of the last change, or "".
        tries: Number of vain attempts to start the CLI again.
        tried: The time of the last one, in seconds of a monotonic clock.
    """

    offer: Remedy | None = None
    because: str = ""
    doing: Remedy | None = None
    compacted: bool = False
    prompt: str = ""
    prompt_id: str = ""
    unsure: bool = False
    queued: tuple[tuple[str, str], ...] = ()
    begun: bool = False
    cleared: bool = False
    model: str = ""
    tries: int = 0
    tried: float = 0.0

    @property
    def words(self) -> str:
        """The key and its action, or ""."""
        return f"{key_of('recover')} {self.offer}" if self.offer else ""

    def seconds_to_wait(self, now: float) -> float:
        """Return the seconds to wait before starting again: more with each vain attempt."""
        if self.offer not in _STARTS or self.tries < 2:
            return 0.0
        return max(0.0, self.tried + min(2.0 ** (self.tries - 1), 30.0) - now)


def taken(recovery: Recovery, now: float) -> Recovery:
    """Return the recovery once the key was pressed: it works once, unless what it opens may be left."""
    again = recovery.tries + 1 if recovery.offer in _STARTS else recovery.tries
    taken = replace(recovery, doing=recovery.offer, compacted=False, tries=again, tried=now)
    return taken if recovery.offer in _OPENS else replace(taken, offer=None, because="")


def noted(recovery: Recovery, event: ev.AgentEvent) -> Recovery:
    """Return the recovery after an event."""
    match event:
        case ev.PromptAccepted() | ev.PromptDelivered() | ev.PromptReturned():
            return _prompted(recovery, event)
        case ev.SessionLost(kind=Problem.RUNS_ELSEWHERE, reason=reason):
            return replace(recovery, offer=Remedy.ELSEWHERE, because=f"Not started: {reason}.", doing=None)
        case ev.ErrorReported(kind=kind) | ev.SessionLost(expected=False, kind=kind):
            return _failed(recovery, kind)
        case ev.Connected():
            return _connected(recovery)
        case ev.ModelChanged(model):
            chosen = Remedy.MODEL in (recovery.offer, recovery.doing)
            recovery = replace(recovery, model=model)
            return _again(recovery, "The model was changed.") if chosen else recovery
        case ev.TurnEnded():
            return _turned(recovery, event)
        case ev.ConversationReset() | ev.HistoryLoaded() | ev.Compacted():
            return _changed(recovery, event)
        case _:
            return recovery


def _changed(recovery: Recovery, event: ev.ConversationReset | ev.HistoryLoaded | ev.Compacted) -> Recovery:
    if isinstance(event, ev.Compacted):
        return replace(recovery, compacted=True)
    if isinstance(event, ev.HistoryLoaded):
        return replace(recovery, begun=True)
    return replace(recovery, begun=False, cleared=True)


def _prompted(
    recovery: Recovery, event: ev.PromptAccepted | ev.PromptDelivered | ev.PromptReturned
) -> Recovery:
    match event:
        case ev.PromptAccepted(text=text, queued=queued, prompt_id=name):
            if queued:
                return replace(recovery, queued=(*recovery.queued, (name, text)))
            if recovery.doing is Remedy.COMPACT:
                return recovery  # the person wants no answer to that one
            return replace(
                recovery, offer=None, because="", doing=None, prompt=text, prompt_id=name, unsure=False
            )
        case ev.PromptDelivered(prompt_id=name):
            left = tuple(one for one in recovery.queued if one[0] != name)
            if (prompt := dict(recovery.queued).get(name)) is not None:
                recovery = replace(recovery, prompt=prompt, prompt_id=name)
            return replace(recovery, begun=True, queued=left)
        case ev.PromptReturned(text=text, prompt_id=name):
            left = tuple(one for one in recovery.queued if one[0] != name)
            if left != recovery.queued:
                return replace(recovery, queued=left)
            # By text: the prompt may have been sent again, under another id that the CLI never took.
            return replace(recovery, prompt="" if recovery.prompt == text else recovery.prompt)


def _failed(recovery: Recovery, kind: str) -> Recovery:
    known = ADVICE.get(kind)
    if known is None or known.action is None:
        return recovery
    if known.action is Remedy.SERVERS and recovery.offer is not None:
        return recovery
    if known.action in (Remedy.RETRY, Remedy.CHANGE) and not recovery.prompt:
        return recovery
    return replace(recovery, offer=known.action, because=known.cause, doing=None)


def _connected(recovery: Recovery) -> Recovery:
    if recovery.doing is Remedy.SIGN_IN:
        return _again(recovery, "Connected again.")
    if recovery.doing not in _STARTS:
        return recovery
    anew = recovery.doing is Remedy.ANEW
    recovery = replace(recovery, tries=0, begun=recovery.begun and not anew, cleared=recovery.cleared or anew)
    if recovery.prompt and not anew:
        # Sent again, it would be there twice if the process ended after it was read.
        return replace(recovery, offer=Remedy.GO_ON, because="Connected again.", doing=None, unsure=True)
    return _again(recovery, "Connected again.")


def _turned(recovery: Recovery, event: ev.TurnEnded) -> Recovery:
    if event.reason.startswith("aborted"):
        return replace(recovery, offer=None, because="", doing=None, prompt="")
    if event.is_error:
        return recovery
    if recovery.doing is Remedy.COMPACT:
        if not recovery.compacted:
            because = "The conversation was not compacted."
            return replace(recovery, offer=Remedy.COMPACT, because=because, doing=None)
        return _again(recovery, "The conversation is compacted.")
    kept = recovery.offer if recovery.offer is Remedy.SERVERS else None
    return replace(recovery, offer=kept, because=recovery.because if kept else "", prompt="")


def _again(recovery: Recovery, because: str) -> Recovery:
    """Offer to send the unanswered prompt again, now that the way is clear."""
    offer = Remedy.RETRY if recovery.prompt else None
    return replace(recovery, offer=offer, because=because if offer else "", doing=None)


def relaunched(launch: Launch, recovery: Recovery, facts: SessionFacts) -> Launch:
    """Return the launch with which the CLI is started again.

    Args:
        launch: The launch of the last start.
        recovery: The action in progress, with the model.
        facts: The session, with the conversation to continue, and the permission mode and effort to keep.
    """
    kept = {"permission_mode": facts.mode, "model": recovery.model, "effort": facts.effort}
    settings = launch.settings.model_copy(update={name: value for name, value in kept.items() if value})
    launch = replace(launch, settings=settings, prompt="", draft="", notices=())
    if recovery.doing is Remedy.ANEW or (recovery.cleared and not recovery.begun):
        return replace(launch, resume="", continue_last=False, fork=False, chosen_id="", name="")
    if recovery.begun and facts.session_id:
        return replace(launch, resume=facts.session_id, continue_last=False, fork=False, chosen_id="")
    return launch
