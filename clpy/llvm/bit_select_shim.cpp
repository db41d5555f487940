// SPDX-License-Identifier: Apache-2.0
#include "bit_select_shim.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// A number that LLVM knows nothing of.
Value *hidden(IRBuilder<> &B, const APInt &Number) {
  const bool Wide = Number.getBitWidth() > 32;
  Type *Word = Wide ? B.getInt64Ty() : B.getInt32Ty();
  InlineAsm *Same = InlineAsm::get(FunctionType::get(Word, {Word}, false), "", "=r,0", false);
  Value *Made = B.CreateCall(Same, {ConstantInt::get(Word, Number.zext(Wide ? 64 : 32))});
  return B.CreateTrunc(Made, B.getIntNTy(Number.getBitWidth()));
}

// The same for a vector: elements that differ are turned by a hidden 0.
Value *hidden(IRBuilder<> &B, Constant *Mask) {
  auto *Type = cast<FixedVectorType>(Mask->getType());
  const APInt *Splat;
  if (match(Mask, m_APInt(Splat)))
    return B.CreateVectorSplat(Type->getNumElements(), hidden(B, *Splat));
  Value *Zero = hidden(B, APInt::getZero(Type->getScalarSizeInBits()));
  return B.CreateXor(Mask, B.CreateVectorSplat(Type->getNumElements(), Zero));
}

// In operands of `Whole` that are values with a constant mask; of a mask and its opposite one is made of the other.
void hide_masks(Instruction *Whole) {
  Constant *First = nullptr;
  Value *Made = nullptr;
  for (Value *Part : Whole->operands()) {
    Value *X;
    Constant *Mask;
    if (!match(Part, m_And(m_Value(X), m_ImmConstant(Mask))))
      continue;
    IRBuilder<> B(Whole);
    if (First && ConstantExpr::getNot(First) == Mask)
      Made = B.CreateNot(Made);
    else
      Made = hidden(B, Mask);
    First = Mask;
    Whole->replaceUsesOfWith(Part, B.CreateAnd(X, Made));
  }
}

void hide_sign(CallInst *Copy) {
  IRBuilder<> B(Copy);
  auto *Type = cast<FixedVectorType>(Copy->getType());
  const unsigned Bits = Type->getScalarSizeInBits();
  auto *Words = FixedVectorType::get(B.getIntNTy(Bits), Type->getNumElements());
  Value *Sign = B.CreateVectorSplat(Type->getNumElements(), hidden(B, APInt::getSignMask(Bits)));
  Value *Of = B.CreateAnd(B.CreateBitCast(Copy->getArgOperand(1), Words), Sign);
  Value *Size = B.CreateAnd(B.CreateBitCast(Copy->getArgOperand(0), Words), B.CreateNot(Sign));
  Copy->replaceAllUsesWith(B.CreateBitCast(B.CreateOr(Size, Of), Type));
  Copy->eraseFromParent();
}

void hide_in(Value *Taken) {
  while (auto *Cast = dyn_cast<BitCastInst>(Taken))
    Taken = Cast->getOperand(0);
  auto *I = dyn_cast<Instruction>(Taken);
  if (!I || !isa<FixedVectorType>(I->getType()))
    return;
  if (match(I, m_Intrinsic<Intrinsic::copysign>(m_Value(), m_Value())))
    hide_sign(cast<CallInst>(I));
  else if (I->getOpcode() == Instruction::Or || I->getOpcode() == Instruction::Xor ||
           I->getOpcode() == Instruction::Add)
    hide_masks(I);
}

} // namespace

void clpy_hide_bit_masks(const TargetMachine &Machine, Module &M) {
  if (!Machine.getTargetTriple().isX86() || !Machine.getMCSubtargetInfo()->checkFeatures("+avx512f"))
    return;
  for (Function &F : M)
    for (BasicBlock &Block : F)
      for (Instruction &I : make_early_inc_range(Block))
        if (auto *Choice = dyn_cast<SelectInst>(&I);
            Choice && isa<FixedVectorType>(Choice->getCondition()->getType())) {
          hide_in(Choice->getTrueValue());
          hide_in(Choice->getFalseValue());
        }
}
