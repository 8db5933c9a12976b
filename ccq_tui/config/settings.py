"""The settings themselves; `docs/configuration.md` describes each of them."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, field_validator
from pydantic_core import PydanticCustomError

from ccq_tui import choices
from ccq_tui.config import values
from ccq_tui.config.claude_flags import ClaudeFlags, Json, Switch
from ccq_tui.config.errors import PROBLEMS
from ccq_tui.config.keymap import PRESET, Choices, Keymap, key_problems, keymap_of
from ccq_tui.config.paths import expanded

ENV_PREFIX = "CCQ_"


def checked_keys(value: object) -> Choices:
    """Check the setting ``keys``; a text alone is a preset's name. Raises `PydanticCustomError`."""
    choices = {PRESET: value} if isinstance(value, str) else value
    problems = list(key_problems(choices))
    if problems or not isinstance(choices, Mapping):
        raise PydanticCustomError("keys", "wrong keys", {PROBLEMS: problems})
    return {name: tuple(keys) if isinstance(keys, list) else keys for name, keys in choices.items()}


def _runnable(value: Path) -> Path:
    """Find a program, also by its name alone."""
    found = shutil.which(expanded(value))
    if found is None:
        raise ValueError(f"must be a program that can be run, not {str(value)!r}")
    return Path(found)


Tools = Annotated[tuple[str, ...], BeforeValidator(values.split_tools)]
# A misspelt directory is reported now, not at the agent's first tool call.
Directory = Annotated[Path, AfterValidator(values.existing_directory)]
Duration = Annotated[float | None, BeforeValidator(values.read_duration)]
Urls = Annotated[tuple[str, ...], BeforeValidator(values.split_urls), AfterValidator(values.checked_urls)]
Command = Annotated[
    tuple[str, ...], BeforeValidator(values.split_command), AfterValidator(values.checked_command)
]
Keys = Annotated[Mapping[str, str | tuple[str, ...]], BeforeValidator(checked_keys)]


class Settings(ClaudeFlags):
    """Settings that a flag, the environment, a project file or the user file can make.

    The constructor takes values as they are and looks nowhere else, which is what tests want;
    `ccq_tui.config.load_settings` looks in all places.
    """

    model: str | None = Field(default=None, min_length=1)
    """The model: an alias such as "opus" or a full name. Unset: Claude Code's own choice."""

    permission_mode: choices.PermissionMode | None = None
    """Mode that decides what the agent may do unasked. Unset: Claude Code's own setting."""

    effort: choices.Effort | None = None
    """Thinking effort of the model. Unset: the model's own."""

    cwd: Directory | None = None
    """The directory the agent works in. Unset: the current one."""

    add_dirs: Annotated[tuple[Directory, ...], BeforeValidator(values.split_paths)] = ()
    """More directories the agent may use."""

    allowed_tools: Tools = ()
    """Tools that run without asking, for example "Bash(git *)"."""

    disallowed_tools: Tools = ()
    """Tools the agent must not use."""

    mcp_config: Annotated[tuple[Json, ...], BeforeValidator(values.one_or_many)] = ()
    """MCP servers: JSON files, or JSON itself."""

    settings: Json | None = None
    """More Claude Code settings: a JSON file, or JSON itself."""

    append_system_prompt: str | None = None
    """Text added to the end of Claude Code's system prompt."""

    max_turns: int | None = Field(default=None, ge=1)
    """The most turns the agent takes for one prompt. Unset: no limit."""

    max_budget_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Most US dollars to spend on API calls. Unset: no limit."""

    questions: choices.QuestionMode = "ask"
    """"ask": the agent asks as it likes. "assume": it cannot ask, and lists what it assumed.
    "adaptive": it asks whenever a choice is yours, at most max_question_rounds times."""

    max_question_rounds: int = Field(default=5, ge=1)
    """Most question sets that questions = "adaptive" puts to you in a session; then the agent decides."""

    park_after: Duration = 600.0
    """Seconds without an answer or a key before a session is parked. "never": it is not."""

    question_timeout: Duration = None
    """Most seconds that a question waits, counted from your last key in it. Unset or "never": no limit."""

    on_question_timeout: choices.TimeoutOutcome = "park"
    """"park": a question that timed out still waits, without a process. "no_answer": the agent continues with
    the message that nobody answered and that nothing was chosen."""

    theme: str = Field(default="ccq-dark", min_length=1)
    """The colours: the name of a theme, or the path of a theme file (.toml)."""

    cli_path: Annotated[Path, AfterValidator(_runnable)] | None = None
    """The Claude Code CLI to run. Unset: the one bundled with claude-agent-sdk."""

    max_live_sessions: int = Field(default=8, ge=1)
    """Most sessions of one terminal that have a Claude process at a time; further ones wait."""

    status_line: Switch = True
    """Whether the status line command of your Claude Code settings is run and shown."""

    bell: Switch = True
    """Whether the terminal's bell rings when you are needed while the terminal is not in focus."""

    notify: choices.Notify = "auto"
    """Desktop notification when you are needed while the terminal is not in focus."""

    notify_after: float = Field(default=20.0, ge=0, allow_inf_nan=False)
    """Also notify when a turn took at least this many seconds."""

    notify_urls: Urls = Field(default=(), repr=False)
    """Channels for notifications away from the desk: URLs of ntfy or of any service that apprise knows."""

    notify_wait: float = Field(default=20.0, ge=0, allow_inf_nan=False)
    """Seconds without a reaction after which they get a request; at once where nobody is at a terminal."""

    notify_text: Switch = False
    """Whether they get the text of what is asked, and not only its session and header."""

    notify_quiet: Annotated[str, AfterValidator(values.checked_hours)] = ""
    """Hours in which they get nothing, such as "22:00-07:00"; then one summary."""

    on_request: Command = ()
    """A program to run for each request, with the request as JSON on its standard input."""

    progress: choices.Progress = "auto"
    """Whether the task bar shows, while the terminal is not in focus, that the agent works or waits."""

    reduce_motion: Switch = False
    """Whether nothing on the screen moves by itself: no animation, no spinner, no blinking caret."""

    screen_reader: Switch = False
    """Whether the screen suits a screen reader: nothing moves or counts seconds, and no lines are drawn."""

    keys: Keys = Field(default_factory=dict)
    """Keys of your own: actions and the keys they have, and a preset for lists."""

    question_previews: choices.PreviewFormat = "markdown"
    """Whether the agent is told that options may have previews, and how to write them."""

    extended_questions: Switch = True
    """Whether the agent may ask for a text or a number, and give question sets a title."""

    vim_prompt: Switch = False
    """Whether the prompt has Vim's keys."""

    recall_answers: Switch = True
    """Whether a question shows how you answered the same question before."""

    device_grants: Switch = False
    """Whether a paired device may grant lasting permissions, and modes that ask less."""

    prune_after: Duration = None
    """Seconds after which a request that was delivered or withdrawn is deleted from the inbox, at a start.
    Unset or "never": none is."""

    native_sessions: Switch = True
    """Whether the inbox and the overview list sessions in Claude Code's own screen that wait for you."""

    repair_records: Switch = True
    """Whether a line is added to Claude Code's record of a session that would otherwise be resumed without
    the turns after a parked question."""

    log_level: choices.LogLevel = "info"
    """The least severe record in the log. Only "debug" writes what messages contain."""

    @property
    def keymap(self) -> Keymap:
        """The keys of every action."""
        return keymap_of(self.keys)

    @property
    def is_still(self) -> bool:
        """Whether nothing on the screen moves by itself."""
        return self.reduce_motion or self.screen_reader

    @property
    def claude(self) -> ClaudeFlags:
        """The flags passed on to Claude Code unchanged."""
        return ClaudeFlags.model_construct(**{name: getattr(self, name) for name in ClaudeFlags.model_fields})

    @property
    def directory(self) -> Path:
        """The directory the agent works in, absolute."""
        return (self.cwd or Path.cwd()).absolute()

    def with_directory(self, directory: Path) -> "Settings":
        """Return settings that also let the agent work in another directory."""
        return self.model_copy(update={"add_dirs": tuple(dict.fromkeys((*self.add_dirs, directory)))})

    @property
    def mcp_argument(self) -> str | None:
        """All of mcp_config as the one value that the SDK passes to Claude Code, or None."""
        return values.merge_mcp(self.mcp_config)

    @field_validator("permission_mode", mode="before")
    @classmethod
    def _manual_is_default(cls, value: object) -> object:
        """Take the CLI's newer word for the default mode too."""
        return "default" if value == "manual" else value
