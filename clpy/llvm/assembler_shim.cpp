// SPDX-License-Identifier: Apache-2.0
#include "assembler_shim.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

using namespace llvm;

namespace {

const uint16_t LineTables = 5; // the version of DWARF that clpy reads

char *copied(StringRef Text) {
  auto *Made = static_cast<char *>(malloc(Text.size() + 1));
  if (Made) {
    memcpy(Made, Text.data(), Text.size());
    Made[Text.size()] = 0;
  }
  return Made;
}

// What LLVM says of the text, but that it wrote checksums for some files and not for others.
void say(const SMDiagnostic &D, void *To) {
  if (D.getKind() != SourceMgr::DK_Warning || !D.getMessage().contains("MD5"))
    D.print(nullptr, *static_cast<raw_ostream *>(To), /*ShowColors=*/false);
}

// What the assembler of one processor is made of. Members are destroyed in the opposite order.
struct Assembler {
  Triple Machine{"amdgcn-amd-amdhsa"};
  MCTargetOptions Options;
  const Target *Chips = nullptr;
  std::unique_ptr<MCRegisterInfo> Registers;
  std::unique_ptr<MCAsmInfo> Form;
  std::unique_ptr<MCInstrInfo> Instructions;
  std::unique_ptr<MCSubtargetInfo> Processor;

  explicit Assembler(StringRef Name) {
    std::string Why;
    Chips = TargetRegistry::lookupTarget(Machine, Why);
    if (!Chips)
      return;
    Registers.reset(Chips->createMCRegInfo(Machine));
    Form.reset(Chips->createMCAsmInfo(*Registers, Machine, Options));
    Instructions.reset(Chips->createMCInstrInfo());
    Processor.reset(Chips->createMCSubtargetInfo(Machine, Name, ""));
  }

  // Whether the text is right; the object is in `To` then.
  bool run(SourceMgr &Sources, raw_pwrite_stream &To) const {
    MCContext Context(Machine, Form.get(), Registers.get(), Processor.get(), &Sources, &Options);
    std::unique_ptr<MCObjectFileInfo> Sections(Chips->createMCObjectFileInfo(Context, /*PIC=*/false));
    Context.setObjectFileInfo(Sections.get());
    Context.setDwarfVersion(LineTables);
    Context.setGenDwarfForAssembly(true); // lines of the text, unless it has others of its own
    std::unique_ptr<MCAsmBackend> Backend(Chips->createMCAsmBackend(*Processor, *Registers, Options));
    std::unique_ptr<MCObjectWriter> Writer = Backend->createObjectWriter(To);
    std::unique_ptr<MCCodeEmitter> Emitter(Chips->createMCCodeEmitter(*Instructions, Context));
    std::unique_ptr<MCStreamer> Out(Chips->createMCObjectStreamer(Machine, Context, std::move(Backend),
                                                                  std::move(Writer), std::move(Emitter), *Processor));
    std::unique_ptr<MCAsmParser> Parser(createMCAsmParser(Sources, Context, *Out, *Form));
    std::unique_ptr<MCTargetAsmParser> OfChips(
        Chips->createMCAsmParser(*Processor, *Parser, *Instructions, Options));
    if (!OfChips)
      return false;
    Parser->setTargetParser(*OfChips);
    return !Parser->Run(/*NoInitialTextSection=*/false) && !Context.hadError();
  }
};

} // namespace

extern "C" void clpy_assemble(void *job) {
  auto &Job = *static_cast<clpy_assembler_job *>(job);
  std::string Log;
  SmallVector<char, 0> Object;
  bool Made = false;
  {
    raw_string_ostream Said(Log);
    raw_svector_ostream To(Object);
    SourceMgr Sources(makeIntrusiveRefCnt<vfs::InMemoryFileSystem>());
    Sources.setDiagHandler(say, &Said);
    Sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(StringRef(Job.text, Job.size), Job.name), SMLoc());
    Assembler Chip(Job.processor);
    if (!Chip.Chips)
      Said << "error: LLVM was built without AMD's chips\n";
    else
      Made = Chip.run(Sources, To);
  }
  Job.log = copied(Log);
  Job.log_size = Job.log ? Log.size() : 0;
  Job.object = Made ? copied(StringRef(Object.data(), Object.size())) : nullptr;
  Job.object_size = Job.object ? Object.size() : 0;
}
