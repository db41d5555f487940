// SPDX-License-Identifier: Apache-2.0
// Three parts of LLVM's code generator take the square of something: instruction selection, two-address form and the
// scheduler that of a block's instructions; two-address form and the coalescer that of the ways that lead to a block
// with values of their own. A block that is cut goes on in the next one, and ways are gathered by some at a time.
#include "cut_shim.h"

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

class Cutter : public FunctionPass {
public:
  static char ID;
  Cutter() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "cut long blocks, gather many ways"; }

  bool runOnFunction(Function &F) override {
    bool Changed = false;
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

bool clpy_wants_cuts(const Module &M) {
  for (const Function &F : M) {
    if (F.size() > Long)
      return true; // ways from one empty block to the next become ways to the last of them
    for (const BasicBlock &Block : F)
      if (Block.size() > Long)
        return true;
  }
  return false;
}

FunctionPass *clpy_cutter() { return new Cutter; }
