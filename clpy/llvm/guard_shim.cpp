// SPDX-License-Identifier: Apache-2.0
// See guard_shim.h.
#include "guard_shim.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>

#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include <mutex>

namespace {

struct Guard {
  void (*Fn)(void *);
  void *Arg;
  jmp_buf Escape;
  char *Message;
};

thread_local Guard *CurrentGuard;
clpy_crash_guard CrashGuard;

// LLVM calls this before it would end the process. Threads that are not ours go on to their own end.
void escape(void *, const char *Reason, bool) {
  if (Guard *G = CurrentGuard) {
    CurrentGuard = nullptr;
    G->Message = strdup(Reason ? Reason : "out of memory");
    longjmp(G->Escape, 1);
  }
}

void run_until_fatal(void *Arg) {
  Guard *G = static_cast<Guard *>(Arg);
  if (!setjmp(G->Escape)) {
    CurrentGuard = G;
    G->Fn(G->Arg);
  }
}

void run_guard(Guard *G) {
  static std::once_flag Once;
  std::call_once(Once, [] {
    llvm::install_fatal_error_handler(escape);
    llvm::install_bad_alloc_error_handler(escape);
  });
  Guard *Outer = CurrentGuard;
  if (!CrashGuard)
    run_until_fatal(G);
  else if (!CrashGuard(run_until_fatal, G))
    G->Message = strdup("the compiler crashed on this program");
  CurrentGuard = Outer;
}

void *guard_thread(void *Arg) {
  fesetenv(FE_DFL_ENV); // a host program's rounding mode must not get into folded constants
  run_guard(static_cast<Guard *>(Arg));
  return nullptr;
}

// A thread with much stack that no signal of the host program interrupts; touched pages are all that it costs.
bool run_on_deep_stack(Guard *G) {
  constexpr size_t StackSize = size_t(512) << 20;
  pthread_attr_t Attr;
  pthread_t Thread;
  sigset_t All;
  if (pthread_attr_init(&Attr))
    return false;
  sigfillset(&All);
  bool Started = !pthread_attr_setstacksize(&Attr, StackSize) && !pthread_attr_setsigmask_np(&Attr, &All) &&
                 !pthread_create(&Thread, &Attr, guard_thread, G);
  pthread_attr_destroy(&Attr);
  return Started && !pthread_join(Thread, nullptr);
}

// Whether this thread has enough stack left for LLVM's passes; application threads may have very little.
bool has_room() {
  constexpr size_t Enough = size_t(2) << 20;
  thread_local char *Lowest = [] {
    pthread_attr_t Attr;
    void *Start = nullptr;
    size_t Size = 0;
    if (pthread_getattr_np(pthread_self(), &Attr))
      return static_cast<char *>(nullptr);
    pthread_attr_getstack(&Attr, &Start, &Size);
    pthread_attr_destroy(&Attr);
    return static_cast<char *>(Start);
  }();
  return Lowest && static_cast<char *>(__builtin_frame_address(0)) > Lowest + Enough;
}

} // namespace

extern "C" char *clpy_guarded_here(void (*fn)(void *), void *arg) {
  if (!has_room())
    return clpy_guarded(fn, arg);
  Guard G{fn, arg, {}, nullptr};
  run_guard(&G);
  return G.Message;
}

extern "C" char *clpy_guarded(void (*fn)(void *), void *arg) {
  Guard G{fn, arg, {}, nullptr};
  if (!run_on_deep_stack(&G))
    run_guard(&G);
  return G.Message;
}

extern "C" void clpy_guard_crashes(clpy_crash_guard guard) { CrashGuard = guard; }

extern "C" char *clpy_link_needed(void *dest, const char *data, size_t size) {
  llvm::Module &Dest = *static_cast<llvm::Module *>(dest);
  auto Source = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(llvm::StringRef(data, size), "builtins"),
                                           Dest.getContext(), /*ShouldLazyLoadMetadata=*/true);
  if (!Source)
    return strdup(llvm::toString(Source.takeError()).c_str());
  (*Source)->setTargetTriple(Dest.getTargetTriple());
  (*Source)->setDataLayout(Dest.getDataLayout());
  if (llvm::Linker::linkModules(Dest, std::move(*Source), llvm::Linker::LinkOnlyNeeded))
    return strdup("linking failed");
  return nullptr;
}
