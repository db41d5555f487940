// SPDX-License-Identifier: Apache-2.0
// Three parts of LLVM's code generator take the square of something: instruction selection, two-address form and the
// scheduler that of a block's instructions; two-address form and the coalescer that of the ways that lead to a block
// with values of their own; two-address form that of the blocks in which a value is used for the last time. A block
// that is cut goes on in the next one, ways are gathered by some at a time, and such a value is kept in memory.
#include "cut_shim.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace {

const size_t Long = 8000; // instructions of a block that are left together, and blocks of a function
const size_t Part = 1000; // instructions of the parts of a longer one
const size_t Many = 512;  // ways that lead to a block with phis
const size_t Few = 128;   // and to those that gather them

bool is_wide(const BasicBlock &Block) { return !Block.phis().empty() && pred_size(&Block) > Many; }

// Behind phis, and what takes a place on the stack when the function begins.
BasicBlock::iterator first_place(BasicBlock &Block) {
  auto Place = Block.getFirstInsertionPt();
  if (Block.isEntryBlock())
    for (auto I = Place; I != Block.end(); ++I)
      if (isa<AllocaInst>(*I))
        Place = std::next(I);
  return Place;
}

void cut_length(BasicBlock &Block) {
  SmallVector<Instruction *> Places;
  size_t Count = 0;
  for (Instruction &I : make_range(first_place(Block), Block.end()))
    if (++Count % Part == 0 && !I.isTerminator())
      Places.push_back(&I);
  for (Instruction *I : reverse(Places)) // the last first: each moves what is behind it
    Block.splitBasicBlock(I);
}

bool gather_ways(BasicBlock &Block) {
  SmallSetVector<BasicBlock *, 16> Ways(pred_begin(&Block), pred_end(&Block));
  SmallVector<BasicBlock *> All = Ways.takeVector();
  for (BasicBlock *From : All)
    if (!isa<BranchInst, SwitchInst>(From->getTerminator()))
      return false;
  for (ArrayRef<BasicBlock *> Rest = All; Rest.size() > Few; Rest = Rest.drop_front(Few))
    SplitBlockPredecessors(&Block, Rest.take_front(Few), ".some");
  return true;
}

// The block in which a use wants the value.
BasicBlock *block_of(const Use &U) {
  auto *User = cast<Instruction>(U.getUser());
  auto *Phi = dyn_cast<PHINode>(User);
  return Phi ? Phi->getIncomingBlock(U) : User->getParent();
}

// What does not change in a loop lives all through it: its last use is not there.
bool is_used_up_in_many(Value &V, BasicBlock *Home, const LoopInfo &Loops) {
  if (!V.hasNUsesOrMore(Many) || !V.getType()->isFirstClassType() || V.getType()->isTokenTy() || isa<AllocaInst>(V))
    return false;
  SmallPtrSet<BasicBlock *, 16> Blocks;
  for (const Use &U : V.uses())
    if (BasicBlock *Block = block_of(U); Loops.getLoopFor(Block) == Loops.getLoopFor(Home))
      Blocks.insert(Block);
  return Blocks.size() > Many;
}

void keep_in_memory(Value &V, BasicBlock *Home) {
  BasicBlock &Entry = Home->getParent()->getEntryBlock();
  auto *Own = dyn_cast<Instruction>(&V);
  auto Behind = Own ? Own->getInsertionPointAfterDef() : std::optional(first_place(Entry));
  if (!Behind)
    return;
  DenseMap<BasicBlock *, LoadInst *> Loads;
  IRBuilder<> Builder(&Entry, Entry.getFirstInsertionPt());
  AllocaInst *Slot = Builder.CreateAlloca(V.getType());
  for (Use &U : make_early_inc_range(V.uses())) {
    BasicBlock *Block = block_of(U);
    if (Block == Home)
      continue;
    LoadInst *&Load = Loads[Block];
    if (!Load) {
      Builder.SetInsertPoint(Block, Block->getFirstInsertionPt());
      Load = Builder.CreateLoad(V.getType(), Slot);
    }
    U.set(Load);
  }
  Builder.SetInsertPoint(Home, *Behind);
  Builder.CreateStore(&V, Slot);
}

void keep_what_many_use_up(Function &F, const LoopInfo &Loops) {
  SmallVector<Value *> Values;
  for (Argument &A : F.args())
    if (is_used_up_in_many(A, &F.getEntryBlock(), Loops))
      Values.push_back(&A);
  for (Instruction &I : instructions(F))
    if (is_used_up_in_many(I, I.getParent(), Loops))
      Values.push_back(&I);
  for (Value *V : Values)
    keep_in_memory(*V, isa<Argument>(V) ? &F.getEntryBlock() : cast<Instruction>(V)->getParent());
}

class Cutter : public FunctionPass {
public:
  static char ID;
  Cutter() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "cut long blocks, gather many ways"; }
  void getAnalysisUsage(AnalysisUsage &Needed) const override { Needed.addRequired<LoopInfoWrapperPass>(); }

  bool runOnFunction(Function &F) override {
    bool Changed = false;
    if (F.size() > Long) {
      keep_what_many_use_up(F, getAnalysis<LoopInfoWrapperPass>().getLoopInfo());
      Changed = true;
    }
    SmallVector<BasicBlock *> Blocks;
    for (BasicBlock &Block : F)
      Blocks.push_back(&Block);
    for (BasicBlock *Block : Blocks) {
      if (is_wide(*Block))
        Changed |= gather_ways(*Block);
      if (Block->size() > Long) {
        cut_length(*Block);
        Changed = true;
      }
    }
    return Changed;
  }
};

char Cutter::ID = 0;

} // namespace

bool clpy_has_many_blocks(const Module &M) {
  for (const Function &F : M)
    if (F.size() > Long)
      return true;
  return false;
}

bool clpy_wants_cuts(const Module &M) {
  if (clpy_has_many_blocks(M))
    return true; // ways from one empty block to the next become ways to the last of them
  for (const Function &F : M)
    for (const BasicBlock &Block : F)
      if (Block.size() > Long)
        return true;
  return false;
}

FunctionPass *clpy_cutter() { return new Cutter; }
