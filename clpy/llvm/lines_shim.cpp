// SPDX-License-Identifier: Apache-2.0
// See lines_shim.h.
#include "lines_shim.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <stdlib.h>
#include <string.h>

#include <string>

namespace {

// The function that an instruction with this place belongs to after all inlining.
llvm::DISubprogram *outermost(const llvm::DILocation *At) {
  while (const llvm::DILocation *Caller = At->getInlinedAt())
    At = Caller;
  return At->getScope()->getSubprogram();
}

llvm::DISubprogram *most_common(llvm::Function &F, const llvm::DenseSet<llvm::DISubprogram *> &Taken) {
  llvm::DenseMap<llvm::DISubprogram *, unsigned> Counts;
  llvm::DISubprogram *Best = nullptr;
  for (llvm::Instruction &I : llvm::instructions(F))
    if (const llvm::DILocation *At = I.getDebugLoc().get()) {
      llvm::DISubprogram *Found = outermost(At);
      if (!Taken.count(Found) && ++Counts[Found] > (Best ? Counts[Best] : 0))
        Best = Found;
    }
  return Best;
}

// All places have to be of that function, and calls of functions that have places need one too.
void keep_only(llvm::Function &F, llvm::DISubprogram *Own) {
  for (llvm::Instruction &I : llvm::instructions(F)) {
    for (llvm::DbgRecord &R : llvm::make_early_inc_range(I.getDbgRecordRange()))
      if (outermost(R.getDebugLoc().get()) != Own)
        R.eraseFromParent();
    const llvm::DILocation *At = I.getDebugLoc().get();
    if (At && outermost(At) != Own)
      I.setDebugLoc(llvm::DebugLoc());
    auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
    if (Call && Own && !I.getDebugLoc() && Call->getCalledFunction() && Call->getCalledFunction()->getSubprogram())
      I.setDebugLoc(llvm::DILocation::get(F.getContext(), 0, 0, Own));
  }
}

// A function of ours that has a part of a kernel: its places are as if the kernel's function were inlined into it, for
// no two functions can be the same one of the source.
void place_part(llvm::Function &F) {
  llvm::DISubprogram *Whole = most_common(F, {});
  if (!Whole)
    return;
  llvm::LLVMContext &Context = F.getContext();
  auto *Own = llvm::DISubprogram::getDistinct(
      Context, Whole->getScope(), Whole->getName(), "", Whole->getFile(), Whole->getLine(), Whole->getType(),
      Whole->getScopeLine(), nullptr, 0, 0, Whole->getFlags(), Whole->getSPFlags(), Whole->getUnit());
  F.setSubprogram(Own);
  auto *Caller = llvm::DILocation::getDistinct(Context, 0, 0, Own);
  llvm::DenseMap<const llvm::MDNode *, llvm::MDNode *> Known;
  auto Inlined = [&](const llvm::DebugLoc &At) {
    llvm::DILocation *Around = llvm::DebugLoc::appendInlinedAt(At, Caller, Context, Known).get();
    return llvm::DILocation::get(Context, At.getLine(), At.getCol(), At.getScope(), Around);
  };
  for (llvm::Instruction &I : llvm::instructions(F)) {
    for (llvm::DbgRecord &R : I.getDbgRecordRange())
      R.setDebugLoc(Inlined(R.getDebugLoc()));
    if (I.getDebugLoc())
      I.setDebugLoc(Inlined(I.getDebugLoc()));
    llvm::updateLoopMetadataDebugLocations(I, [&](llvm::Metadata *Node) -> llvm::Metadata * {
      auto *At = llvm::dyn_cast_or_null<llvm::DILocation>(Node);
      return At ? Inlined(At) : Node;
    });
    auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
    if (Call && !I.getDebugLoc() && Call->getCalledFunction() && Call->getCalledFunction()->getSubprogram())
      I.setDebugLoc(Caller);
  }
}

// A kernel is inlined into the one of the same name that is launched: that says nothing.
std::string describe(const llvm::DIInliningInfo &Frames) {
  std::string Text, Before;
  for (uint32_t I = 0; I < Frames.getNumberOfFrames(); I++) {
    const llvm::DILineInfo &At = Frames.getFrame(I);
    if (!At || At.FileName == llvm::DILineInfo::BadString || At.Line == 0 || At.FunctionName == Before)
      continue;
    Text += (Text.empty() ? "" : ", called at ") + At.FileName + ":" + std::to_string(At.Line);
    if (At.Column)
      Text += ":" + std::to_string(At.Column);
    if (At.FunctionName != llvm::DILineInfo::BadString)
      Text += " in " + At.FunctionName;
    Before = At.FunctionName;
  }
  return Text;
}

// The kernel whose code a symbol is, by its name: the prefix of kernels (clpy.abi_layout) or that of the wavefronts of
// a translated one (compiler/isa/gcn/wavefront.py), and perhaps what kind of code behind a further dot. None of others.
llvm::StringRef kernel_of(llvm::StringRef Symbol) {
  if (!Symbol.consume_front("__clpy_kernel.") && !Symbol.consume_front("wave."))
    return "";
  return Symbol.take_until([](char Letter) { return Letter == '.'; });
}

// Whether a function has the byte that may be the kernel's: its own, a part of it, or one that it calls.
bool is_code(llvm::object::ObjectFile &Object, const llvm::object::SectionRef &In, uint64_t At,
             llvm::StringRef Kernel) {
  for (const llvm::object::ELFSymbolRef Symbol : Object.symbols()) {
    auto Name = Symbol.getName();
    auto Start = Symbol.getAddress();
    auto Section = Symbol.getSection();
    bool Readable = Name && Start && Section;
    if (Readable && *Section != Object.section_end() && **Section == In && At - *Start < Symbol.getSize()) {
      llvm::StringRef Own = kernel_of(*Name);
      return Own.empty() || Own == Kernel;
    }
    llvm::consumeError(Name.takeError());
    llvm::consumeError(Start.takeError());
    llvm::consumeError(Section.takeError());
  }
  return false;
}

// Whether the question is about this symbol; if so, it is answered as far as possible. The byte may be in a function
// beside it, before or behind, which has a part of the kernel.
bool answer(clpy_line_question &Q, llvm::object::ObjectFile &Object, const llvm::object::ELFSymbolRef &Symbol) {
  auto Name = Symbol.getName();
  auto Start = Symbol.getAddress();
  auto Section = Symbol.getSection();
  bool Readable = Name && Start && Section;
  if (!Readable || *Name != Q.name || *Section == Object.section_end() ||
      !is_code(Object, **Section, *Start + Q.offset, kernel_of(*Name))) {
    llvm::consumeError(Name.takeError());
    llvm::consumeError(Start.takeError());
    llvm::consumeError(Section.takeError());
    return false;
  }
  Q.inside = 1;
  auto Lines = llvm::DWARFContext::create(Object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "",
                                          llvm::consumeError, llvm::consumeError);
  llvm::DILineInfoSpecifier How(llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue,
                                llvm::DILineInfoSpecifier::FunctionNameKind::ShortName);
  std::string Text = describe(Lines->getInliningInfoForAddress({*Start + Q.offset, (*Section)->getIndex()}, How));
  Q.answer = Text.empty() ? nullptr : strdup(Text.c_str());
  return true;
}

} // namespace

extern "C" void clpy_place_lines(void *module, const char *prefix, const char *part) {
  llvm::DenseSet<llvm::DISubprogram *> Taken;
  llvm::Module &M = *static_cast<llvm::Module *>(module);
  for (llvm::Function &F : M)
    if (F.getSubprogram())
      Taken.insert(F.getSubprogram());
  for (llvm::Function &F : M)
    if (!F.isDeclaration() && !F.getSubprogram() && F.hasFnAttribute(part))
      place_part(F);
  for (llvm::Function &F : M) {
    if (F.isDeclaration() || F.getSubprogram() || !F.getName().starts_with(prefix))
      continue;
    llvm::DISubprogram *Own = most_common(F, Taken);
    if (Own) {
      F.setSubprogram(Own);
      Taken.insert(Own);
    }
    keep_only(F, Own);
  }
}

extern "C" void clpy_find_line(void *question) {
  auto &Q = *static_cast<clpy_line_question *>(question);
  auto Object = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(Q.object, Q.size), "program"));
  if (!Object) {
    llvm::consumeError(Object.takeError());
    return;
  }
  for (const llvm::object::ELFSymbolRef Symbol : (*Object)->symbols())
    if (answer(Q, **Object, Symbol))
      return;
}
