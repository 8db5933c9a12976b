"""Where tickets come from and where people answer; each is a module behind the port."""
