"""What speaks to the SDK. Importing anything in here imports the SDK, which takes seconds: see `..loader`."""
