"""Private parts of the SDK, one a module."""
