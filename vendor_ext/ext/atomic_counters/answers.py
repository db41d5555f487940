# SPDX-License-Identifier: Apache-2.0
"""How many counters a kernel may have: they are buffers, as many as the smallest room for arguments holds."""

MOST = 128


def answers(device):
    """By the name of the query."""
    return {"CL_DEVICE_MAX_ATOMIC_COUNTERS_EXT": MOST}
