# SPDX-License-Identifier: Apache-2.0
"""Records, compared with the dataclasses that the same classes would be."""
import copy
import dataclasses
import pickle

import pytest

from clpy import records
from clpy.compiler.metadata import ArgInfo


def classes(decorate, field, **options):
    class Inner:
        n: int
        text: str = "t"

    class Outer:
        inner: object
        many: list = field(default_factory=list)
        known: dict = field(default_factory=dict)
        where: tuple = (0, 0)

        def total(self):
            return sum(self.many)

    return decorate(**options)(Inner), decorate(**options)(Outer)


BOTH = [classes(dataclasses.dataclass, dataclasses.field), classes(records.record, records.field)]
FROZEN = [classes(dataclasses.dataclass, dataclasses.field, frozen=True),
          classes(records.record, records.field, frozen=True)]


@pytest.mark.parametrize(("made", "of"), [(BOTH[0], dataclasses), (BOTH[1], records)], ids=["dataclass", "record"])
def test_what_is_made(made, of):
    inner, outer = made
    one = outer(inner(1), known={"a": [inner(2, text="x")]})
    assert (one.inner.n, one.inner.text, one.many, one.where) == (1, "t", [], (0, 0))
    assert one.many is not outer(inner(1)).many
    assert one == outer(inner(1), [], {"a": [inner(2, "x")]}) and one != outer(inner(1)) and one != 1
    assert of.asdict(one) == {"inner": {"n": 1, "text": "t"}, "many": [], "known": {"a": [{"n": 2, "text": "x"}]},
                              "where": (0, 0)}
    assert list(of.asdict(one)) == ["inner", "many", "known", "where"]
    other = of.replace(one, many=[4, 5])
    assert (other.total(), other.known is one.known, one.many) == (9, True, [])
    assert [(f.name, f.type) for f in of.fields(inner)] == [("n", int), ("text", str)]
    assert repr(inner(1)).endswith("Inner(n=1, text='t')")
    assert copy.deepcopy(one) == one
    one.many = [1]
    assert one.total() == 1
    with pytest.raises(TypeError):
        hash(one)


@pytest.mark.parametrize(("inner", "outer"), FROZEN, ids=["dataclass", "record"])
def test_frozen(inner, outer):
    assert hash(inner(1)) == hash(inner(1, "t")) and len({inner(1), inner(1), inner(2)}) == 2
    assert copy.copy(inner(1)) == copy.deepcopy(inner(1)) == inner(1)
    with pytest.raises(AttributeError):
        inner(1).n = 2
    with pytest.raises(AttributeError):
        del inner(1).n


@pytest.mark.parametrize(("inner", "outer"), BOTH, ids=["dataclass", "record"])
@pytest.mark.parametrize(("args", "named"), [((), {}), ((1, "t", 3), {}), ((1,), {"n": 2}), ((1,), {"other": 2}),
                                             ((), {"text": "t"})])
def test_wrong_arguments(inner, outer, args, named):
    with pytest.raises(TypeError):
        inner(*args, **named)


def test_one_goes_to_another_process():
    info = ArgInfo(0, 8, 4, 4, 0, 0, 0, "a", "int")
    assert pickle.loads(pickle.dumps(info)) == info
