"""The fence around Textual and the SDK: their private names are used here and nowhere else.

Each module of this package covers one private part of a framework. It says why the part is needed, and
requires the names that it uses when it is imported. If a version of the framework no longer has them,
`private.load` returns None, and the program uses the public way: slower or less pretty, but whole.
"""
