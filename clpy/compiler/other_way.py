# SPDX-License-Identifier: Apache-2.0
"""Code of a kernel for one work-group size with the other choice where the estimate of spmd/width.py is in doubt.

Launches tell which is faster (core/specialize.pyx). What they told is in the cache beside the code, as a word, so that
other processes begin with the faster one and try nothing.
"""
from clpy.compiler import cache, program

OTHER, USUAL = b"other", b"usual"


def settled_key(executable, name, size, target, formats):
    what = [b"settled", name.encode(), repr((size, formats, executable.distinct)).encode()]
    return cache.key(executable.digest, {}, what, executable.options, target)


def settled(executable, name, size, target, formats):
    """OTHER, USUAL, or None where nobody knows."""
    word = cache.load(settled_key(executable, name, size, target, formats))
    return word if word in (OTHER, USUAL) else None


def is_in_doubt(special, executable, name, size, target, formats):
    made = special or executable
    return bool(executable.ir and made.kernels[name].in_doubt
                and settled(executable, name, size, target, formats) is None)


def make(executable, name, size, target, formats):
    """Executable, None where it would not be the same program."""
    module = program.alone(executable, name)
    if not program.may_be_specialized(module, executable.options, target):
        return None
    return program.version(executable, (name,), module, target, size, executable.distinct, formats, other=True)


def settle(executable, name, size, target, formats, other_won):
    cache.store(settled_key(executable, name, size, target, formats), OTHER if other_won else USUAL)


def recall(executable, name, size, target, formats):
    """What `make` made before and won; None where that is not known."""
    if not executable.ir or settled(executable, name, size, target, formats) != OTHER:
        return None
    return program.recall(executable, name, size, target, formats, other=True)


def forget(executable, name, size, target, formats):
    """It is not used, nor what was learned of it; a trial that has not ended may find it faster yet."""
    if settled(executable, name, size, target, formats) is None:
        return
    cache.forget(settled_key(executable, name, size, target, formats))
    cache.forget(program.version_key(executable, (name,), target, size, executable.distinct, formats, other=True))
