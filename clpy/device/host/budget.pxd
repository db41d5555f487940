# SPDX-License-Identifier: Apache-2.0
"""What buffers, images and SVM hold, against what there is."""

cdef void budget_add(size_t size) noexcept nogil        # held from now on, whatever there is
cdef bint budget_take(size_t size) noexcept nogil       # the same, or False: there is not enough
cdef void budget_give(size_t size) noexcept nogil
