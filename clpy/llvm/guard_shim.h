/* SPDX-License-Identifier: Apache-2.0
 * Two things of LLVM that its C API lacks: a guard that turns fatal errors into text, and the linker's
 * only-needed mode.
 */
#ifndef CLPY_GUARD_SHIM_H
#define CLPY_GUARD_SHIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Run fn(arg) on a stack of its own, deep enough for any source. A fatal error of LLVM in it (which would end
 * the process) ends fn instead: the answer is then its text, to be freed, and what fn had allocated is lost. */
char *clpy_guarded(void (*fn)(void *), void *arg);

/* The same on the caller's stack, unless little is left of it. */
char *clpy_guarded_here(void (*fn)(void *), void *arg);

/* Link what `dest` needs (and what that needs) of the bitcode into it; reads the functions that are needed only.
 * `data` must be followed by a 0 and stays the caller's. Returns NULL or a text to be freed. */
char *clpy_link_needed(void *dest, const char *data, size_t size);

/* Calls fn(arg); 0 when that crashed, and was left. From then on the two above end with a text there too. */
typedef int (*clpy_crash_guard)(void (*fn)(void *), void *arg);
void clpy_guard_crashes(clpy_crash_guard guard);

#ifdef __cplusplus
}
#endif
#endif
