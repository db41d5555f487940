# SPDX-License-Identifier: Apache-2.0
"""The GIL of threads that may have it or not. For nogil code; all of it inline."""

cdef extern from * nogil:
    """
    #ifndef CLPY_GIL_INLINE
    #define CLPY_GIL_INLINE
    /* PyGILState_Check() says yes to all where there are several interpreters. */
    static inline int clpy_holds_gil(void) {
        PyThreadState *mine = PyGILState_GetThisThreadState();
        return mine && mine == _PyThreadState_UncheckedGet();
    }
    static inline void *clpy_gil_give(void) {
        return Py_IsInitialized() && clpy_holds_gil() ? PyEval_SaveThread() : NULL;
    }
    static inline void clpy_gil_take(void *given) {
        if (given)
            PyEval_RestoreThread((PyThreadState *)given);
    }
    #endif
    """
    bint holds_gil "clpy_holds_gil"()
    # To wait without it; nothing happens where the thread has it not.
    void *gil_give "clpy_gil_give"()
    void gil_take "clpy_gil_take"(void *given)
