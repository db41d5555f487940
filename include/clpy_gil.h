/* SPDX-License-Identifier: Apache-2.0
 * Who has the GIL of the interpreter that this library uses. All of it inline.
 */
#ifndef CLPY_GIL_H
#define CLPY_GIL_H

#include <Python.h>

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
