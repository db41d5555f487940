# SPDX-License-Identifier: Apache-2.0
"""Building IR: clpy.llvm.ir."""
import pytest

from clpy.llvm.ir import Types, const_vector
from clpy.llvm.module import Module


@pytest.mark.parametrize("n", [1, 16, 64 * 128])     # as many lanes as there are, of 16 longs taken apart into bytes
def test_constant_vectors_of_any_length(n):
    i32 = Types(Module.from_text("")).i32
    vector = const_vector([i32.const(i) for i in range(n)])
    assert vector.type.is_vector and vector.type.count == n


def test_a_vector_has_elements():
    with pytest.raises(ValueError, match="elements"):
        const_vector([])
