"""Private parts of the SDK, one in each module."""
