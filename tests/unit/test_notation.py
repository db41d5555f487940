# SPDX-License-Identifier: Apache-2.0
"""JSON as the private interpreter reads and writes it: what the module json does, to the byte."""
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clpy import notation

TEXTS = st.text(st.characters(codec=None), max_size=12)
PLAIN = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
                     lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
                     max_leaves=25)
PIECES = st.sampled_from([*'[]{}:,"\\-.eE+0123456789utfnN \t\n\x00\x1f\x7f', "true", "null", "NaN", "Infinity", '"a"',
                          '{"a":', "\\u00e9", "\\ud83d", "\\ude00", "\\q", "1e5", "1.5", "é", "\U0001f600"])


def same(one, other):
    """NaN is the same as NaN here, -0.0 not as 0.0, 1 neither as 1.0 nor as True."""
    return repr(one) == repr(other)


@settings(max_examples=500)
@given(PLAIN, st.booleans())
@example(["\ud83d", "\ude00", "\ud83d\ude00", "\x7f\x80/\\\"\b\f"], False)
def test_the_same_text_and_back(value, sort_keys):
    text = json.dumps(value, sort_keys=sort_keys)
    assert notation.dumps(value, sort_keys=sort_keys) == text
    assert same(notation.loads(text), json.loads(text))
    assert same(notation.loads(text.encode()), json.loads(text))
    spaced = json.dumps(value, indent=1)
    assert same(notation.loads(spaced), json.loads(spaced))


@settings(max_examples=2000)
@given(st.lists(PIECES, max_size=10).map("".join))
@example('{"a":1,"a":2}')
@example("[1,]")
@example('{"a":1,}')
@example("-")
@example("01")
@example("1.")
@example("1e")
@example("[" * 150 + "]" * 150)
@example("1" * 5000)
@example('"\\ud83d\\u0041"')
def test_the_same_is_refused(text):
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):
            notation.loads(text)
    else:
        assert same(notation.loads(text), expected)


def test_nothing_ends_the_process():
    for text in ("[" * 1_000_000, '{"a":' * 1_000_000, "[" * 202 + "]" * 202):
        with pytest.raises(ValueError, match="too deeply"):
            notation.loads(text)
    nested = []
    for _ in range(300):
        nested = [nested]
    with pytest.raises(ValueError, match="too deeply"):
        notation.dumps(nested)
    for value in ({1: 2}, {"a": object()}, [b"bytes"], {("a",): 1}):
        with pytest.raises(TypeError):
            notation.dumps(value)
    with pytest.raises(ValueError):
        notation.loads(b'"\xff"')
