/* SPDX-License-Identifier: Apache-2.0
 * The Python of the host program, if there is one, which is not the interpreter that clpy runs in: functions that every
 * version has, looked up by name. All of it inline, for clpy/signals.pyx.
 */
#ifndef CLPY_HOST_PYTHON_H
#define CLPY_HOST_PYTHON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <dlfcn.h>
#include <stddef.h>

#define CLPY_HOST_FUNCTIONS(X)                                              \
    X(int, Py_IsInitialized, (void))                                        \
    X(void *, PyGILState_GetThisThreadState, (void))                        \
    X(int, PyGILState_Check, (void))                                        \
    X(int, PyGILState_Ensure, (void))                                       \
    X(void, PyGILState_Release, (int state))                                \
    X(int, PyErr_CheckSignals, (void))                                      \
    X(void, PyErr_Fetch, (void **type, void **value, void **trace))         \
    X(void, PyErr_Restore, (void *type, void *value, void *trace))          \
    X(void, PyErr_Clear, (void))                                            \
    X(void, PyErr_WriteUnraisable, (void *where))                           \
    X(void, PyErr_SetInterrupt, (void))                                     \
    X(int, Py_AddPendingCall, (int (*fn)(void *), void *argument))          \
    X(void *, PySys_GetObject, (const char *name))                          \
    X(void *, PyDict_GetItemString, (void *dict, const char *name))         \
    X(void *, PyObject_GetAttrString, (void *object, const char *name))     \
    X(void *, PyObject_CallObject, (void *function, void *arguments))       \
    X(void *, PyTuple_New, (ptrdiff_t size))                                \
    X(int, PyTuple_SetItem, (void *tuple, ptrdiff_t at, void *item))        \
    X(void *, PyLong_FromLong, (long value))                                \
    X(void, Py_DecRef, (void *object))

#define CLPY_HOST_FIELD(result, name, arguments) result (*name) arguments;
static struct clpy_host_python {
    CLPY_HOST_FUNCTIONS(CLPY_HOST_FIELD)
    int (*is_finalizing)(void);
    int (*interrupt_occurred)(void *thread);    /* NULL: this version has it not */
    void *(*newest_interpreter)(void);
    void *(*main_interpreter)(void);            /* NULL: this version has it not */
    int found;
} clpy_host;

/* Whether there is one; looked for until there is. It is not unloaded from then on. */
static inline int clpy_host_find(void)
{
    Dl_info where;
    if (__atomic_load_n(&clpy_host.found, __ATOMIC_ACQUIRE))
        return 1;
#define CLPY_HOST_LOOK_UP(result, name, arguments)              \
    *(void **)&clpy_host.name = dlsym(RTLD_DEFAULT, #name);     \
    if (!clpy_host.name)                                        \
        return 0;
    CLPY_HOST_FUNCTIONS(CLPY_HOST_LOOK_UP)
    *(void **)&clpy_host.is_finalizing = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
    if (!clpy_host.is_finalizing)
        *(void **)&clpy_host.is_finalizing = dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
    *(void **)&clpy_host.interrupt_occurred = dlsym(RTLD_DEFAULT, "_PyOS_InterruptOccurred");
    *(void **)&clpy_host.newest_interpreter = dlsym(RTLD_DEFAULT, "PyInterpreterState_Head");
    *(void **)&clpy_host.main_interpreter = dlsym(RTLD_DEFAULT, "PyInterpreterState_Main");
    if (!clpy_host.is_finalizing)
        return 0;
    if (dladdr((void *)clpy_host.Py_IsInitialized, &where) && where.dli_fname)
        dlopen(where.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    __atomic_store_n(&clpy_host.found, 1, __ATOMIC_RELEASE);
    return 1;
}

/* May its lock be taken? While it ends it ends each other thread that tries. */
static inline int clpy_host_runs(void)
{
    return clpy_host_find() && clpy_host.Py_IsInitialized()
        && (!clpy_host.is_finalizing() || clpy_host.PyGILState_Check());
}

/* Has it one interpreter only? Else this thread may hold the lock with another one's state, and PyGILState_Ensure,
 * which knows the main one's, would wait for the thread itself. */
static inline int clpy_host_is_single(void)
{
    return clpy_host_find() && (!clpy_host.newest_interpreter || !clpy_host.main_interpreter
        || clpy_host.newest_interpreter() == clpy_host.main_interpreter());
}

/* Functions of the host may be Python's. Once it ends, they would end the thread that calls them, or the process. */
static inline int clpy_host_takes_calls(void)
{
    return !clpy_host_find() || (clpy_host.Py_IsInitialized() && !clpy_host.is_finalizing());
}

/* With its lock and no exception set: is the handler of SIGINT the usual one, which raises? */
static inline int clpy_host_interrupt_raises(void)
{
    enum { SIGNAL = 2 };
    void *modules = clpy_host.PySys_GetObject("modules");
    void *module = modules ? clpy_host.PyDict_GetItemString(modules, "_signal") : NULL;
    void *usual = module ? clpy_host.PyObject_GetAttrString(module, "default_int_handler") : NULL;
    void *getter = usual ? clpy_host.PyObject_GetAttrString(module, "getsignal") : NULL;
    void *arguments = getter ? clpy_host.PyTuple_New(1) : NULL;
    void *handler = NULL;
    if (arguments && clpy_host.PyTuple_SetItem(arguments, 0, clpy_host.PyLong_FromLong(SIGNAL)) == 0)
        handler = clpy_host.PyObject_CallObject(getter, arguments);
    int raises = handler && handler == usual;
    void *mine[] = {usual, getter, arguments, handler};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        clpy_host.Py_DecRef(mine[i]);           /* nothing for NULL */
    clpy_host.PyErr_Clear();
    return raises;
}

#endif
