# cython: binding=True
# SPDX-License-Identifier: Apache-2.0
"""Classes of plain data, compiled: what `dataclasses` makes of a class, as far as it is used on the way to code of a
kernel.

`dataclasses` writes a text for each method and has Python compile it, and brings twelve modules with it, of which it
needs one for the description of a class without one: a sixth of the first build of a process.

The names are those of `dataclasses`, and mean the same. Classes have no bases with fields, and none are left out of a
comparison.
"""


cdef class Field:
    """A name and its type as the class has them. `factory` makes a default where one is made for each object."""
    cdef readonly str name
    cdef readonly object type, factory
    cdef readonly bint has_default
    cdef object default

    def __init__(self, name, type_, given):
        self.name, self.type = name, type_
        self.has_default = bool(given)
        self.default = given[0] if given else None
        self.factory = self.default.make if isinstance(self.default, Factory) else None

    cdef fresh(self):
        return self.default if self.factory is None else self.factory()


cdef class Factory:
    cdef readonly object make

    def __init__(self, make):
        self.make = make


def field(*, default_factory):
    """For a default that is made for each object: a list, a dict."""
    return Factory(default_factory)


def record(cls=None, *, frozen=False):
    """The class with __init__ and what compares and shows its objects; with `frozen` they stay as they are made, and
    have a hash. For use as a decorator, with or without arguments."""
    return (lambda given: made(given, frozen)) if cls is None else made(cls, frozen)


cdef made(cls, frozen):
    inside = cls.__dict__
    listed = [Field(name, type_, (inside[name],) if name in inside else ())
              for name, type_ in inside.get("__annotations__", {}).items()]
    cls.__record__ = tuple(listed)
    for one in listed:
        if (<Field>one).factory is not None:
            delattr(cls, one.name)
    for name, method in (("__init__", initialize), ("__eq__", equal), ("__repr__", shown)):
        if name not in inside:
            setattr(cls, name, method)
    cls.__hash__ = hashed if frozen else None
    if frozen:
        cls.__setattr__, cls.__delattr__ = refuse, refuse
    return cls


def initialize(self, *args, **named):
    cdef dict values = self.__dict__
    cdef tuple listed = self.__record__
    cdef Py_ssize_t i, n = len(args), left = len(named)
    cdef Field one
    if n > len(listed):
        raise TypeError(f"{type(self).__name__} has {len(listed)} fields, {n} were given")
    for i in range(len(listed)):
        one = listed[i]
        if i < n:
            values[one.name] = args[i]
        elif left and one.name in named:
            values[one.name] = named[one.name]
            left -= 1
        elif one.has_default:
            values[one.name] = one.fresh()
        else:
            raise TypeError(f"{type(self).__name__} needs {one.name}")
    if left:
        raise TypeError(f"{type(self).__name__} has no such fields, or has them twice: {', '.join(named)}")


def equal(self, other):
    return values_of(self) == values_of(other) if type(other) is type(self) else NotImplemented


def shown(self):
    return f"{type(self).__name__}({', '.join(f'{one.name}={getattr(self, one.name)!r}' for one in self.__record__)})"


def hashed(self):
    return hash(values_of(self))


def refuse(self, name, *value):
    raise AttributeError(f"{type(self).__name__}.{name} stays as it is")


cdef tuple values_of(record):
    return tuple([getattr(record, one.name) for one in record.__record__])


def fields(record):
    """The Fields of a record or of its class, in order."""
    return record.__record__


def replace(record, **changes):
    """Another one with some fields changed."""
    cdef Field one
    for one in record.__record__:
        if one.name not in changes:
            changes[one.name] = getattr(record, one.name)
    return type(record)(**changes)


def asdict(record):
    """{name: value}, all the way down through records, lists, tuples and dicts, of which new ones are made."""
    return {one.name: plain(getattr(record, one.name)) for one in record.__record__}


cdef plain(value):
    if hasattr(value, "__record__"):
        return asdict(value)
    if isinstance(value, (list, tuple)):
        return type(value)([plain(part) for part in value])
    if isinstance(value, dict):
        return {plain(key): plain(part) for key, part in value.items()}
    return value
