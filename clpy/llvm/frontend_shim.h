/* SPDX-License-Identifier: Apache-2.0
 * What clpy needs of Clang and LLVM and their C API does not offer: Clang as a library, the linker's
 * only-needed mode, and a guard that turns LLVM's fatal errors into text.
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
} clpy_frontend_job;

/* Compile OpenCL C. Never exits or aborts; 0 when it made a module. */
int clpy_frontend_compile(clpy_frontend_job *job);

/* Link what `dest` needs (and what that needs) of the bitcode into it; reads the functions that are needed only.
 * `data` must be followed by a 0 and stays the caller's. Returns NULL or a malloced message. */
char *clpy_link_needed(void *dest, const char *data, size_t size);

/* Run fn(arg) on a stack of its own, deep enough for any source. A fatal error of LLVM in it (which would end
 * the process) ends fn instead: the answer is then its text, to be freed, and what fn had allocated is lost. */
char *clpy_guarded(void (*fn)(void *), void *arg);

#ifdef __cplusplus
}
#endif
#endif
