"""Prints what is wrong, a line each; exits with 1 where there is anything."""

import sys

from checks import docs, names, readme, sentences

faults = [*names.faults(), *sentences.faults(), *readme.faults(), *docs.faults()]
sys.stdout.write("".join(f"{fault}\n" for fault in faults))
sys.exit(1 if faults else 0)
