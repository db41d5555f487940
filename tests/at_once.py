# SPDX-License-Identifier: Apache-2.0
"""Threads of a test: what goes wrong in one of them fails the test."""
import threading


def at_once(work, count, seconds=300):
    """work(0) to work(count - 1) in threads that start together; the results in this order."""
    start, results, failures = threading.Barrier(count), [None] * count, []

    def run(number):
        try:
            start.wait(seconds)
            results[number] = work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
    if failures:
        raise failures[0]
    assert not any(thread.is_alive() for thread in threads), "a thread does not end"
    return results
