# SPDX-License-Identifier: Apache-2.0
"""The part of YAML that IGC writes of a program: maps and lists by indentation, numbers, words, texts in quotes and
lists in brackets. Nothing of the input is trusted: ValueError is all that may come of it."""
import re

MOST_BYTES, MOST_DEPTH, MOST_DIGITS = 1 << 24, 16, 20
ROW = re.compile(r"( *)((?:- +)*)(.*?) *$")
FIELD = re.compile(r"([A-Za-z_][A-Za-z_0-9.]*|'[^']*'): *(.*)$")
WORDS = {"true": True, "false": False}


def read(data):
    """What stands there: dicts, lists, ints, bools and texts."""
    if len(data) > MOST_BYTES:
        raise ValueError("more about the program than there is room for")
    rows = Rows(bytes(data).split(b"\0")[0].decode("utf-8", "replace"))
    made = block(rows, 0) if rows.left() else {}
    if rows.left():
        raise ValueError(f"line {rows.number()} of what is said about the program")
    return made


class Rows:
    """Rows (indentation, text) yet to be read. `- ` is indentation for what stands behind it, and begins an item."""

    def __init__(self, text):
        self.rows, self.at = [], 0
        for number, line in enumerate(text.split("\n"), 1):
            space, dashes, rest = ROW.match(line.rstrip("\r")).groups()
            if line.startswith(("---", "...", "#")) or not (dashes or rest):
                continue
            indent = len(space)
            while dashes:
                dash = re.match("- +", dashes)[0]
                self.rows.append((indent, "-", number))
                indent, dashes = indent + len(dash), dashes[len(dash):]
            if rest == "-":
                self.rows.append((indent, "-", number))
            elif rest:
                self.rows.append((indent, rest, number))

    def left(self):
        return self.at < len(self.rows)

    def peek(self):
        """(indentation, text) of the next row; of none (-1, "")."""
        return self.rows[self.at][:2] if self.left() else (-1, "")

    def take(self):
        self.at += 1
        return self.rows[self.at - 1]

    def number(self):
        return self.rows[self.at][2]


def block(rows, depth):
    """The value that begins with the next row."""
    if depth > MOST_DEPTH:
        raise ValueError("lists in lists without end")
    indent, text = rows.peek()
    if text == "-":
        return items(rows, indent, depth)
    if FIELD.match(text):
        return fields(rows, indent, depth)
    return scalar(rows.take()[1])


def items(rows, indent, depth):
    made = []
    while rows.peek() == (indent, "-"):
        rows.take()
        made.append(block(rows, depth + 1) if rows.peek()[0] > indent else None)
    return made


def fields(rows, indent, depth):
    made = {}
    while rows.peek()[0] == indent and (found := FIELD.match(rows.peek()[1])):
        rows.take()
        name, value = found.groups()
        if name in made:
            raise ValueError(f"two fields {name[:60]}")
        inner, text = rows.peek()
        if value:
            made[name] = scalar(value)
        elif inner > indent or (inner == indent and text == "-"):
            made[name] = block(rows, depth + 1)
        else:
            made[name] = None
    return made


def scalar(text):
    if text.startswith("[") and text.endswith("]"):
        return [scalar(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if re.fullmatch(r"-?[0-9]+", text) and len(text) <= MOST_DIGITS:
        return int(text)
    return WORDS.get(text, text)
