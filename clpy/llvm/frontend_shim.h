/* SPDX-License-Identifier: Apache-2.0
 * Clang as a library: OpenCL C in, a module out, all in memory. (libclang's C API ends at the AST.)
 */
#ifndef CLPY_FRONTEND_SHIM_H
#define CLPY_FRONTEND_SHIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clpy_text {
    const char *name;
    const char *data; /* data[size] is 0 */
    size_t size;
} clpy_text;

typedef struct clpy_frontend_job {
    clpy_text source;
    const clpy_text *headers;
    size_t n_headers;
    const char *const *args; /* of clang -cc1, without the input */
    size_t n_args;
    /* results */
    void *context;   /* LLVMContextRef and LLVMModuleRef, both the caller's; NULL when there were errors */
    void *module;
    char *log;       /* free() it */
    size_t log_size;
    int reads_files; /* the source looked at files of the machine: its text alone does not say what it means */
    char *files;     /* names of those that were read, each with a zero behind it; free() it */
    size_t files_size;
} clpy_frontend_job;

/* Compile OpenCL C: `job` is a clpy_frontend_job, its results zero. To be run by clpy_guarded. */
void clpy_frontend_compile(void *job);

#ifdef __cplusplus
}
#endif
#endif
