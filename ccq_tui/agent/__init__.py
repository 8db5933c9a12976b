"""Sessions over claude-agent-sdk: commands in, typed events out. Only this package and `compat` use the SDK.

Importing this loads no SDK; the first session that runs does.
"""
