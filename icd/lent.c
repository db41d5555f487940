/* SPDX-License-Identifier: Apache-2.0
 *
 * How libclpy-llvm.so gets at the functions of this interpreter. The dynamic linker cannot do it: it goes by names, and
 * looks for them in the whole process, where there may be any Python, and the same libraries once more from another
 * folder. So they are weak undefined symbols there, of names of our own, which are NULL after loading, and their slots
 * are filled in here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "clpypy_"

#define LENT(name) extern char name[];
#include "lent.h"
#undef LENT
#define LENT(name) {#name, name},
static const struct lent {
    const char *name;
    void *address;
} table[] = {
#include "lent.h"
};

static int by_name(const void *name, const void *one)
{
    return strcmp(name, ((const struct lent *)one)->name);
}

static ElfW(Addr) entry(const struct link_map *map, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d->d_un.d_ptr;
    return 0;
}

/* The name of what is missing, NULL when all slots of one table are filled. */
static const char *fill(const struct link_map *map, ElfW(Addr) rows, size_t size)
{
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)entry(map, DT_SYMTAB);
    const char *names = (const char *)entry(map, DT_STRTAB);
    const ElfW(Rela) *row = (const ElfW(Rela) *)rows, *end = row + size / sizeof *row;
    for (; row < end; row++) {
        const char *name = names + symbols[ELF64_R_SYM(row->r_info)].st_name;
        unsigned kind = ELF64_R_TYPE(row->r_info);
        if (strncmp(name, PREFIX, strlen(PREFIX)))
            continue;
        const struct lent *found = bsearch(name + strlen(PREFIX), table, sizeof table / sizeof *table, sizeof *table,
                                           by_name);
        if (!found || (kind != R_X86_64_GLOB_DAT && kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_64))
            return name;
        *(char **)(map->l_addr + row->r_offset) = (char *)found->address + (kind == R_X86_64_64 ? row->r_addend : 0);
    }
    return NULL;
}

/* Does the process have an LLVM that is seen everywhere and whose names have no version, as TensorFlow's? The dynamic
 * linker would take it for the one that the library asks for, whose names do have one. */
static int llvm_of_another(void)
{
    Dl_info info;
    struct link_map *map;
    void *found = dlsym(RTLD_DEFAULT, "LLVMContextCreate");
    return found && dladdr1(found, &info, (void **)&map, RTLD_DL_LINKMAP) && !entry(map, DT_VERDEF);
}

/* NULL, or why the library cannot be used. Its own libraries come first only where it has to be so, as they would also
 * come before an allocator that the whole process has instead of the C library's. */
const char *lend_python(const char *path)
{
    struct link_map *map;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | (llvm_of_another() ? RTLD_DEEPBIND : 0));
    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map))
        return dlerror();
    const char *missing = fill(map, entry(map, DT_RELA), entry(map, DT_RELASZ));
    return missing ? missing : fill(map, entry(map, DT_JMPREL), entry(map, DT_PLTRELSZ));
}
