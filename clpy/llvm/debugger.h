/* SPDX-License-Identifier: Apache-2.0
 *
 * What a debugger knows of code that was made while the program runs: a list of object files. GDB, and LLDB with it,
 * looks for these two names, and stops in the function to read the list whenever that has changed.
 */
#ifndef CLPY_DEBUGGER_H
#define CLPY_DEBUGGER_H

#include <stdint.h>

enum { DEBUGGER_NOTHING, DEBUGGER_NEW, DEBUGGER_GONE };

struct debugger_file {
    struct debugger_file *next, *before;
    const char *object;
    uint64_t size;
};

struct debugger_list {
    uint32_t version, what;
    struct debugger_file *which, *first;
};

#define SEEN __attribute__((visibility("default"), used))

SEEN struct debugger_list __jit_debug_descriptor = {1, DEBUGGER_NOTHING, 0, 0};

SEEN __attribute__((noinline)) void __jit_debug_register_code(void)
{
    __asm__ volatile("");
}

static void debugger_tell(uint32_t what, struct debugger_file *which)
{
    __jit_debug_descriptor.what = what;
    __jit_debug_descriptor.which = which;
    __jit_debug_register_code();
    __jit_debug_descriptor.what = DEBUGGER_NOTHING;
    __jit_debug_descriptor.which = 0;
}

static void debugger_add(struct debugger_file *file)
{
    file->before = 0;
    file->next = __jit_debug_descriptor.first;
    if (file->next)
        file->next->before = file;
    __jit_debug_descriptor.first = file;
    debugger_tell(DEBUGGER_NEW, file);
}

static void debugger_remove(struct debugger_file *file)
{
    if (file->before)
        file->before->next = file->next;
    else
        __jit_debug_descriptor.first = file->next;
    if (file->next)
        file->next->before = file->before;
    debugger_tell(DEBUGGER_GONE, file);
}

#endif
