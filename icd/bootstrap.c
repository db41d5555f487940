/* SPDX-License-Identifier: Apache-2.0
 *
 * The first call: check the process, join its interpreter or start one, import the core, get its functions.
 * Afterwards the GIL is released, and nothing here is called again but by a fork.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "clpy_host_thread.h"

/* start.py, through cffi */
size_t clpy_start(const char *folder, size_t table, size_t size, size_t platform, int own_interpreter, int loud);

static _Atomic(const struct core *) the_core;
static atomic_int failed;
static int interpreter_is_ours;

/* forks.c */
static atomic_int coming_up;        /* threads that bring the core up, or wait for it */
static void forks_are_seen(void);
static void fork_prepare(void);
static void fork_parent(void);
static void fork_child(void);

/* Starting: only one thread, and only where no interpreter runs. */
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/* Importing: `importing` is guarded by the GIL. A thread waits for another's import without the GIL. */
static int importing;
static pthread_t importer;
static pthread_mutex_t import_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t import_done = PTHREAD_COND_INITIALIZER;

static int add_paths(PyWideStringList *list, const char *paths)
{
    char one[PATH_MAX];
    while (*paths) {
        size_t n = strcspn(paths, ":");
        if (n < sizeof one) {
            memcpy(one, paths, n);
            one[n] = 0;
            wchar_t *wide = Py_DecodeLocale(one, NULL);
            if (!wide)
                return -1;
            PyStatus status = PyWideStringList_Append(list, wide);
            PyMem_RawFree(wide);
            if (PyStatus_Exception(status))
                return -1;
        }
        paths += n + (paths[n] == ':');
    }
    return 0;
}

static PyStatus set_up(PyConfig *config, const char *folder)
{
    char parent[PATH_MAX];
    PyStatus status = PyConfig_SetBytesString(config, &config->program_name, CLPY_PYTHON_EXECUTABLE);
    struct { wchar_t **field; const char *value; } strings[] = {
        {&config->executable, CLPY_PYTHON_EXECUTABLE},
        {&config->home, CLPY_PYTHON_PREFIX},
        {&config->prefix, CLPY_PYTHON_PREFIX},
        {&config->base_prefix, CLPY_PYTHON_PREFIX},
        {&config->exec_prefix, CLPY_PYTHON_EXEC_PREFIX},
        {&config->base_exec_prefix, CLPY_PYTHON_EXEC_PREFIX},
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings && !PyStatus_Exception(status); i++)
        status = PyConfig_SetBytesString(config, strings[i].field, strings[i].value);
    if (PyStatus_Exception(status))
        return status;
    snprintf(parent, sizeof parent, "%s", folder);
    char *slash = strrchr(parent, '/');
    if (slash)
        *slash = 0;
    /* `parent` only for the back end of cffi, where it was installed beside clpy. */
    config->module_search_paths_set = 1;
    if (add_paths(&config->module_search_paths, CLPY_STDLIB) || add_paths(&config->module_search_paths, CLPY_SITE)
        || add_paths(&config->module_search_paths, parent))
        return PyStatus_NoMemory();
    return status;
}

/* An interpreter of our own: it takes nothing from the environment, the current folder or the locale of the host
 * program, and leaves its signals alone. It is never finalized. */
static int start_interpreter(const char *folder)
{
    PyPreConfig preconfig;
    PyConfig config;
    PyPreConfig_InitIsolatedConfig(&preconfig);
    preconfig.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&preconfig);
    if (!PyStatus_Exception(status)) {
        PyConfig_InitIsolatedConfig(&config);
        config.site_import = 0;
        config.install_signal_handlers = 0;
        config.pathconfig_warnings = 0;
        status = set_up(&config, folder);
        if (!PyStatus_Exception(status))
            status = Py_InitializeFromConfig(&config);
        PyConfig_Clear(&config);
    }
    if (PyStatus_Exception(status)) {
        complain("clpy: no OpenCL device: Python %s at %s does not start: %s", CLPY_PYTHON_VERSION,
                 CLPY_PYTHON_PREFIX, status.err_msg ? status.err_msg : "no reason given");
        return -1;
    }
    interpreter_is_ours = 1;
    PyEval_SaveThread();
    return 0;
}

/* The back end of cffi, for a joined interpreter that has none: from our own folders, for this one import. */
static int import_backend(void)
{
    PyObject *module = PyImport_ImportModule("_cffi_backend");
    char site[] = CLPY_SITE, *rest = site, *one;
    PyObject *path = PySys_GetObject("path");
    while (!module && path && (one = strsep(&rest, ":"))) {
        PyErr_Clear();
        PyObject *entry = PyUnicode_DecodeFSDefault(one);
        if (!entry || PyList_Append(path, entry))
            break;
        module = PyImport_ImportModule("_cffi_backend");
        for (Py_ssize_t i = PyList_GET_SIZE(path) - 1; i >= 0; i--)
            if (PyList_GET_ITEM(path, i) == entry) {
                PyObject *type, *value, *trace;
                PyErr_Fetch(&type, &value, &trace);
                PySequence_DelItem(path, i);
                PyErr_Restore(type, value, trace);
                break;
            }
        Py_DECREF(entry);
    }
    PyErr_Clear();
    if (!module) {
        complain("clpy: no OpenCL device: the Python module _cffi_backend is not found (pip install cffi)");
        return -1;
    }
    Py_DECREF(module);
    return 0;
}

static const struct core *core_now(void)
{
    return atomic_load_explicit(&the_core, memory_order_acquire);
}

static void import_core(const char *folder)
{
    const struct core *core = NULL;
    const char *level = secure_getenv("CLPY_DEBUG");
    int loud = level && strcmp(level, "0");
    if (!import_backend()) {
#if PY_VERSION_HEX < 0x030C0000
        /* cffi takes the version tag of this type for a lock, and would wait for ever where Python has set it. */
        PyType_Modified(&PyCapsule_Type);
#endif
        core = (const struct core *)clpy_start(folder, (size_t)&dispatch, sizeof dispatch, (size_t)&platform,
                                                interpreter_is_ours, loud);
    }
    atomic_store(&failed, !core);
    atomic_store(&the_core, core);
}

/* With the GIL. */
static void import_once(const char *folder)
{
    PyObject *type, *value, *trace;
    while (importing && !pthread_equal(importer, pthread_self())) {
        PyThreadState *thread = PyEval_SaveThread();
        pthread_mutex_lock(&import_lock);
        while (importing)
            pthread_cond_wait(&import_done, &import_lock);
        pthread_mutex_unlock(&import_lock);
        PyEval_RestoreThread(thread);
    }
    if (importing || atomic_load(&the_core) || atomic_load(&failed))
        return;
    importer = pthread_self();
    importing = 1;
    PyErr_Fetch(&type, &value, &trace);  /* of the host program */
    import_core(folder);
    PyErr_Restore(type, value, trace);
    if (atomic_load(&the_core))
        pthread_atfork(fork_prepare, fork_parent, fork_child);
    pthread_mutex_lock(&import_lock);
    importing = 0;
    pthread_cond_broadcast(&import_done);
    pthread_mutex_unlock(&import_lock);
}

/* Is there an interpreter now? */
static int have_interpreter(const char *folder)
{
    int ok;
    pthread_mutex_lock(&start_lock);
    ok = !atomic_load(&failed) && !promote_libpython() && (Py_IsInitialized() || !start_interpreter(folder));
    if (!ok)
        atomic_store(&failed, 1);
    pthread_mutex_unlock(&start_lock);
    return ok;
}

/* PyGILState_Check() says yes to all where there are several interpreters. */
static int holds_gil(void)
{
    PyThreadState *mine = PyGILState_GetThisThreadState();
    return mine && mine == _PyThreadState_UncheckedGet();
}

static __thread int in_import;      /* and so is what this thread calls meanwhile */

static void *import_here(void *folder)
{
    PyGILState_STATE state = PyGILState_Ensure();
    in_import = 1;
    import_once(folder);
    in_import = 0;
    PyGILState_Release(state);
    return NULL;
}

/* On another thread, with all signals blocked: in the main thread of a Python program its signal handlers would run in
 * the middle of the import, and may raise. */
static int import_apart(char *folder)
{
    sigset_t all, before;
    pthread_t thread;
    int failure;
    PyThreadState *held = NULL;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failure = pthread_create(&thread, NULL, import_here, folder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure)
        return -1;
    if (holds_gil())
        held = PyEval_SaveThread();
    pthread_join(thread, NULL);
    if (held)
        PyEval_RestoreThread(held);
    return 0;
}

static void bring_up_here(void)
{
    char folder[PATH_MAX];
    if (!host_is_fit() || !still_fit()) {
        atomic_store(&failed, 1);
        return;
    }
    /* While an interpreter ends it ends each thread that asks for its GIL, and none can be started. */
    if (_Py_IsFinalizing() || own_folder(folder) || !have_interpreter(folder))
        return;
    if (interpreter_is_ours || import_apart(folder))
        import_here(folder);
}

static void *bring_up_apart(void *nothing)
{
    bring_up_here();
    return nothing;
}

/* The interpreter is started and the core imported by this thread, or by another where this one's stack is small. */
static void bring_up(void)
{
    pthread_t thread;
    clpy_host_state host = clpy_host_leave_out();
    if (clpy_stack_has(512 << 10) || holds_gil() || pthread_create(&thread, NULL, bring_up_apart, NULL))
        bring_up_here();
    else
        pthread_join(thread, NULL);
    clpy_host_go_back(host);
}

static const struct core *core_ready(void)
{
    const struct core *core = core_now();
    if (core)
        return core;
    if (atomic_load(&failed) || in_import)
        return NULL;
    forks_are_seen();
    atomic_fetch_add(&coming_up, 1);
    bring_up();
    atomic_fetch_add(&coming_up, -1);
    return core_now();
}
