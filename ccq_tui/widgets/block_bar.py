"""The line of keys for the current block."""

from __future__ import annotations

from ccq_tui.text import one_line
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.transcript.blocks import Block, ToolBlock


class BlockBar(HintBar):
    """Shows the keys for the current block and its position; takes no room while there is none."""

    DEFAULT_CSS = """
    BlockBar {
        background: $surface;
        display: none;
        &.-on { display: block; }
    }
    """

    def tell(self, block: Block | None, count: int) -> None:
        self.set_class(block is not None, "-on")
        if block is None:
            return
        fold = (("Alt+U", "unfold" if block.folded else "fold"),) if block.foldable else ()
        self.show(
            (
                ("▌", one_line(block.tool if isinstance(block, ToolBlock) else block.called, 24)),
                ("Alt+C", "copy"),
                *fold,
                ("Alt+K", "copy code"),
                ("Alt+O", "open link"),
                ("Alt+↑↓", "move"),
                ("Esc", "leave"),
            ),
            f"{block.at + 1:,}/{count:,}",
        )
