/* SPDX-License-Identifier: Apache-2.0
 * A C program to which the system refuses something, as sandboxes do: `refused WHAT [FILE]`. It builds a kernel from
 * source, or from the SPIR-V in the file, and runs it; where it cannot be built, it prints the error and the build log.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "host.h"

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define WITHOUT(bits, skip) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, skip)
#define ANSWER(code) BPF_STMT(BPF_RET | BPF_K, code)
#define REFUSED ANSWER(SECCOMP_RET_ERRNO | EPERM)

static void restrict_by(struct sock_filter *filter, size_t n)
{
    struct sock_fprog program = {(unsigned short)n, filter};
    REQUIRE(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    REQUIRE(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static void refuse_memory_files(void)
{
    struct sock_filter filter[] = {LOAD(nr), UNLESS(SYS_memfd_create, 1), REFUSED, ANSWER(SECCOMP_RET_ALLOW)};
    restrict_by(filter, sizeof filter / sizeof *filter);
}

/* Nor files without a name, wherever a folder is. */
static void refuse_nameless_files(void)
{
    struct sock_filter filter[] = {LOAD(nr), UNLESS(SYS_openat, 3), LOAD(args[2]),
                                   WITHOUT(O_TMPFILE & ~O_DIRECTORY, 1), REFUSED, ANSWER(SECCOMP_RET_ALLOW)};
    refuse_memory_files();
    restrict_by(filter, sizeof filter / sizeof *filter);
}

/* Memory that was written to is never executed, as systemd's MemoryDenyWriteExecute has it. Libraries can be loaded. */
static void refuse_written_code(void)
{
    struct sock_filter filter[] = {
        LOAD(nr), UNLESS(SYS_mprotect, 3), LOAD(args[2]), WITHOUT(PROT_EXEC, 6), REFUSED,
        UNLESS(SYS_mmap, 4), LOAD(args[2]), WITHOUT(PROT_EXEC, 2), WITHOUT(PROT_WRITE, 1), REFUSED,
        ANSWER(SECCOMP_RET_ALLOW)};
    restrict_by(filter, sizeof filter / sizeof *filter);
}

static cl_program program_of(cl_context context, const char *path)
{
    static char text[1 << 16];
    cl_int code;
    cl_program program;
    if (path) {
        FILE *file = fopen(path, "rb");
        REQUIRE(file);
        program = clCreateProgramWithIL(context, text, fread(text, 1, sizeof text, file), &code);
        fclose(file);
    } else {
        program = clCreateProgramWithSource(context, 1, (const char **)&SOURCE, NULL, &code);
    }
    CHECK(code);
    return program;
}

static void build(cl_platform_id platform, const char *path)
{
    static char log[1 << 16];
    cl_device_id device;
    cl_int code;
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_program program = program_of(context, path);
    code = clBuildProgram(program, 1, &device, "", NULL, NULL);
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    printf("%d %s\n", code, log);
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(context));
    if (code == CL_SUCCESS && !path)
        run_kernel(platform);
}

int main(int argc, char **argv)
{
    if (!strcmp(argv[1], "memory-files"))
        refuse_memory_files();
    else if (!strcmp(argv[1], "files"))
        refuse_nameless_files();
    else if (!strcmp(argv[1], "written-code"))
        refuse_written_code();
    cl_platform_id platform = find_platform("clpy");
    REQUIRE(platform);
    build(platform, argc > 2 ? argv[2] : NULL);
    puts("ended");
    return 0;
}
