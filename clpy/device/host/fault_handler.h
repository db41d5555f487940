/* SPDX-License-Identifier: Apache-2.0
 * The signal handler of faults, for fault.pyx alone, which says what it is for. Everything that runs in the handler is
 * safe there.
 */
#ifndef CLPY_FAULT_HANDLER_H
#define CLPY_FAULT_HANDLER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* What a thread that has run kernels has of its own. The handler finds it with pthread_getspecific, which needs no
 * memory in a thread that never called us, as thread-local variables of a library may. */
typedef struct clpy_fault_thread {
    clpy_catcher *catcher;     /* the innermost, NULL outside of kernels; changed by this thread alone */
    pthread_t thread;
    struct clpy_fault_thread *next, *before;
    void *stack;               /* for the handler, where the thread had none; NULL: it has its own */
    int blocks;                /* the host has blocked signals of faults in it */
    unsigned runs;
} clpy_fault_thread;

static const int clpy_fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
enum { CLPY_FAULT_KINDS = 5, CLPY_FAULT_LIBRARIES = 4 };
enum { CLPY_FAULT_STACK_BYTES = 128 << 10, CLPY_FAULT_PAGE = 4096, CLPY_FAULT_DEEP = 64 << 20 };
enum { CLPY_FAULT_WORDS = 1024, CLPY_FAULT_KERNEL = 16 << 20 };     /* of the stack; bytes of a kernel at most */
enum { CLPY_FAULT_LOOK_EVERY = 1024 };     /* launches of a thread: whether our handlers are still there */

static __thread clpy_fault_thread *clpy_fault_mine;
static pthread_key_t clpy_fault_key;
static clpy_fault_thread *clpy_fault_threads;     /* all there are; under the lock */
static pthread_mutex_t clpy_fault_lock = PTHREAD_MUTEX_INITIALIZER;
static int clpy_faults_installed;
/* Of the host, by kind: the handler before ours when ours came first, and the one it has set since. */
static struct sigaction clpy_fault_first[CLPY_FAULT_KINDS], clpy_fault_before[CLPY_FAULT_KINDS];
/* The thread that hands a fault on to the host just now, and how deep in its stack. */
static struct { pid_t thread; uintptr_t depth; } clpy_fault_handing[CLPY_FAULT_KINDS];

/* glibc 2.35; safe in a handler, as dladdr is not. NULL elsewhere: then all code is taken for the kernel's. */
struct clpy_found_object { unsigned long long flags; void *start, *end, *link_map, *room[29]; };
extern int clpy_fault_find_object(void *address, void *result) __asm__("_dl_find_object") __attribute__((weak));
static void *clpy_fault_libraries[CLPY_FAULT_LIBRARIES];   /* link maps of what kernels call */

static int clpy_fault_kind(int number) {
    int kind = 0;
    while (kind < CLPY_FAULT_KINDS - 1 && clpy_fault_signals[kind] != number)
        kind++;
    return kind;
}

/* ---- whose fault ---- */

static void *clpy_fault_library_of(uintptr_t address) {
    struct clpy_found_object found;
    if (!clpy_fault_find_object || clpy_fault_find_object((void *)address, &found) != 0)
        return NULL;
    return found.link_map;
}

static int clpy_fault_is_kernels(uintptr_t pc) {
    void *library = clpy_fault_library_of(pc);
    for (int i = 0; library && i < CLPY_FAULT_LIBRARIES; i++)
        if (library == clpy_fault_libraries[i])
            return 1;
    return !library;
}

/* The compiler's own code is in libraries. The C library's is not left: its allocator has locks. */
static int clpy_fault_is_compilers(uintptr_t pc) {
    void *library = clpy_fault_library_of(pc);
    return library && library != clpy_fault_libraries[0];
}

static int clpy_fault_is_caught(const clpy_catcher *catcher, uintptr_t pc) {
    return catcher->noted || (catcher->compiles ? clpy_fault_is_compilers(pc) : clpy_fault_is_kernels(pc));
}

/* What is told of the fault. A fault in here, where the stack pointer is wild, ends it at once. It reads the stack as
 * it lies there, between variables too, which a sanitizer would take for a mistake. */
__attribute__((no_sanitize_address))
static void clpy_fault_note(clpy_catcher *catcher, int number, const siginfo_t *info, const ucontext_t *context) {
    const greg_t *registers = context->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)registers[REG_RSP], outside = (uintptr_t)catcher;
    int found = 0;
    catcher->number = number;
    catcher->code = info->si_code;
    catcher->pc = (uintptr_t)registers[REG_RIP];
    catcher->address = (uintptr_t)info->si_addr;
    catcher->error = (uintptr_t)registers[REG_ERR];
    catcher->trap = (uintptr_t)registers[REG_TRAPNO];
    memset(catcher->stack, 0, sizeof catcher->stack);
    catcher->noted = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (at % sizeof at != 0 || at >= outside || outside - at > CLPY_FAULT_DEEP)
        return;
    for (int i = 0; i < CLPY_FAULT_WORDS && at < outside && found < CLPY_FAULT_STACK; i++, at += sizeof at) {
        uintptr_t word = *(uintptr_t *)at;
        if (word - catcher->kernel[0] < CLPY_FAULT_KERNEL || word - catcher->kernel[1] < CLPY_FAULT_KERNEL)
            catcher->stack[found++] = word;
    }
}

/* ---- the host's own ---- */

/* The handler that would have got this fault. One that the host has set after ours hands on to ours what it does not
 * want: that comes here from within itself, and goes to the one that was there first, then to the system. */
static struct sigaction clpy_fault_next(int kind, uintptr_t depth) {
    struct sigaction none;
    pid_t thread = (pid_t)syscall(SYS_gettid);
    if (clpy_fault_handing[kind].thread != thread || depth >= clpy_fault_handing[kind].depth) {
        clpy_fault_handing[kind].thread = thread;
        clpy_fault_handing[kind].depth = depth;
        return clpy_fault_before[kind];
    }
    if (memcmp(&clpy_fault_first[kind], &clpy_fault_before[kind], sizeof none) != 0
        && clpy_fault_first[kind].sa_handler != SIG_DFL)
        return clpy_fault_first[kind];
    memset(&none, 0, sizeof none);
    return none;
}

static void clpy_fault_to_system(int number, int refaults) {
    struct sigaction none;
    memset(&none, 0, sizeof none);
    sigaction(number, &none, NULL);
    if (!refaults)
        raise(number);
}

static void clpy_fault_hand_on(int number, siginfo_t *info, void *context) {
    int kind = clpy_fault_kind(number), kept = errno;
    struct sigaction next = clpy_fault_next(kind, (uintptr_t)&kind);
    sigset_t mask = next.sa_mask;
    if (next.sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    if (next.sa_handler == SIG_DFL || next.sa_handler == SIG_IGN) {
        clpy_fault_to_system(number, info->si_code > 0 && number != SIGTRAP);
        return;
    }
    if (next.sa_flags & SA_RESETHAND)
        memset(&clpy_fault_before[kind], 0, sizeof next);
    if (!(next.sa_flags & SA_NODEFER))
        sigaddset(&mask, number);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);     /* the return from our handler undoes it */
    if (next.sa_flags & SA_SIGINFO)
        next.sa_sigaction(number, info, context);
    else
        next.sa_handler(number);
    clpy_fault_handing[kind].thread = 0;
    errno = kept;
}

/* ---- leaving ---- */

/* What comes with our signals: one of the first two, and beside CLPY_FAULT_LEAVE the number of a context. */
enum { CLPY_FAULT_LEAVE = 0x636c7901, CLPY_FAULT_ASK = 0x636c7902, CLPY_FAULT_SIGNAL = SIGFPE };
static pthread_t clpy_fault_main;
static int (*clpy_fault_is_due)(void);       /* for the main thread: is it to leave? */
static volatile sig_atomic_t clpy_fault_has_left;

static int clpy_fault_is_ours(int number, const siginfo_t *info) {
    uint64_t what = (uint64_t)info->si_value.sival_ptr >> 32;
    return number == CLPY_FAULT_SIGNAL && info->si_code == SI_QUEUE && info->si_pid == getpid()
        && (what == CLPY_FAULT_LEAVE || what == CLPY_FAULT_ASK);
}

static void clpy_fault_send(pthread_t thread, uint32_t what, uint32_t context) {
    union sigval value = { .sival_ptr = (void *)((uint64_t)what << 32 | context) };
    pthread_sigqueue(thread, CLPY_FAULT_SIGNAL, value);
}

static void clpy_fault_jump_out(clpy_catcher *catcher) {
    catcher->armed = 0;
    catcher->left = 1;
    siglongjmp(catcher->out, 1);
}

/* A thread that is in a library is asked again; one that prints leaves when it has. */
static void clpy_fault_on_ours(clpy_catcher *catcher, const siginfo_t *info, const ucontext_t *context) {
    uint64_t value = (uint64_t)info->si_value.sival_ptr;
    int is_leave = value >> 32 == CLPY_FAULT_LEAVE;
    if (!catcher || catcher->compiles || (is_leave && catcher->context != (uint32_t)value))
        return;
    if (!catcher->armed || !clpy_fault_is_kernels((uintptr_t)context->uc_mcontext.gregs[REG_RIP])) {
        catcher->asked |= is_leave;
        return;
    }
    if (!is_leave && !clpy_fault_is_due())
        return;
    clpy_fault_has_left |= !is_leave;
    clpy_fault_jump_out(catcher);
}

/* Under the lock no thread can end, so each still is there to get its signal. */
static void clpy_fault_leave(uint32_t context) {
    pthread_mutex_lock(&clpy_fault_lock);
    for (clpy_fault_thread *thread = clpy_fault_threads; thread; thread = thread->next)
        if (__atomic_load_n(&thread->catcher, __ATOMIC_RELAXED))
            clpy_fault_send(thread->thread, CLPY_FAULT_LEAVE, context);
    pthread_mutex_unlock(&clpy_fault_lock);
}

static void clpy_fault_main_is_here(int (*is_due)(void)) {
    clpy_fault_main = pthread_self();
    clpy_fault_is_due = is_due;
}

/* That thread goes when the process does. */
static void clpy_fault_ask_main(void) { clpy_fault_send(clpy_fault_main, CLPY_FAULT_ASK, 0); }

static int clpy_fault_main_left(void) {
    int left = clpy_fault_has_left;
    clpy_fault_has_left = 0;
    return left;
}

static void clpy_on_fault(int number, siginfo_t *info, void *context) {
    clpy_fault_thread *thread = pthread_getspecific(clpy_fault_key);
    clpy_catcher *catcher = thread ? thread->catcher : NULL;
    if (clpy_fault_is_ours(number, info)) {
        clpy_fault_on_ours(catcher, info, context);
        return;
    }
    if (catcher && catcher->armed && info->si_code > 0
        && clpy_fault_is_caught(catcher, (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP])) {
        if (!catcher->noted)
            clpy_fault_note(catcher, number, info, context);
        catcher->armed = 0;
        siglongjmp(catcher->out, 1);
    }
    clpy_fault_hand_on(number, info, context);
}

/* ---- setting up ---- */

static void clpy_fault_list(clpy_fault_thread *thread) {
    thread->thread = pthread_self();
    pthread_mutex_lock(&clpy_fault_lock);
    thread->next = clpy_fault_threads;
    if (thread->next)
        thread->next->before = thread;
    clpy_fault_threads = thread;
    pthread_mutex_unlock(&clpy_fault_lock);
}

static void clpy_fault_unlist(clpy_fault_thread *thread) {
    pthread_mutex_lock(&clpy_fault_lock);
    if (thread->next)
        thread->next->before = thread->before;
    if (thread->before)
        thread->before->next = thread->next;
    else
        clpy_fault_threads = thread->next;
    pthread_mutex_unlock(&clpy_fault_lock);
}

/* In the child of a fork. */
static void clpy_fault_forget_others(void) {
    pthread_mutex_init(&clpy_fault_lock, NULL);
    clpy_fault_threads = clpy_fault_mine;
    if (clpy_fault_mine)
        clpy_fault_mine->next = clpy_fault_mine->before = NULL;
}

static void clpy_fault_forget_thread(void *of_thread) {
    clpy_fault_thread *thread = of_thread;
    stack_t now;
    clpy_fault_mine = NULL;
    clpy_fault_unlist(thread);
    if (thread->stack) {
        if (sigaltstack(NULL, &now) == 0 && now.ss_sp == (char *)thread->stack + CLPY_FAULT_PAGE) {
            now.ss_flags = SS_DISABLE;
            sigaltstack(&now, NULL);
        }
        munmap(thread->stack, CLPY_FAULT_STACK_BYTES + CLPY_FAULT_PAGE);
    }
    free(thread);
}

static void clpy_fault_know_libraries(void) {
    static const char *const names[CLPY_FAULT_LIBRARIES] = {"libc.so.6", "libm.so.6", "libmvec.so.1", "libgcc_s.so.1"};
    static const char *const functions[CLPY_FAULT_LIBRARIES] = {"getpid", "ldexp", "_ZGVbN2v_sin", "__multi3"};
    for (int i = 0; i < CLPY_FAULT_LIBRARIES; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
        void *function = library ? dlsym(library, functions[i]) : NULL;
        clpy_fault_libraries[i] = function ? clpy_fault_library_of((uintptr_t)function) : NULL;
    }
}

static void clpy_faults_install(void) {
    if (!clpy_faults_installed) {
        if (pthread_key_create(&clpy_fault_key, clpy_fault_forget_thread) != 0)
            return;
        clpy_fault_know_libraries();
    }
    for (int kind = 0; kind < CLPY_FAULT_KINDS; kind++) {
        struct sigaction ours, seen;
        if (sigaction(clpy_fault_signals[kind], NULL, &seen) != 0 || seen.sa_sigaction == clpy_on_fault)
            continue;
        if (!clpy_faults_installed)
            clpy_fault_first[kind] = seen;
        clpy_fault_before[kind] = seen;
        memset(&ours, 0, sizeof ours);
        ours.sa_sigaction = clpy_on_fault;
        /* Not blocked inside, so that the jump leaves the thread's signals as they are. */
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
        sigemptyset(&ours.sa_mask);
        sigaction(clpy_fault_signals[kind], &ours, NULL);
    }
    __atomic_store_n(&clpy_faults_installed, 1, __ATOMIC_RELEASE);
}

static void clpy_fault_all(sigset_t *set) {
    sigemptyset(set);
    for (int kind = 0; kind < CLPY_FAULT_KINDS; kind++)
        sigaddset(set, clpy_fault_signals[kind]);
}

static void clpy_fault_give_stack(clpy_fault_thread *thread) {
    stack_t now;
    if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return;
    thread->stack = mmap(NULL, CLPY_FAULT_STACK_BYTES + CLPY_FAULT_PAGE, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (thread->stack == MAP_FAILED) {
        thread->stack = NULL;
        return;
    }
    now.ss_sp = (char *)thread->stack + CLPY_FAULT_PAGE;
    now.ss_size = CLPY_FAULT_STACK_BYTES;
    now.ss_flags = 0;
    if (mprotect(now.ss_sp, now.ss_size, PROT_READ | PROT_WRITE) != 0 || sigaltstack(&now, NULL) != 0) {
        munmap(thread->stack, CLPY_FAULT_STACK_BYTES + CLPY_FAULT_PAGE);
        thread->stack = NULL;
    }
}

/* Once in each thread that runs kernels: NULL where there is no memory, or no handler. */
static clpy_fault_thread *__attribute__((noinline, cold)) clpy_fault_know_thread(void (*install)(void)) {
    clpy_fault_thread *thread;
    sigset_t now;
    install();
    if (!__atomic_load_n(&clpy_faults_installed, __ATOMIC_ACQUIRE) || !(thread = calloc(1, sizeof *thread)))
        return NULL;
    if (pthread_setspecific(clpy_fault_key, thread) != 0) {
        free(thread);
        return NULL;
    }
    clpy_fault_give_stack(thread);
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    for (int kind = 0; kind < CLPY_FAULT_KINDS; kind++)
        thread->blocks |= sigismember(&now, clpy_fault_signals[kind]) == 1;
    clpy_fault_mine = thread;
    clpy_fault_list(thread);
    return thread;
}

static void clpy_faults_own_thread(void) {
    sigset_t faults;
    clpy_fault_all(&faults);
    pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
}

/* ---- running ---- */

/* Not inline: what it returns to must not depend on registers that the jump restores. */
static int __attribute__((noinline)) clpy_fault_run(clpy_catcher *catcher, void (*fn)(void *), void *argument) {
    if (sigsetjmp(catcher->out, 0) == 0) {
        catcher->armed = 1;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        fn(argument);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        catcher->armed = 0;
        return 1;
    }
    __asm__ volatile("fninit");      /* from anywhere: the x87 stack may be full */
    return 0;
}

static int __attribute__((noinline, cold)) clpy_fault_run_unblocked(clpy_catcher *catcher, void (*fn)(void *),
                                                                     void *argument) {
    sigset_t faults, before;
    int done;
    clpy_fault_all(&faults);
    pthread_sigmask(SIG_UNBLOCK, &faults, &before);
    done = clpy_fault_run(catcher, fn, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return done;
}

/* `install` sees to it that our handlers are there. */
static int clpy_fault_catch(clpy_catcher *catcher, uint32_t context, void (*fn)(void *), void *argument,
                            void (*install)(void)) {
    clpy_fault_thread *thread = clpy_fault_mine;
    int done;
    if (__builtin_expect(!thread, 0) && !(thread = clpy_fault_know_thread(install))) {
        fn(argument);
        return 1;
    }
    if (__builtin_expect(++thread->runs % CLPY_FAULT_LOOK_EVERY == 0, 0))
        install();
    catcher->armed = catcher->noted = catcher->left = catcher->asked = 0;
    catcher->context = context;
    catcher->outer = thread->catcher;
    __atomic_store_n(&thread->catcher, catcher, __ATOMIC_RELAXED);
    done = __builtin_expect(thread->blocks, 0) ? clpy_fault_run_unblocked(catcher, fn, argument)
                                                : clpy_fault_run(catcher, fn, argument);
    __atomic_store_n(&thread->catcher, catcher->outer, __ATOMIC_RELAXED);
    return done;
}

static int clpy_fault_pause(void) {
    clpy_catcher *catcher = clpy_fault_mine ? clpy_fault_mine->catcher : NULL;
    int was = catcher ? catcher->armed : 0;
    if (was)
        catcher->armed = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return was;
}

static void clpy_fault_go_on(int paused) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (paused)
        clpy_fault_mine->catcher->armed = 1;
}

static void clpy_fault_leave_now(void) {
    clpy_catcher *catcher = clpy_fault_mine ? clpy_fault_mine->catcher : NULL;
    if (catcher && catcher->armed)
        clpy_fault_jump_out(catcher);
}

static void clpy_fault_leave_if_asked(void) {
    clpy_catcher *catcher = clpy_fault_mine ? clpy_fault_mine->catcher : NULL;
    if (catcher && catcher->armed && catcher->asked)
        clpy_fault_jump_out(catcher);
}

#endif
