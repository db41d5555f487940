// SPDX-License-Identifier: Apache-2.0
// See amdgpu_shim.h. Each pass comes before one of LLVM's own, which would make wrong code or take long.
#include "amdgpu_shim.h"

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/MC/MCContext.h>
#include <llvm/PassInfo.h>
#include <llvm/PassRegistry.h>
#include <llvm/Target/RegisterTargetPassConfigCallback.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Utils.h>

#include <memory>

using namespace llvm;

namespace {

bool may_cost_nothing(const Instruction &I) {
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    return Call->doesNotAccessMemory() && !Call->isConvergent();
  return isa<CastInst, UnaryOperator, GetElementPtrInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst,
             ExtractValueInst, InsertValueInst, FreezeInst>(I);
}

// An operand of `I` that is no constant; null where one is made in the block of `I`.
Use *operand_from_outside(Instruction &I) {
  Use *Found = nullptr;
  for (Use &Operand : I.operands()) {
    const auto *Made = dyn_cast<Instruction>(Operand);
    if (Made && Made->getParent() == I.getParent())
      return nullptr;
    if (!Found && (Made || isa<Argument>(Operand)))
      Found = &Operand;
  }
  return Found;
}

// StructurizeCFG moves an instruction that costs nothing out of the block that a phi takes it from, and then hands it
// to ways too that never came through that block (llvm-project, pull request 183792, mends some of it). It leaves
// alone what uses a value of its own block: this pass sees to it that there is one.
class KeepInBranch : public FunctionPass {
public:
  static char ID;
  KeepInBranch() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "keep values of phis in their branches"; }
  void getAnalysisUsage(AnalysisUsage &Usage) const override { Usage.setPreservesCFG(); }

  bool runOnFunction(Function &F) override {
    bool Changed = false;
    for (BasicBlock &Block : F)
      for (PHINode &Phi : Block.phis())
        for (unsigned N = 0; N < Phi.getNumIncomingValues(); ++N)
          Changed |= keep(Phi.getIncomingValue(N), Phi.getIncomingBlock(N));
    return Changed;
  }

private:
  static bool keep(Value *Incoming, const BasicBlock *From) {
    auto *I = dyn_cast<Instruction>(Incoming);
    Use *Operand = I && I->getParent() == From && may_cost_nothing(*I) ? operand_from_outside(*I) : nullptr;
    if (!Operand)
      return false;
    Operand->set(new FreezeInst(Operand->get(), "", I->getIterator()));
    return true;
  }
};

// The peephole optimizer takes SCC of an s_and in place of a comparison of its result, and for a second comparison it
// makes an s_bitcmp0 of the same s_and, whose SCC is the opposite: the first one is wrong then. This pass gives each
// comparison an s_and of its own.
class AndForEach : public MachineFunctionPass {
public:
  static char ID;
  AndForEach() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "an s_and for each comparison of it"; }
  void getAnalysisUsage(AnalysisUsage &Usage) const override {
    Usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(Usage);
  }

  bool runOnMachineFunction(MachineFunction &F) override {
    Names = F.getSubtarget().getInstrInfo();
    Registers = &F.getRegInfo();
    bool Changed = false;
    for (MachineBasicBlock &Block : F) {
      SmallPtrSet<const MachineInstr *, 8> Compared;
      for (MachineInstr &I : Block)
        if (MachineInstr *Made = compared_and(I); Made && !Compared.insert(Made).second)
          Changed |= repeat(*Made, I);
    }
    return Changed;
  }

private:
  // The s_and of this block whose result `I` compares; null where it is no such comparison.
  MachineInstr *compared_and(const MachineInstr &I) const {
    if (!Names->getName(I.getOpcode()).starts_with("S_CMP") || !I.getOperand(0).isReg() ||
        !I.getOperand(0).getReg().isVirtual())
      return nullptr;
    MachineInstr *Made = Registers->getUniqueVRegDef(I.getOperand(0).getReg());
    bool IsAnd = Made && Made->getParent() == I.getParent() && Names->getName(Made->getOpcode()).starts_with("S_AND_B");
    return IsAnd ? Made : nullptr;
  }

  bool repeat(MachineInstr &Made, MachineInstr &Comparison) const {
    MachineFunction &F = *Made.getMF();
    MachineInstr *Again = F.CloneMachineInstr(&Made);
    Register Result = Registers->cloneVirtualRegister(Made.getOperand(0).getReg());
    Again->getOperand(0).setReg(Result);
    Comparison.getParent()->insert(Comparison.getIterator(), Again);
    Comparison.getOperand(0).setReg(Result);
    for (const MachineOperand &Operand : Again->all_uses())
      if (Operand.getReg().isVirtual())
        Registers->clearKillFlags(Operand.getReg());
    Registers->clearKillFlags(Made.getOperand(0).getReg());
    return true;
  }

  const TargetInstrInfo *Names = nullptr;
  MachineRegisterInfo *Registers = nullptr;
};

const MCInstrDesc &named(const TargetInstrInfo &Names, StringRef Name) {
  for (unsigned Opcode = 0; Opcode < Names.getNumOpcodes(); ++Opcode)
    if (Names.getName(Opcode) == Name)
      return Names.get(Opcode);
  report_fatal_error("the chip has no instruction " + Twine(Name));
}

// The scheduler compares all that could come next for each instruction of a block: its time grows with the square of
// the block's length, and is two thirds of that for code where a block has thousands. This pass cuts those into pieces,
// each of which is put in order by itself, with an instruction that only says so and that the chip has not.
class CutLongBlocks : public MachineFunctionPass {
public:
  static char ID;
  CutLongBlocks() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "long blocks are put in order by pieces"; }
  void getAnalysisUsage(AnalysisUsage &Usage) const override {
    Usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(Usage);
  }

  bool runOnMachineFunction(MachineFunction &F) override {
    bool Changed = false;
    for (MachineBasicBlock &Block : F)
      if (Block.size() > Long) {
        cut(Block, named(*F.getSubtarget().getInstrInfo(), "SCHED_BARRIER"));
        Changed = true;
      }
    return Changed;
  }

private:
  static constexpr size_t Long = 2000, Piece = 500; // instructions

  static void cut(MachineBasicBlock &Block, const MCInstrDesc &Barrier) {
    const size_t Each = divideCeil(Block.size(), divideCeil(Block.size(), Piece));
    size_t N = 0;
    for (auto I = Block.begin(), End = Block.getFirstTerminator(); I != End; ++I)
      if (N++ % Each == Each - 1)
        BuildMI(Block, I, DebugLoc(), Barrier).addImm(0);
  }
};

// Where a VLIW chip takes a float's magnitude or its negative, that is a mark of the source of what uses it. LLVM makes
// such marks for operations on integers too, for which they mean nothing: the bits of fabs(x) were those of x. This
// pass gives those a move with the marks.
class MarksOnFloats : public MachineFunctionPass {
public:
  static char ID;
  MarksOnFloats() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "integers have no marks of floats"; }

  bool runOnMachineFunction(MachineFunction &F) override {
    const TargetInstrInfo &Names = *F.getSubtarget().getInstrInfo();
    bool Changed = false;
    for (MachineBasicBlock &Block : F)
      for (MachineInstr &I : Block)
        if (const Layout *Found = of_integers(Names.getName(I.getOpcode())) ? layout(I) : nullptr)
          for (unsigned N = 0; N < Found->Sources; ++N)
            Changed |= move(I, Found->First + N * Found->Each, Found->Each == WithMagnitude, Names);
    return Changed;
  }

private:
  // A source is a register, followed by whether it is negative, whether AR is added to its number, in operations of two
  // sources at most whether it is a magnitude, and by the number of a constant.
  static constexpr unsigned WithMagnitude = 5;
  static constexpr unsigned Tail = 4; // behind the sources: end of the bundle, predicate, literal, order
  struct Layout {
    unsigned First, Each, Sources;
  };

  static const Layout *layout(const MachineInstr &I) {
    static constexpr Layout All[] = {{5, WithMagnitude, 1}, {7, WithMagnitude, 2}, {3, 4, 3}};
    for (const Layout &Each : All)
      if (I.getNumExplicitOperands() == Each.First + Each.Each * Each.Sources + Tail)
        return &Each;
    return nullptr;
  }

  static bool of_integers(StringRef Name) {
    static constexpr StringRef Others[] = {"LSH", "ASHR", "BF", "BIT_", "BYTE_", "FF", "ADDC", "SUBB", "FLT16"};
    return (Name.contains("INT") && !Name.starts_with("FLT_TO")) ||
           any_of(Others, [Name](StringRef Other) { return Name.starts_with(Other); });
  }

  static bool move(MachineInstr &I, unsigned At, bool HasMagnitude, const TargetInstrInfo &Names) {
    MachineOperand &Source = I.getOperand(At), &Negative = I.getOperand(At + 1);
    MachineOperand *Magnitude = HasMagnitude ? &I.getOperand(At + 3) : nullptr;
    MachineOperand &Constant = I.getOperand(At + (HasMagnitude ? 4 : 3));
    if (!Source.isReg() || (!Negative.getImm() && !(Magnitude && Magnitude->getImm())))
      return false;
    const MCInstrDesc &Move = named(Names, "MOV");
    MachineRegisterInfo &Registers = I.getMF()->getRegInfo();
    Register Moved = Registers.createVirtualRegister(Names.getRegClass(Move, 0));
    const unsigned Predicate = I.getNumExplicitOperands() - 3;
    if (Source.getReg().isVirtual())
      Registers.clearKillFlags(Source.getReg());
    BuildMI(*I.getParent(), I, I.getDebugLoc(), Move, Moved)
        .addImm(1) // it writes
        .addImm(0)
        .addImm(0)
        .addImm(0)
        .add(Source)
        .addImm(Negative.getImm())
        .addImm(0)
        .addImm(Magnitude ? Magnitude->getImm() : 0)
        .addImm(Constant.getImm())
        .addImm(1)
        .add(I.getOperand(Predicate))
        .add(I.getOperand(Predicate + 1))
        .addImm(0);
    Source.setReg(Moved);
    Negative.setImm(0);
    if (Magnitude)
      Magnitude->setImm(0);
    Constant.setImm(-1);
    return true;
  }
};

// The pass of VLIW chips that makes clauses takes the return for a part of the last one, if nothing stands between, and
// then forgets the kernel's end. This one puts a label there, which is no code.
class LabelBeforeReturn : public MachineFunctionPass {
public:
  static char ID;
  LabelBeforeReturn() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "a label before each return"; }

  bool runOnMachineFunction(MachineFunction &F) override {
    const TargetInstrInfo *Names = F.getSubtarget().getInstrInfo();
    bool Changed = false;
    for (MachineBasicBlock &Block : F)
      for (MachineInstr &I : Block)
        if (Names->getName(I.getOpcode()) == "RETURN") {
          BuildMI(Block, I, I.getDebugLoc(), Names->get(TargetOpcode::ANNOTATION_LABEL))
              .addSym(F.getContext().createTempSymbol());
          Changed = true;
        }
    return Changed;
  }
};

// A condition of VLIW chips takes the lanes for which it does not hold out of all that comes after it, which should be
// the branch alone. Copies for phis are behind it, and the scheduler puts reads of memory there. This pass puts the
// condition last, behind a label that nothing is moved over; the next one takes the labels away.
class ConditionLast : public MachineFunctionPass {
public:
  static char ID;
  ConditionLast() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "the condition of a branch comes last"; }

  bool runOnMachineFunction(MachineFunction &F) override {
    const TargetInstrInfo &Names = *F.getSubtarget().getInstrInfo();
    bool Changed = false;
    for (MachineBasicBlock &Block : F)
      for (MachineInstr &I : make_early_inc_range(Block))
        if (Names.getName(I.getOpcode()) == "PRED_X") {
          put_last(I, Names);
          Changed = true;
          break;
        }
    return Changed;
  }

private:
  static void put_last(MachineInstr &Condition, const TargetInstrInfo &Names) {
    MachineBasicBlock &Block = *Condition.getParent();
    MachineRegisterInfo &Registers = Block.getParent()->getRegInfo();
    auto Last = Condition.isTerminator() ? Condition.getIterator() : Block.getFirstTerminator();
    for (MachineOperand &Source : Condition.uses())
      if (Source.isReg() && Source.getReg().isVirtual()) {
        Register Kept = Registers.createVirtualRegister(Registers.getRegClass(Source.getReg()));
        Registers.clearKillFlags(Source.getReg());
        BuildMI(Block, Condition, Condition.getDebugLoc(), Names.get(TargetOpcode::COPY), Kept)
            .addReg(Source.getReg(), 0, Source.getSubReg());
        Source.setReg(Kept);
        Source.setSubReg(0);
      }
    BuildMI(Block, Last, Condition.getDebugLoc(), Names.get(TargetOpcode::ANNOTATION_LABEL))
        .addSym(Block.getParent()->getContext().createTempSymbol());
    if (Last != Condition.getIterator())
      Condition.moveBefore(&*Last);
  }
};

class WithoutLabels : public MachineFunctionPass {
public:
  static char ID;
  WithoutLabels() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "no labels before conditions"; }

  bool runOnMachineFunction(MachineFunction &F) override {
    bool Changed = false;
    for (MachineBasicBlock &Block : F)
      for (MachineInstr &I : make_early_inc_range(Block))
        if (I.getOpcode() == TargetOpcode::ANNOTATION_LABEL) {
          I.eraseFromParent();
          Changed = true;
        }
    return Changed;
  }
};

char KeepInBranch::ID, AndForEach::ID, CutLongBlocks::ID, LabelBeforeReturn::ID, ConditionLast::ID, WithoutLabels::ID,
    MarksOnFloats::ID;

// The pass that the structurizer comes behind: right behind for GCN chips, for VLIW chips with what keeps phis as they
// are between.
AnalysisID before_structurizer(bool IsGcn) {
  return std::unique_ptr<Pass>(IsGcn ? createUnifyLoopExitsPass() : createFlattenCFGPass())->getPassID();
}

} // namespace

extern "C" void clpy_add_amdgpu_passes() {
  static RegisterTargetPassConfigCallback Added([](TargetMachine &Machine, PassManagerBase &,
                                                   TargetPassConfig *Config) {
    if (!Machine.getTargetTriple().isAMDGPU())
      return;
    bool IsGcn = Machine.getTargetTriple().isAMDGCN();
    if (!IsGcn) // whose loops have one way back: what turns control flow into the chip's gives up on a block with two
      Config->insertPass(before_structurizer(IsGcn), &LoopSimplifyID);
    Config->insertPass(before_structurizer(IsGcn), new KeepInBranch);
    if (const PassInfo *Bundles = IsGcn ? nullptr : PassRegistry::getPassRegistry()->getPassInfo(StringRef("packets")))
      Config->insertPass(Bundles->getTypeInfo(), new LabelBeforeReturn);
    if (!IsGcn) {
      Config->insertPass(&FinalizeISelID, new MarksOnFloats);
      Config->insertPass(&TwoAddressInstructionPassID, new ConditionLast);
      Config->insertPass(&PrologEpilogCodeInserterID, new WithoutLabels);
    }
    if (IsGcn && Machine.getOptLevel() != CodeGenOptLevel::None) {
      Config->insertPass(&MachineSinkingLegacyID, new AndForEach);
      Config->insertPass(&TwoAddressInstructionPassID, new CutLongBlocks);
    }
  });
}
