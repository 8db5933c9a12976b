"""Text that is hard to align: wide, combining, joined and right-to-left characters."""

from __future__ import annotations

from ccq_tui.testing.scenario import Scenario
from ccq_tui.testing.scenarios.ready import choice, unless_refused

_TABLE = """\
| 言語 | greeting | width |
|---|---|---:|
| 日本語 | こんにちは、世界 | 16 |
| 한국어 | 안녕하세요 세계 | 15 |
| 中文 | 你好，世界 | 10 |
| עברית | שלום עולם | 9 |
| العربية | مرحبا بالعالم | 13 |
| हिन्दी | नमस्ते दुनिया | 13 |
| ไทย | สวัสดีชาวโลก | 12 |
| café | cafe\u0301 = café | 11 |
| emoji | 👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🇪🇺 👍🏽 ❤️ | 17 |
"""


def unicode() -> Scenario:
    """CJK, emoji with joiners, combining marks and right-to-left text everywhere."""
    greeting = choice(
        "どの挨拶を最初の画面に表示しますか？ (Which greeting?)",
        "挨拶 👋",
        (
            "こんにちは、世界",
            "日本語：全角文字は二桁の幅を取ります",
            "┌──────────────────┐\n│ こんにちは、世界 │\n└──────────────────┘\n",
        ),
        (
            "👩‍💻 Hello, 👨‍👩‍👧‍👦!",
            "Emoji joined by U+200D are one sign",
            "┌───────────┐\n│ Hello, 👋 │\n└───────────┘\n",
        ),
        ("שלום עולם", "עברית: מימין לשמאל, with English inside", "שלום\n"),
        ("Cafe\u0301 Zu\u0308rich", "e + U+0301 and u + U+0308 take one column each", "Cafe\u0301\n"),
    )
    languages = choice(
        "אילו שפות לתמוך? Which languages?",
        "Языки",
        ("日本語", "にほんご"),
        ("한국어", "한글"),
        ("العربية", "من اليمين إلى اليسار"),
        ("Ελληνικά", "🇬🇷 Γειά σου Κόσμε"),
        multi=True,
    )
    return (
        Scenario("unicode", title="世界へようこそ 🌍")
        .thinks("文字の幅を数えます… 一、二、三。")
        .says(f"The greeting in many scripts:\n\n{_TABLE}\n")
        .asks(greeting, languages)
        .then(unless_refused(lambda a: f"了解しました 🎉 {a.answers(1)}"))
    )
