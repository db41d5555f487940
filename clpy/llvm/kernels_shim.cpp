// SPDX-License-Identifier: Apache-2.0
// See kernels_shim.h.
#include "kernels_shim.h"

#include <llvm-c/Core.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <string>

using namespace llvm;

namespace {

// A variable that becomes a value: nothing but loads and stores of the whole know it.
bool becomes_value(const AllocaInst &Slot) {
  return all_of(Slot.users(), [&](const User *U) {
    if (auto *Load = dyn_cast<LoadInst>(U))
      return Load->getType() == Slot.getAllocatedType();
    if (auto *Store = dyn_cast<StoreInst>(U))
      return Store->getPointerOperand() == &Slot && Store->getValueOperand()->getType() == Slot.getAllocatedType();
    auto *Call = dyn_cast<IntrinsicInst>(U);
    return Call && Call->isLifetimeStartOrEnd();
  });
}

// Images, samplers and the like have to be found from where they are used.
bool hides_handle(const Instruction &I) {
  if (auto *Slot = dyn_cast<AllocaInst>(&I))
    return Slot->getAllocatedType()->isTargetExtTy() && !becomes_value(*Slot);
  if (!I.getType()->isTargetExtTy())
    return false;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return !isa<AllocaInst>(Load->getPointerOperand());
  auto *Call = dyn_cast<CallInst>(&I);
  return Call ? Call->getCalledFunction() && !Call->getCalledFunction()->isDeclaration()
              : !isa<PHINode, SelectInst>(I);
}

const char *obstacle(const Function &F) {
  if (F.hasAddressTaken(nullptr, false, true, true))
    return "the address of a function is taken";
  for (const Instruction &I : instructions(F)) {
    if (auto *Call = dyn_cast<CallBase>(&I)) {
      if (Call->isInlineAsm())
        return "assembly";
      if (!Call->getCalledFunction())
        return "a function is called by its address";
    }
    if (hides_handle(I))
      return "a handle comes from memory";
  }
  return nullptr;
}

const unsigned TOO_DEEP = ~0u;

// How deep loops are nested in functions, with all that they call.
class Depths {
public:
  explicit Depths(unsigned Most) : Most(Most) {}

  // TOO_DEEP also for a function that calls itself, in the end.
  unsigned of(Function &F) {
    auto [Known, New] = Found.try_emplace(&F, TOO_DEEP);
    if (!New)
      return Known->second;
    if (Waiting++ > Most)
      return TOO_DEEP;
    unsigned Deepest = F.size() == 1 ? of_calls(F, nullptr) : of_loops(F);
    Waiting--;
    return Found[&F] = Deepest;
  }

private:
  unsigned Most, Waiting = 0;
  DenseMap<Function *, unsigned> Found;

  unsigned of_loops(Function &F) {
    DominatorTree Tree(F);
    LoopInfo Loops(Tree);
    return of_calls(F, &Loops);
  }

  unsigned of_calls(Function &F, LoopInfo *Loops) {
    unsigned Deepest = 0;
    for (BasicBlock &Block : F) {
      unsigned Here = Loops ? Loops->getLoopDepth(&Block) : 0;
      Deepest = std::max(Deepest, Here);
      for (Instruction &I : Block) {
        auto *Call = dyn_cast<CallBase>(&I);
        Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (!Callee || Callee->isDeclaration())
          continue;
        unsigned Inside = of(*Callee);
        if (Inside == TOO_DEEP || Here + Inside > Most)
          return TOO_DEEP;
        Deepest = std::max(Deepest, Here + Inside);
      }
    }
    return Deepest > Most ? TOO_DEEP : Deepest;
  }
};

// Reads the bodies of a function and of all that it reaches, through constants, too.
class Reached {
public:
  Error add(GlobalValue *First) {
    Pending.push_back(First);
    while (!Pending.empty()) {
      Constant *C = Pending.pop_back_val();
      if (!Seen.insert(C).second)
        continue;
      if (auto *G = dyn_cast<GlobalValue>(C))
        if (Error Wrong = G->materialize())
          return Wrong;
      add_operands(*C);
      if (auto *F = dyn_cast<Function>(C))
        for (Instruction &I : instructions(*F))
          add_operands(I);
    }
    return Error::success();
  }

  bool has(Constant &C) const { return Seen.contains(&C); }

private:
  SmallVector<Constant *> Pending;
  DenseSet<Constant *> Seen;

  void add_operands(const User &U) {
    for (const Use &Operand : U.operands())
      if (auto *C = dyn_cast<Constant>(Operand); C && !isa<ConstantData>(C))
        Pending.push_back(C);
  }
};

Expected<std::unique_ptr<Module>> extract(LLVMContext &Context, StringRef Bitcode, ArrayRef<const char *> Names) {
  auto Read = getOwningLazyBitcodeModule(MemoryBuffer::getMemBuffer(Bitcode, "program", false), Context, true);
  if (!Read)
    return Read;
  Module &M = **Read;
  Reached Needed;
  for (const char *Name : Names) {
    Function *Kernel = M.getFunction(Name);
    if (!Kernel)
      return createStringError("there is no such kernel");
    if (Error Wrong = Needed.add(Kernel))
      return Wrong;
  }
  for (Function &F : make_early_inc_range(M))
    if (!Needed.has(F) && F.use_empty())
      F.eraseFromParent();
  if (Error Wrong = M.materializeAll())
    return Wrong;
  return Read;
}

} // namespace

extern "C" const char *clpy_obstacle(LLVMModuleRef module, unsigned most_nested) {
  Module &M = *unwrap(module);
  if (!M.getModuleInlineAsm().empty())
    return "assembly";
  Depths Nested(most_nested);
  for (Function &F : M)
    if (!F.isDeclaration()) {
      if (const char *Why = obstacle(F))
        return Why;
      if (Nested.of(F) == TOO_DEEP)
        return "loops or calls are nested too deep";
    }
  return nullptr;
}

extern "C" LLVMModuleRef clpy_extract(LLVMContextRef context, const char *bitcode, size_t size,
                                      const char *const *names, size_t n_names, char **message) {
  auto Made = extract(*unwrap(context), StringRef(bitcode, size), ArrayRef(names, n_names));
  if (Made)
    return wrap(Made->release());
  *message = LLVMCreateMessage(toString(Made.takeError()).c_str());
  return nullptr;
}
