/* SPDX-License-Identifier: Apache-2.0
 * Where machine code comes from in the source: line tables, from the last look at the IR to the question after a fault.
 */
#ifndef CLPY_LINES_SHIM_H
#define CLPY_LINES_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions whose names begin with `prefix` and whose instructions came from other functions get the place in the
 * source of the one that most came from, so that LLVM makes a line table of them. So do those with the attribute
 * `part`, which have a part of a kernel each. `module` is an LLVMModuleRef. */
void clpy_place_lines(void *module, const char *prefix, const char *part);

/* The place of the byte at `offset` from the symbol `name` of an object file; in a function beside it where that has a
 * part of its code, but in no other kernel. */
struct clpy_line_question {
    const char *object;
    size_t size;
    const char *name;
    uint64_t offset;
    int inside;         /* out: the byte is in such a function */
    char *answer;       /* out: "FILE:LINE in FUNCTION", and the same of its callers where it was inlined; to be
                         * freed; NULL where it is not known */
};

void clpy_find_line(void *question);

#ifdef __cplusplus
}
#endif
#endif
