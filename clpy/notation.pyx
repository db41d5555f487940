# cython: boundscheck=False, wraparound=False
# SPDX-License-Identifier: Apache-2.0
"""JSON of plain data, compiled: the private interpreter has `json` without its compiled half, which takes ten times as
long; metadata of code is read with each kernel that comes from the cache.

`loads` and `dumps` are to be taken for those of `json`: the same values, the same text to the byte (seals are of it),
ValueError for what is none. What is nested more than MOST_DEPTH deep is none here.
"""

cdef enum:
    MOST_DEPTH = 200

SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
LONG = {ord(text): "\\" + letter for letter, text in SHORT.items() if letter != "/"}
WORDS = (("true", True), ("false", False), ("null", None), ("NaN", float("nan")), ("Infinity", float("inf")),
         ("-Infinity", float("-inf")))


# ---- reading ---------------------------------------------------------------------------------------------------------

cdef class Reader:
    """A text, and how far it is read."""
    cdef str text
    cdef Py_ssize_t at, size

    def __init__(self, text):
        self.text, self.at, self.size = text, 0, len(text)

    cdef Py_UCS4 next(self):
        """The next character that is no space; 0 at the end."""
        cdef Py_UCS4 c
        while self.at < self.size:
            c = self.text[self.at]
            if c not in u" \t\n\r":
                return c
            self.at += 1
        return 0

    cdef object wrong(self, str what):
        return ValueError(f"{what} at character {self.at}")

    cdef object value(self, int depth):
        cdef Py_UCS4 c = self.next()
        if depth > MOST_DEPTH:
            raise self.wrong("nested too deeply")
        if c == u'"':
            return self.string()
        if c == u"{":
            return self.members(depth)
        if c == u"[":
            return self.elements(depth)
        if u"0" <= c <= u"9":
            return self.number()
        for word, stands_for in WORDS:
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return stands_for
        return self.number()

    cdef bint more(self, Py_UCS4 end, bint is_first) except -1:
        """Is there another element before the `end`, which is passed?"""
        cdef Py_UCS4 c = self.next()
        if c == end:
            self.at += 1
            return False
        if is_first:
            return True
        if c != u",":
            raise self.wrong("no comma")
        self.at += 1
        if self.next() == end:
            raise self.wrong("a comma before the end")
        return True

    cdef dict members(self, int depth):
        cdef dict made = {}
        cdef bint is_first = True
        self.at += 1
        while self.more(u"}", is_first):
            is_first = False
            if self.next() != u'"':
                raise self.wrong("no name")
            name = self.string()
            if self.next() != u":":
                raise self.wrong("no colon")
            self.at += 1
            made[name] = self.value(depth + 1)
        return made

    cdef list elements(self, int depth):
        cdef list made = []
        self.at += 1
        while self.more(u"]", not made):
            made.append(self.value(depth + 1))
        return made

    cdef str string(self):
        """What is between two quotes; `at` is the first one."""
        cdef Py_ssize_t start
        cdef list parts = []
        cdef Py_UCS4 c
        self.at += 1
        start = self.at
        while self.at < self.size:
            c = self.text[self.at]
            if c == u'"':
                parts.append(self.text[start:self.at])
                self.at += 1
                return parts[0] if len(parts) == 1 else "".join(parts)
            if c < 0x20:
                raise self.wrong("a control character")
            if c == u"\\":
                parts.append(self.text[start:self.at])
                parts.append(self.escaped())
                start = self.at
            else:
                self.at += 1
        raise self.wrong("a text without an end")

    cdef str escaped(self):
        """The character that a backslash and what follows stand for."""
        cdef str letter = self.text[self.at + 1:self.at + 2]
        if letter != "u":
            if letter not in SHORT:
                raise self.wrong("a wrong escape")
            self.at += 2
            return SHORT[letter]
        first = self.unit()
        if 0xd800 <= first < 0xdc00 and self.text.startswith("\\u", self.at):
            back = self.at
            second = self.unit()
            if 0xdc00 <= second < 0xe000:
                return chr(0x10000 + ((first - 0xd800) << 10 | (second - 0xdc00)))
            self.at = back
        return chr(first)

    cdef int unit(self) except -1:
        digits = self.text[self.at + 2:self.at + 6]
        if len(digits) != 4 or not all(c in "0123456789abcdefABCDEF" for c in digits):
            raise self.wrong("a wrong escape")
        self.at += 6
        return int(digits, 16)

    cdef Py_ssize_t digits(self, Py_ssize_t at):
        while at < self.size and u"0" <= self.text[at] <= u"9":
            at += 1
        return at

    cdef object number(self):
        cdef Py_ssize_t start = self.at, at = self.at, end
        cdef bint whole = True
        at += at < self.size and self.text[at] == u"-"
        end = self.digits(at)
        if end == at or (end > at + 1 and self.text[at] == u"0"):
            raise self.wrong("no value")
        at = end
        if at < self.size and self.text[at] == u"." and self.digits(at + 1) > at + 1:
            at, whole = self.digits(at + 1), False
        if at < self.size and self.text[at] in u"eE":
            end = at + 1
            end += end < self.size and self.text[end] in u"+-"
            if self.digits(end) > end:
                at, whole = self.digits(end), False
        self.at = at
        return int(self.text[start:at]) if whole else float(self.text[start:at])


def loads(given):
    """The value of a JSON text, or of its bytes in UTF-8; ValueError where it is none."""
    cdef Reader reader = Reader(given if isinstance(given, str) else bytes(given).decode())
    value = reader.value(0)
    reader.next()
    if reader.at < reader.size:
        raise reader.wrong("more than a value")
    return value


# ---- writing ---------------------------------------------------------------------------------------------------------

def dumps(value, sort_keys=False):
    """The JSON text of dicts with names for keys, lists, tuples, texts, numbers, True, False and None; TypeError for
    anything else."""
    cdef list parts = []
    put(parts, value, sort_keys, 0)
    return "".join(parts)


cdef int put(list parts, object value, bint sort_keys, int depth) except -1:
    if depth > MOST_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        parts.append(quoted(value))
    elif value is None or value is True or value is False:
        parts.append("null" if value is None else "true" if value else "false")
    elif isinstance(value, int):
        parts.append(int.__repr__(value))
    elif isinstance(value, float):
        parts.append(real(value))
    elif isinstance(value, dict):
        put_members(parts, value, sort_keys, depth)
    elif isinstance(value, (list, tuple)):
        parts.append("[")
        for i, each in enumerate(value):
            if i:
                parts.append(", ")
            put(parts, each, sort_keys, depth + 1)
        parts.append("]")
    else:
        raise TypeError(f"{type(value).__name__} is not plain data")
    return 0


cdef int put_members(list parts, dict value, bint sort_keys, int depth) except -1:
    cdef bint is_first = True
    parts.append("{")
    for name in sorted(value) if sort_keys else value:
        if not isinstance(name, str):
            raise TypeError("the name of a member is no text")
        parts.append(quoted(name) if is_first else ", " + quoted(name))
        parts.append(": ")
        put(parts, value[name], sort_keys, depth + 1)
        is_first = False
    parts.append("}")
    return 0


cdef str real(double value):
    if value != value:
        return "NaN"
    if value - value != 0:
        return "Infinity" if value > 0 else "-Infinity"
    return float.__repr__(value)


cdef str quoted(str text):
    cdef Py_UCS4 c
    cdef Py_ssize_t i
    for i in range(len(text)):
        c = text[i]
        if c < 0x20 or c > 0x7e or c == u'"' or c == u"\\":
            return '"' + "".join([written(each) for each in text]) + '"'
    return '"' + text + '"'


cdef str written(str character):
    """Of a character: itself or its escape."""
    cdef unsigned int c = ord(character)
    if c in LONG:
        return LONG[c]
    if 0x20 <= c <= 0x7e:
        return character
    if c < 0x10000:
        return f"\\u{c:04x}"
    c -= 0x10000
    return f"\\u{0xd800 | c >> 10:04x}\\u{0xdc00 | c & 0x3ff:04x}"
