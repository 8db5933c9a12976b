"""The one command to begin: an address for the relay, invitations for devices, and a service to keep it."""
