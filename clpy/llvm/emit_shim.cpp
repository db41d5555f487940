// SPDX-License-Identifier: Apache-2.0
#include "emit_shim.h"

#include "bit_select_shim.h"
#include "cut_shim.h"

#include <llvm-c/Core.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/PassInfo.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/RegisterTargetPassConfigCallback.h>
#include <llvm/Target/TargetMachine.h>

#include <array>
#include <mutex>
#include <string>
#include <utility>

using namespace llvm;

namespace {

thread_local bool LinesAlone = false; // this thread compiles a module of ours that has nothing else
thread_local bool WideSwitch = false; // a branch of it has that many ways
const unsigned Wide = 512;            // each way is looked for among all of them when blocks are put in order
thread_local bool InAHurry = false;   // the caller wants it soon
thread_local bool Cut = false;        // it is so long that it is cut; where it is not, blocks stay as they are
thread_local bool ManyBlocks = false; // the coalescer goes over all of them for copies into a phi: registers are given
                                      // out by the same hints without it

bool has_lines_alone(const Module &M) {
  for (const DICompileUnit *Unit : M.debug_compile_units())
    if (Unit->getEmissionKind() == DICompileUnit::FullDebug)
      return false;
  return true;
}

bool has_wide_switch(const Module &M) {
  for (const Function &F : M)
    for (const BasicBlock &B : F)
      if (const Instruction *Last = B.getTerminator(); Last && Last->getNumSuccessors() > Wide)
        return true;
  return false;
}

void cut(TargetMachine &Machine, TargetPassConfig *Config) {
  const PassInfo *Prepare = PassRegistry::getPassRegistry()->getPassInfo(StringRef("codegenprepare"));
  if (!Prepare || !Machine.getTargetTriple().isX86())
    return;
  Config->insertPass(Prepare->getTypeInfo(), clpy_cutter());
  Config->disablePass(&EarlyTailDuplicateLegacyID); // it would undo some of it
}

void leave_out(TargetMachine &Machine, PassManagerBase &, TargetPassConfig *Config) {
  if (LinesAlone)
    Config->disablePass(&LiveDebugValuesID);
  if (WideSwitch)
    Config->disablePass(&MachineBlockPlacementID);
  if (InAHurry || (Cut && !Machine.getTargetTriple().isX86()))
    Config->disablePass(&MachineSchedulerID);
  if (InAHurry)
    Config->disablePass(&PostRASchedulerID);
  if (ManyBlocks && Machine.getTargetTriple().isX86())
    Config->disablePass(&RegisterCoalescerID);
  if (Cut)
    cut(Machine, Config);
}

// LLVM's models of some processors (AMD's Zen) have instructions ordered once more when registers are given out. By the
// square of a block's loads and stores it takes up to two fifths of the time for code, and where there are many, these
// processors do as well without. LLVM asks this before it runs such a pass over a function.
class NotOrderedAgain : public OptPassGate {
public:
  explicit NotOrderedAgain(const Module &M) {
    for (const Function &F : M)
      if (any_of(F, [](const BasicBlock &Block) { return Block.size() > LongBlock; }))
        Long.insert(F.getName());
  }

  bool isEnabled() const override { return !Long.empty(); }

  bool shouldRunPass(StringRef Pass, StringRef Unit) const override {
    return Pass != Name || !Unit.consume_front("function (") || !Unit.consume_back(")") || !Long.contains(Unit);
  }

private:
  static constexpr size_t LongBlock = 1000; // instructions
  static constexpr StringRef Name = "post-RA-sched";
  StringSet<> Long;
};

// LLVM's command line alone says this, to all threads; it is read while the list of passes is made.
cl::opt<bool> *no_strength_reduction() {
  auto &Options = cl::getRegisteredOptions();
  auto It = Options.find("disable-lsr");
  return It == Options.end() ? nullptr : static_cast<cl::opt<bool> *>(It->second);
}

bool list_passes(TargetMachine &Machine, legacy::PassManager &Passes, raw_pwrite_stream &Out, CodeGenFileType Kind,
                 bool Hurried) {
  static std::mutex One;
  static cl::opt<bool> *Off = no_strength_reduction();
  std::lock_guard<std::mutex> Locked(One);
  if (Off)
    Off->setValue(Hurried);
  bool Failed = Machine.addPassesToEmitFile(Passes, Out, nullptr, Kind);
  if (Off)
    Off->setValue(false);
  return Failed;
}

// Where the processor's own gathers are slow, LLVM makes a branch and a load for each lane of one with a mask, ten
// times the code.
void gather_at_once(const TargetMachine &Machine, Module &M) {
  if (!Machine.getTargetTriple().isX86())
    return;
  const std::string Features = Machine.getTargetFeatureString().str() + ",+fast-gather";
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasFnAttribute("target-features"))
      F.addFnAttr("target-features", StringRef(Features).ltrim(','));
}

// Passes that are kept hear of a function's end, which must not come while another thread uses them.
void make_empty(Module &M) {
  M.dropAllReferences();
  while (!M.empty())
    M.begin()->eraseFromParent();
}

// What LLVM's selector for code that nothing is optimized in has no rule for goes through the usual one, as do all of
// a block's instructions in front of it. It takes two thirds of the time for both; vectors run as fast, and scalar code
// nearly. It makes no products and sums one instruction, which others may later be: results stay what they are.
bool may_select_fast(const TargetMachine &Machine, const Module &M) {
  if (!InAHurry || !Machine.getTargetTriple().isX86())
    return false;
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (const auto *Operation = dyn_cast<FPMathOperator>(&I); Operation && Operation->hasAllowContract())
        return false;
  return true;
}

void run(TargetMachine &Machine, Module &M, legacy::PassManager &Passes) {
  Machine.setFastISel(may_select_fast(Machine, M)); // asked for each function
  NotOrderedAgain Gate(M);
  OptPassGate &Usual = M.getContext().getOptPassGate();
  M.getContext().setOptPassGate(Gate);
  Passes.run(M);
  M.getContext().setOptPassGate(Usual);
  Machine.setFastISel(false);
}

// What the list of passes depends on beside the machine.
using Variant = std::array<bool, 6>;

} // namespace

// A list of passes, and where it writes to.
struct clpy_emitter {
  Variant For;
  SmallString<0> Code;
  raw_svector_ostream Out{Code};
  legacy::PassManager Passes;
};

extern "C" void clpy_forget_emitter(clpy_emitter *Emitter) { delete Emitter; }

extern "C" LLVMBool clpy_emit(LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType kind,
                              LLVMBool hurried, clpy_emitter **kept, char **message, LLVMMemoryBufferRef *out) {
  static RegisterTargetPassConfigCallback Added(leave_out);
  auto &Machine = *reinterpret_cast<TargetMachine *>(machine);
  Module &M = *unwrap(module);
  M.setDataLayout(Machine.createDataLayout());
  LinesAlone = has_lines_alone(M);
  WideSwitch = has_wide_switch(M);
  Cut = clpy_wants_cuts(M);
  ManyBlocks = clpy_has_many_blocks(M);
  InAHurry = hurried;
  if (hurried)
    gather_at_once(Machine, M);
  clpy_hide_bit_masks(Machine, M);
  const Variant Wanted = {kind == LLVMAssemblyFile, LinesAlone, WideSwitch, Cut, ManyBlocks, InAHurry};
  bool Failed = false;
  if (*kept && (*kept)->For != Wanted) {
    delete *kept;
    *kept = nullptr;
  }
  if (!*kept) {
    *kept = new clpy_emitter{Wanted};
    Failed = list_passes(Machine, (*kept)->Passes, (*kept)->Out,
                         kind == LLVMAssemblyFile ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile,
                         hurried);
  }
  if (Failed)
    *message = LLVMCreateMessage("the target has no such files");
  else
    run(Machine, M, (*kept)->Passes);
  make_empty(M);
  LinesAlone = WideSwitch = Cut = ManyBlocks = InAHurry = false;
  if (!Failed)
    *out = wrap(MemoryBuffer::getMemBufferCopy((*kept)->Code).release());
  (*kept)->Code.clear();
  if (Failed) {
    delete *kept;
    *kept = nullptr;
  }
  return Failed;
}
