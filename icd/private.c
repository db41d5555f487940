/* SPDX-License-Identifier: Apache-2.0
 *
 * libclpy-core.so: an interpreter of our own with the core in it. It is linked statically, and no symbol of it can be
 * seen or replaced by another Python in the process, whichever that is and whenever it comes. It is never finalized.
 */
#include <Python.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The compiled modules in the order of their names: those of Python's own that are used, and all of clpy's that do not
 * call LLVM. */
#define BUILTIN(name, init) PyMODINIT_FUNC init(void);
#include "builtin.h"
#undef BUILTIN
#define BUILTIN(name, init) {name, init},
struct _inittab _PyImport_Inittab[] = {
#include "builtin.h"
    {"builtins", NULL},
    {"sys", NULL},
    {NULL, NULL},
};

enum { BUILTINS = sizeof _PyImport_Inittab / sizeof *_PyImport_Inittab - 3 };

/* The standard library. */
__asm__(".section .rodata\n"
        "clpy_frozen_code: .incbin \"" CLPY_FROZEN "\"\n"
        ".previous\n");
extern const unsigned char frozen_code[] __asm__("clpy_frozen_code") __attribute__((visibility("hidden")));
#define FROZEN(name_, offset, size_, package) \
    {.name = name_, .code = frozen_code + offset, .size = size_, .is_package = package},
static const struct _frozen frozen_modules[] = {
#include "frozen.h"
    {.name = NULL},
};

/* lent.c */
const char *lend_python(const char *path);

/* For start.py: prepare(path) before the first module of libclpy-llvm.so. */
static PyObject *prepare(PyObject *self, PyObject *path)
{
    const char *file = PyUnicode_AsUTF8(path), *missing = file ? lend_python(file) : NULL;
    (void)self;
    if (!file || missing)
        return file ? PyErr_Format(PyExc_ImportError, "%s: %s", file, missing) : NULL;
    Py_RETURN_NONE;
}

static int compare_rows(const void *name, const void *row)
{
    return strcmp(name, ((const struct _inittab *)row)->name);
}

/* For imports.py: make(name, spec), a compiled module whose code is still to be run. */
static PyObject *make(PyObject *self, PyObject *args)
{
    PyObject *spec;
    const char *name;
    if (!PyArg_ParseTuple(args, "sO", &name, &spec))
        return NULL;
    const struct _inittab *row = bsearch(name, _PyImport_Inittab, BUILTINS, sizeof *row, compare_rows);
    PyObject *module = row ? row->initfunc() : NULL;
    if (module && PyObject_TypeCheck(module, &PyModuleDef_Type))
        return PyModule_FromDefAndSpec((PyModuleDef *)module, spec);
    Py_XDECREF(module);
    return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ImportError, "%s is not a compiled module of clpy", name);
}

static PyMethodDef prepare_method = {"prepare", prepare, METH_O, NULL};
static PyMethodDef make_method = {"make", make, METH_VARARGS, NULL};

static void complain(const char *why)
{
    char line[512];
    int n = snprintf(line, sizeof line, "clpy: no OpenCL device: the interpreter does not start: %s\n", why);
    ssize_t ignored = write(2, line, n < (int)sizeof line ? n : (int)sizeof line - 1);
    (void)ignored;
}

/* Memory of Python's objects, a MiB at a time, all of which will be used: pages that are there from the start take less
 * time than those that are fetched one by one as they are touched. */
static void *take_memory(void *nothing, size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    (void)nothing;
    return memory == MAP_FAILED ? NULL : memory;
}

static void give_memory(void *nothing, void *memory, size_t size)
{
    (void)nothing;
    munmap(memory, size);
}

static PyObjectArenaAllocator memory = {NULL, take_memory, give_memory};

/* Of the program and of the standard library, so that neither is looked for in PATH or the current folder. */
#define NOWHERE L"/dev/null/clpy"

/* It takes nothing from the environment, the current folder or the locale of the host program, finds no file, and
 * leaves signals alone. */
static PyStatus initialize(void)
{
    PyPreConfig preconfig;
    PyConfig config;
    PyPreConfig_InitIsolatedConfig(&preconfig);
    preconfig.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&preconfig);
    if (PyStatus_Exception(status))
        return status;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.install_signal_handlers = 0;
    config.pathconfig_warnings = 0;
    config.module_search_paths_set = 1;
    struct { wchar_t **field; const wchar_t *value; } strings[] = {
        {&config.program_name, L"clpy"}, {&config.executable, NOWHERE}, {&config.home, NOWHERE}, {&config.prefix, L""},
        {&config.base_prefix, L""}, {&config.exec_prefix, L""}, {&config.base_exec_prefix, L""},
        {&config.stdlib_dir, L""},
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings && !PyStatus_Exception(status); i++)
        status = PyConfig_SetString(&config, strings[i].field, strings[i].value);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return status;
}

/* start.py, told where the package lies. NULL where there is no interpreter; else this thread has the GIL. */
static PyObject *start(const char *folder)
{
    PyImport_FrozenModules = frozen_modules;
    PyObject_SetArenaAllocator(&memory);
    PyStatus status = initialize();
    if (PyStatus_Exception(status)) {
        complain(status.err_msg ? status.err_msg : "no reason given");
        return NULL;
    }
    PyGC_Disable();     /* until start.py says */
    PyObject *module = PyImport_ImportModule("clpy_start");
    PyObject *done = module ? PyObject_CallMethod(module, "set_up", "O&sNN", PyUnicode_DecodeFSDefault, folder,
                                                  CLPY_LLVM_MODULES, PyCFunction_New(&prepare_method, NULL),
                                                  PyCFunction_New(&make_method, NULL)) : NULL;
    if (!done) {
        PyErr_Print();
        complain("clpy_start");
    }
    Py_XDECREF(done);
    return module;
}

/* The address of the core's struct (exports.c), once; NULL after a line on stderr. */
EXPORT const void *clpy_core_start(const char *folder, int loud)
{
    PyObject *module = start(folder), *core = NULL;
    if (!module)
        return NULL;
    core = PyObject_CallMethod(module, "core", "i", loud);
    const void *address = core ? PyLong_AsVoidPtr(core) : NULL;
    if (PyErr_Occurred())
        PyErr_Print();
    Py_XDECREF(core);
    Py_DECREF(module);
    PyEval_SaveThread();
    return address;
}

/* For the program beside the library: runs a text of Python in the same interpreter. Exit code. */
EXPORT int clpy_core_run(const char *folder, int argc, char **argv)
{
    PyObject *module = start(folder), *arguments = PyTuple_New(argc), *done = NULL;
    for (int i = 0; arguments && i < argc; i++)
        PyTuple_SET_ITEM(arguments, i, PyUnicode_DecodeFSDefault(argv[i]));
    PyObject *function = module && arguments ? PyObject_GetAttrString(module, "run") : NULL;
    if (function)
        done = PyObject_Call(function, arguments, NULL);
    if (!done)
        PyErr_Print();
    return done ? (int)PyLong_AsLong(done) : 1;
}
