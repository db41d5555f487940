// SPDX-License-Identifier: Apache-2.0
// See variables_shim.h.
#include "variables_shim.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <utility>
#include <vector>

using namespace llvm;

namespace {

const char *const Mark = "clpy.variable";
const unsigned LOCAL_SPACE = 3;
const uint64_t Largest = 1 << 16; // bytes of a variable that is worth a copy

using Records = SmallVector<DbgVariableRecord *, 4>;
using Variable = std::pair<DILocalVariable *, DILocation *>; // and where its function was inlined

bool is_debugged(const Module &M) {
  return std::any_of(M.debug_compile_units_begin(), M.debug_compile_units_end(), [](const DICompileUnit *Unit) {
    return Unit->getEmissionKind() == DICompileUnit::FullDebug;
  });
}

Records records_of(Function &F) {
  Records All;
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
      All.push_back(&R);
  return All;
}

// As Clang says it for SPIR: the variable as it is, with the number of an address space.
bool has_space(const DIExpression *E) {
  ArrayRef<uint64_t> Words = E->getElements();
  return Words.size() == 4 && Words[0] == dwarf::DW_OP_constu && Words[2] == dwarf::DW_OP_swap &&
         Words[3] == dwarf::DW_OP_xderef;
}

// Whether a value can be stored where its variable lies, and at which byte of it.
bool fits(DbgVariableRecord &R, uint64_t Bytes, uint64_t &At) {
  if (R.hasArgList() || !R.getVariableLocationOp(0) || isa<UndefValue>(R.getVariableLocationOp(0)))
    return false;
  DIExpression *E = R.getExpression();
  auto Part = E->getFragmentInfo();
  if (E->getNumElements() != (Part ? 3 : 0) || (Part && Part->OffsetInBits % 8))
    return false;
  At = Part ? Part->OffsetInBits / 8 : 0;
  Type *T = R.getVariableLocationOp(0)->getType();
  const DataLayout &Layout = R.getModule()->getDataLayout();
  return T->isSized() && !T->isTargetExtTy() && Layout.getTypeSizeInBits(T) % 8 == 0 &&
         At + Layout.getTypeStoreSize(T) <= Bytes;
}

AllocaInst *place_for(Function &F, uint64_t Bytes, StringRef Name) {
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin()); // before what is said of the first instruction, too
  B.SetCurrentDebugLocation(DebugLoc());
  AllocaInst *Place = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), Bytes), nullptr, Name);
  Place->setAlignment(Align(Bytes < 16 ? 8 : 16));
  Place->setMetadata(Mark, MDNode::get(F.getContext(), {}));
  return Place;
}

void declare(Value *Place, DILocalVariable *Var, DIExpression *How, DILocation *At, Instruction *Before) {
  DIBuilder(*Before->getModule(), false).insertDeclare(Place, Var, How, At, Before->getIterator());
}

void store_where_it_changes(DbgVariableRecord &R, AllocaInst *Place, uint64_t At) {
  Instruction *Next = R.getMarker()->MarkedInstr;
  IRBuilder<> B(Next->getParent(), isa<PHINode>(Next) ? Next->getParent()->getFirstInsertionPt() : Next->getIterator());
  B.SetCurrentDebugLocation(DebugLoc());
  Value *To = At ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Place, At) : Place;
  B.CreateAlignedStore(R.getVariableLocationOp(0), To, Align(At % 8 ? 1 : 8), true);
}

void keep_values(Function &F, MapVector<Variable, Records> &Values) {
  for (auto &[Var, Changes] : Values) {
    uint64_t Bytes = Var.first->getSizeInBits().value_or(0) / 8, At;
    AllocaInst *Place = nullptr;
    for (DbgVariableRecord *R : Changes) {
      if (Bytes && Bytes <= Largest && fits(*R, Bytes, At)) {
        if (!Place) {
          Place = place_for(F, Bytes, Var.first->getName());
          declare(Place, Var.first, DIExpression::get(F.getContext(), {}), R->getDebugLoc().get(),
                  Place->getNextNode());
        }
        store_where_it_changes(*R, Place, At);
      }
    }
    for (DbgVariableRecord *R : Changes)
      R->eraseFromParent();
  }
}

// The place of the kernel's own code. Clang makes two functions of a kernel: one is launched and calls the other, or
// has it inlined.
DILocation *inside(Function &F) {
  DISubprogram *Kernel = F.getSubprogram();
  DILocation *Found = nullptr;
  for (Instruction &I : instructions(F))
    for (DILocation *At = I.getDebugLoc().get(); At && Kernel; At = At->getInlinedAt()) {
      bool IsBody = At->getInlinedAt() && At->getScope()->getSubprogram()->getName() == Kernel->getName();
      if (IsBody || (!Found && !At->getInlinedAt() && At->getScope()->getSubprogram() == Kernel))
        Found = At;
      if (IsBody)
        return Found;
    }
  return Found;
}

// The units of the module say nothing of this variable.
void forget(Module &M, DIGlobalVariableExpression *Said) {
  for (DICompileUnit *Unit : M.debug_compile_units()) {
    SmallVector<Metadata *> Others;
    for (DIGlobalVariableExpression *Each : Unit->getGlobalVariables())
      if (Each != Said)
        Others.push_back(Each);
    Unit->replaceGlobalVariables(MDTuple::get(M.getContext(), Others));
  }
}

void keep_ids(Function &F, const StringSet<> &Named) {
  DILocation *At = inside(F);
  if (!At)
    return;
  Module &M = *F.getParent();
  DIBuilder D(M, false);
  DISubprogram *Scope = At->getScope()->getSubprogram();
  DIType *Long = D.createBasicType("ulong", 64, dwarf::DW_ATE_unsigned);
  DIType *Three = D.createArrayType(192, 64, Long, D.getOrCreateArray({D.getOrCreateSubrange(0, 3)}));
  auto *Place = DILocation::get(F.getContext(), Scope->getLine(), 0, Scope, At->getInlinedAt());
  for (auto [Name, Asked] : {std::pair("global_id", "_Z13get_global_idj"), std::pair("local_id", "_Z12get_local_idj"),
                             std::pair("group_id", "_Z12get_group_idj")}) {
    if (Named.contains(Name))
      continue;
    AllocaInst *Slot = place_for(F, 24, Name);
    IRBuilder<> B(Slot->getNextNode());
    B.SetCurrentDebugLocation(DebugLoc());
    FunctionCallee Id = M.getOrInsertFunction(Asked, B.getInt64Ty(), B.getInt32Ty());
    cast<Function>(Id.getCallee())->setCallingConv(CallingConv::SPIR_FUNC);
    for (unsigned I = 0; I < 3; I++) {
      CallInst *Value = B.CreateCall(Id, B.getInt32(I));
      Value->setCallingConv(CallingConv::SPIR_FUNC);
      Value->setDebugLoc(Place);
      B.CreateAlignedStore(Value, B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Slot, I), Align(8), true);
    }
    auto *Var =
        D.createAutoVariable(Scope, Name, Scope->getFile(), Scope->getLine(), Three, true, DINode::FlagArtificial);
    declare(Slot, Var, D.createExpression(), Place, Slot->getNextNode());
  }
  D.finalize();
}

// Static local memory of the kernel: global variables to LLVM, until a pass gives them places in the group's memory.
void keep_local_memory(Function &F) {
  DILocation *At = inside(F);
  Module &M = *F.getParent();
  for (GlobalVariable &G : M.globals()) {
    SmallVector<DIGlobalVariableExpression *, 1> Said;
    G.getDebugInfo(Said);
    auto *Old = At && G.getAddressSpace() == LOCAL_SPACE && Said.size() == 1 ? Said[0]->getVariable() : nullptr;
    if (!Old || Old->getScope() != At->getScope()->getSubprogram())
      continue;
    AllocaInst *Slot = place_for(F, 8, Old->getName());
    IRBuilder<> B(Slot->getNextNode());
    B.SetCurrentDebugLocation(DebugLoc());
    B.CreateAlignedStore(&G, Slot, Align(8), true);
    DIBuilder D(M, false);
    auto *Var =
        D.createAutoVariable(Old->getScope(), Old->getName(), Old->getFile(), Old->getLine(), Old->getType(), true);
    auto *Place = DILocation::get(F.getContext(), Old->getLine(), 0, Old->getScope(), At->getInlinedAt());
    declare(Slot, Var, DIExpression::get(F.getContext(), {dwarf::DW_OP_deref}), Place, Slot->getNextNode());
    D.finalize();
    G.eraseMetadata(LLVMContext::MD_dbg);
    forget(M, Said[0]);
  }
}

// A place that nobody reads would end where the variable's last value is written.
void keep_to_the_end(Function &F) {
  std::vector<AllocaInst *> Places;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Place = dyn_cast<AllocaInst>(&I); Place && Place->getMetadata(Mark))
      Places.push_back(Place);
  for (BasicBlock &Block : F)
    if (auto *End = dyn_cast<ReturnInst>(Block.getTerminator())) {
      IRBuilder<> B(End);
      B.SetCurrentDebugLocation(DebugLoc());
      for (AllocaInst *Place : Places)
        B.CreateLoad(B.getInt8Ty(), Place, true);
    }
}

void keep_variables(Function &F) {
  MapVector<Variable, Records> Values;
  StringSet<> Named;
  for (DbgVariableRecord *R : records_of(F)) {
    Named.insert(R->getVariable()->getName());
    if (auto *Place = R->isDbgDeclare() ? dyn_cast_or_null<AllocaInst>(R->getAddress()) : nullptr)
      Place->setMetadata(Mark, MDNode::get(F.getContext(), {}));
    else if (R->isDbgValue())
      Values[{R->getVariable(), R->getDebugLoc()->getInlinedAt()}].push_back(R);
  }
  keep_values(F, Values);
  keep_local_memory(F);
  keep_ids(F, Named);
  keep_to_the_end(F);
}

} // namespace

extern "C" void clpy_leave_spaces(void *module) {
  for (Function &F : *static_cast<Module *>(module))
    for (DbgVariableRecord *R : records_of(F))
      if (has_space(R->getExpression()))
        R->setExpression(DIExpression::get(F.getContext(), {}));
}

extern "C" void clpy_keep_variables(void *module) {
  Module &M = *static_cast<Module *>(module);
  if (!is_debugged(M))
    return;
  std::vector<Function *> Kernels;
  for (Function &F : M)
    if (!F.isDeclaration() && F.getCallingConv() == CallingConv::SPIR_KERNEL)
      Kernels.push_back(&F);
  for (Function *F : Kernels)
    keep_variables(*F);
}

extern "C" void clpy_join_variables(void *function) {
  auto &F = *cast<Function>(static_cast<Value *>(function));
  MapVector<Variable, AllocaInst *> First;
  for (DbgVariableRecord *R : records_of(F)) {
    auto *Place = R->isDbgDeclare() ? dyn_cast_or_null<AllocaInst>(R->getAddress()) : nullptr;
    if (!Place || Place->getParent() != &F.getEntryBlock())
      continue;
    AllocaInst *&Kept = First[{R->getVariable(), R->getDebugLoc()->getInlinedAt()}];
    if (!Kept) {
      Kept = Place;
      Kept->moveBefore(F.getEntryBlock().begin());
    } else if (Kept != Place && Kept->getAllocatedType() == Place->getAllocatedType()) {
      R->eraseFromParent();
      Place->replaceAllUsesWith(Kept);
      Place->eraseFromParent();
    }
  }
}

extern "C" void clpy_move_variable(void *alloca, void *place, void *before) {
  auto *From = cast<AllocaInst>(static_cast<Value *>(alloca));
  auto *To = static_cast<Value *>(place);
  auto *Before = cast<Instruction>(static_cast<Value *>(before));
  bool IsComputed = !isa<AllocaInst>(To);
  SmallVector<DbgVariableRecord *> Users;
  findDbgUsers(From, Users);
  if (IsComputed) { // an address that is computed: it is kept, too, and the variable is where it leads
    BasicBlock &Entry = Before->getFunction()->getEntryBlock(); // it may be empty yet
    auto *Slot = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(To->getType(), nullptr, From->getName() + ".at");
    IRBuilder<>(Before).CreateStore(To, Slot, true);
    To = Slot;
  }
  for (DbgVariableRecord *R : Users)
    if (R->isDbgDeclare()) {
      DIExpression *How = R->getExpression();
      declare(To, R->getVariable(), IsComputed ? DIExpression::prepend(How, DIExpression::DerefBefore) : How,
              R->getDebugLoc().get(), Before);
    }
}
