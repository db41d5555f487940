/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the C library that static libraries of the distribution call and that came with glibc 2.35 and 2.36, so
 * that wheels run with the older ones, too. Hidden: nobody else's calls come here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* 2.36. LLVM names temporary files and seeds hashes with it. */
HIDDEN uint32_t arc4random(void)
{
    uint32_t value = 0;
    while (getrandom(&value, sizeof value, 0) != sizeof value)
        ;
    return value;
}

/* The newest hypot is of 2.35. */
double older_hypot(double, double);
__asm__(".symver older_hypot, hypot@GLIBC_2.2.5");
HIDDEN double hypot(double x, double y);

HIDDEN double hypot(double x, double y)
{
    return older_hypot(x, y);
}

/* 2.35. The unwinder of libgcc asks where the tables for an address lie. */
struct wanted {
    uintptr_t address;
    struct dl_find_object *found;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
    struct wanted *wanted = data;
    int inside = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_EH_FRAME)
            wanted->found->dlfo_eh_frame = (void *)start;
        if (part->p_type == PT_LOAD && wanted->address - start < part->p_memsz) {
            wanted->found->dlfo_map_start = (void *)start;
            wanted->found->dlfo_map_end = (void *)(start + part->p_memsz);
            inside = 1;
        }
    }
    if (!inside)
        wanted->found->dlfo_eh_frame = NULL;
    return inside;
}

HIDDEN int _dl_find_object(void *address, struct dl_find_object *found)
{
    struct wanted wanted = {(uintptr_t)address, found};
    *found = (struct dl_find_object){0};
    return dl_iterate_phdr(look_at, &wanted) && found->dlfo_eh_frame ? 0 : -1;
}
