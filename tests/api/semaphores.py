# SPDX-License-Identifier: Apache-2.0
"""Semaphores, for tests: how one is made (the fixture `semaphore`) and put into a queue."""
from clapi import E, handles

BINARY = (E.SEMAPHORE_TYPE_KHR, E.SEMAPHORE_TYPE_BINARY_KHR)


def enqueue(api, what, queue, *semaphores, after=(), event=None):
    """`what` is Wait or Signal; `after` are events."""
    api.ok(f"clEnqueue{what}SemaphoresKHR", queue, len(semaphores), handles(*semaphores), None, len(after),
           handles(*after) if after else None, event)
