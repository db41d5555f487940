# SPDX-License-Identifier: Apache-2.0
"""Threads for Python code. Not those of `threading`: the module takes the thread that imports it first for the main
one, and that is the host program's business."""
import _thread

cdef extern from "<signal.h>" nogil:
    ctypedef struct sigset_t:
        pass
    int SIG_SETMASK
    int sigfillset(sigset_t *set)
    int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)


def start(function, *args):
    """A thread with all signals blocked: they are the application's. RuntimeError where there is none to be had."""
    cdef sigset_t all_signals, before
    sigfillset(&all_signals)
    pthread_sigmask(SIG_SETMASK, &all_signals, &before)
    try:
        _thread.start_new_thread(function, args)
    finally:
        pthread_sigmask(SIG_SETMASK, &before, NULL)
