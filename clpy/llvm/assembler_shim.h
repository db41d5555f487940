/* SPDX-License-Identifier: Apache-2.0
 * LLVM's assembler for AMD's chips: text in, a relocatable code object out.
 */
#ifndef CLPY_ASSEMBLER_SHIM_H
#define CLPY_ASSEMBLER_SHIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clpy_assembler_job {
    const char *text;           /* followed by a 0 */
    size_t size;
    const char *name;           /* of the text, in messages */
    const char *processor;
    char *object;               /* out: to be freed; NULL where the text is wrong */
    size_t object_size;
    char *log;                  /* out: errors and warnings, to be freed */
    size_t log_size;
};

/* `job` is a clpy_assembler_job. No file is read: .include and .incbin find none. */
void clpy_assemble(void *job);

#ifdef __cplusplus
}
#endif
#endif
