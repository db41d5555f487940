# SPDX-License-Identifier: Apache-2.0
"""Every kernel function begins with the question whether the objects of the program have been constructed. The first
thread that asks does it, with a launch of a single work-item; others wait until it is done. A thread that waits has
nothing that the other could need: it has not begun.

Where constructing ends in a fault, the kernels of the program end in one too: at once where the same thread comes
again, after a long time where another has waited for it. On models the runtime asks (`add_question`).
"""
from clpy.abi_layout import KERNEL_PREFIX
from clpy.compiler import frame as fr
from clpy.llvm.ir import Builder, get_function
from clpy.llvm.module import Module

ONCE = "clpy.once"
LONGEST = 1 << 36        # cycles, some twenty seconds: constructors that take longer have failed
TEXT = """
@clpy.constructed = internal global i32 0       ; 0: nothing, 1: somebody is at it, 2: all, 3: that failed
@clpy.owner = internal global ptr null          ; the thread that is at it
@clpy.memory = internal global [{bytes} x i8] zeroinitializer, align 128
@clpy.group = internal constant {{ ptr, ptr }}
    {{ ptr @clpy.memory, ptr getelementptr (i8, ptr @clpy.memory, i64 {local}) }}
@clpy.launch = internal constant {{ i32, i32, [3 x i64], [3 x i64], [3 x i64], [3 x i64], ptr }}
    {{ i32 1, i32 0, [3 x i64] zeroinitializer, [3 x i64] [i64 1, i64 1, i64 1], [3 x i64] [i64 1, i64 1, i64 1],
       [3 x i64] [i64 1, i64 1, i64 1], ptr null }}, align 16
declare void @"{kernel}"(ptr, ptr, ptr, i64, i64, i64, i64)
declare ptr @llvm.thread.pointer.p0()
declare i64 @llvm.readcyclecounter()
declare void @llvm.trap()

define void @clpy.once() alwaysinline nounwind {{
  %state = load atomic i32, ptr @clpy.constructed acquire, align 4
  %done = icmp eq i32 %state, 2
  br i1 %done, label %end, label %construct
construct:
  call void @clpy.construct()
  br label %end
end:
  ret void
}}

define internal void @clpy.construct() noinline cold nounwind {{
  %self = call ptr @llvm.thread.pointer.p0()
  %pair = cmpxchg ptr @clpy.constructed, i32 0, i32 1 acq_rel acquire
  %first = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %first, label %run, label %others
run:
  store atomic ptr %self, ptr @clpy.owner release, align 8
  call void @"{kernel}"(ptr @clpy.launch, ptr @clpy.launch, ptr @clpy.group, i64 0, i64 1, i64 0, i64 0)
  store atomic i32 2, ptr @clpy.constructed release, align 4
  ret void
others:
  %owner = load atomic ptr, ptr @clpy.owner acquire, align 8
  %again = icmp eq ptr %owner, %self
  %start = call i64 @llvm.readcyclecounter()
  br i1 %again, label %failed, label %wait
wait:
  %state = load atomic i32, ptr @clpy.constructed acquire, align 4
  %now = call i64 @llvm.readcyclecounter()
  %spent = sub i64 %now, %start
  %long = icmp ugt i64 %spent, {cycles}
  br i1 %long, label %failed, label %look
look:
  switch i32 %state, label %wait [ i32 2, label %end i32 3, label %failed ]
failed:
  store atomic i32 3, ptr @clpy.constructed release, align 4
  call void @llvm.trap()
  unreachable
end:
  ret void
}}
"""


def add_question(module, kernel, local_bytes, context_bytes):
    """The function that asks, in a module with the kernel's code of this name."""
    local = -(-local_bytes // 128) * 128
    guard = Module.from_text(TEXT.format(kernel=kernel, local=local, cycles=LONGEST,
                                         bytes=max(local + context_bytes, 1)))
    guard.set_triple(module.triple)
    guard.set_datalayout(module.datalayout)
    module.link_bitcode(guard.to_bitcode())
    return get_function(module, ONCE)


def run(module, lowering):
    name = KERNEL_PREFIX + fr.INITIALIZE
    if get_function(module, name) is None:
        return
    info = lowering.kernels[fr.INITIALIZE]
    once, builder = add_question(module, name, info.local_bytes, info.context_bytes), Builder(module)
    for kernel in fr.kernel_functions(module):
        if kernel.name != name:
            builder.before(kernel.entry.first).call(once, [])
    once.set_internal()
    get_function(module, name).set_internal()
