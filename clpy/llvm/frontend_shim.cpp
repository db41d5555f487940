// SPDX-License-Identifier: Apache-2.0
// See frontend_shim.h.
#include "frontend_shim.h"
#include "static_cxx_shim.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/Stack.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace vfs = llvm::vfs;

namespace {

// Where Clang's own headers lie: beside the package, as wheels bring them, or where they lay when clpy was built. Never
// freed, as a build may go on while the program ends.
llvm::StringRef resource_dir() {
  static const std::string &Folder = *new std::string([] {
    char Library[PATH_MAX];
    Dl_info Info;
    if (dladdr(reinterpret_cast<void *>(clpy_frontend_compile), &Info) && realpath(Info.dli_fname, Library)) {
      llvm::SmallString<128> Beside(llvm::sys::path::parent_path(llvm::sys::path::parent_path(Library)));
      llvm::sys::path::append(Beside, "clpy_llvm", "clang");
      if (!access(Beside.c_str(), X_OK))
        return std::string(Beside.str());
    }
    return std::string(CLPY_LLVM_PREFIX "/lib/clang/" CLANG_VERSION_MAJOR_STRING);
  }());
  return Folder;
}

// What a source has to do with the machine's files, but for Clang's own headers.
struct Seen {
  bool Touched = false; // found or looked for
  std::string Read;     // their names, each with a zero behind it
};

// The real file system, noting that.
class WatchedFileSystem : public vfs::ProxyFileSystem {
public:
  explicit WatchedFileSystem(Seen &All) : ProxyFileSystem(vfs::getRealFileSystem()), All(All) {}

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine &Path) override {
    auto Found = ProxyFileSystem::status(Path);
    // Clang asks for the current folder and for those of -I whatever the source says.
    if (!Found || !Found->isDirectory())
      note(Path);
    return Found;
  }

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine &Path) override {
    auto Found = ProxyFileSystem::openFileForRead(Path);
    llvm::SmallString<128> Name;
    // The default header is included by name, so it is looked for in the folders of -I first.
    if ((Found || llvm::sys::path::filename(Path.toStringRef(Name)) != "opencl-c-base.h") && note(Path) && Found)
      All.Read += Path.str() + '\0';
    return Found;
  }

private:
  Seen &All;

  bool note(const llvm::Twine &Path) {
    llvm::SmallString<128> Name;
    bool Others = !Path.toStringRef(Name).starts_with(resource_dir());
    All.Touched |= Others;
    return Others;
  }
};

char *copy_text(llvm::StringRef Text) {
  char *Copy = static_cast<char *>(malloc(Text.size() + 1));
  if (Copy) {
    memcpy(Copy, Text.data(), Text.size());
    Copy[Text.size()] = 0;
  }
  return Copy;
}

llvm::IntrusiveRefCntPtr<vfs::FileSystem> file_system(const clpy_frontend_job &Job, Seen &All) {
  auto Overlay = llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(
      llvm::makeIntrusiveRefCnt<WatchedFileSystem>(All));
  // Headers given to clCompileProgram are laid over the current folder, which Clang searches first.
  if (Job.n_headers) {
    auto Memory = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
    auto Here = vfs::getRealFileSystem()->getCurrentWorkingDirectory();
    Memory->setCurrentWorkingDirectory(Here ? *Here : "/");
    for (size_t I = 0; I < Job.n_headers; I++) {
      const clpy_text &H = Job.headers[I];
      Memory->addFile(H.name, 0, llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(H.data, H.size), H.name));
    }
    Overlay->pushOverlay(Memory);
  }
  return Overlay;
}

// Read the arguments of -cc1; complaints about them go to the log as those about the source do.
bool read_arguments(clang::CompilerInvocation &Invocation, const clpy_frontend_job &Job, vfs::FileSystem &Files,
                    llvm::raw_ostream &Out) {
  clang::DiagnosticOptions Options;
  clang::TextDiagnosticPrinter Printer(Out, Options);
  auto Diags = clang::CompilerInstance::createDiagnostics(Files, Options, &Printer, /*ShouldOwnClient=*/false);
  llvm::ArrayRef<const char *> Args(Job.args, Job.n_args);
  return clang::CompilerInvocation::CreateFromArgs(Invocation, Args, *Diags);
}

// The same of arguments that were read before: most programs of a process are built with the same, and to read them
// takes a fifth of Clang's time for a small one. Never freed, as a build may go on while the program ends.
std::shared_ptr<clang::CompilerInvocation> invocation(const clpy_frontend_job &Job, vfs::FileSystem &Files,
                                                      llvm::raw_string_ostream &Out) {
  static auto &Lock = *new std::mutex;
  static auto &Kept = *new std::pair<std::string, std::shared_ptr<const clang::CompilerInvocation>>;
  constexpr size_t Most = size_t(64) << 10;
  std::string Text;
  for (size_t I = 0; I < Job.n_args; I++)
    Text.append(Job.args[I]).push_back('\0');
  if (std::unique_lock Locked(Lock, std::try_to_lock); // a fork may leave it locked
      Locked && Kept.second && Kept.first == Text)
    return std::make_shared<clang::CompilerInvocation>(*Kept.second);
  auto Read = std::make_shared<clang::CompilerInvocation>();
  if (!read_arguments(*Read, Job, Files, Out))
    return nullptr;
  if (Out.str().empty() && Text.size() <= Most) { // what it complains of it says each time
    auto Copy = std::make_shared<const clang::CompilerInvocation>(*Read);
    if (std::unique_lock Locked(Lock, std::try_to_lock); Locked)
      Kept = {std::move(Text), std::move(Copy)};
  }
  return Read;
}

// In OpenCL C 2.0 Clang has pipes and blocks on, and with these the types of device-side queues, whatever the device
// has; in 3.0 they are features like others. What a device does not name it does not have in 2.0 either.
void leave_out_features(clang::CompilerInvocation &Invocation) {
  auto &Named = Invocation.getTargetOpts().OpenCLExtensionsAsWritten;
  if (!llvm::is_contained(Named, "+__opencl_c_pipes"))
    Invocation.getLangOpts().OpenCLPipes = false;
  if (!llvm::is_contained(Named, "+__opencl_c_device_enqueue"))
    Invocation.getLangOpts().Blocks = false;
}

// Refuses what Clang's analysis lets pass, but what ends the process, or becomes nonsense, where Clang generates code:
// values of opaque types (event_t, ...) that are compared or taken for another type, and expressions that were found
// wrong without a word about it (`event_t e[2] = {0}`).
class Refusals : public clang::ASTConsumer, public clang::DynamicRecursiveASTVisitor {
public:
  explicit Refusals(clang::DiagnosticsEngine &Diags)
      : Diags(Diags), OfType(Diags.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                   "a value of type %0 cannot be used in this way")),
        Wrong(Diags.getCustomDiagID(clang::DiagnosticsEngine::Error, "this expression is invalid")) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (clang::Decl *D : Group)
      TraverseDecl(D);
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *Operation) override {
    if (Operation->isComparisonOp())
      refuse(Operation->getLHS()->getType(), Operation);
    return true;
  }

  bool VisitAsTypeExpr(clang::AsTypeExpr *Cast) override {
    refuse(Cast->getType(), Cast);
    refuse(Cast->getSrcExpr()->getType(), Cast);
    return true;
  }

  bool VisitRecoveryExpr(clang::RecoveryExpr *Expr) override {
    if (!Diags.hasErrorOccurred())
      Diags.Report(Expr->getExprLoc(), Wrong);
    return true;
  }

private:
  clang::DiagnosticsEngine &Diags;
  unsigned OfType, Wrong;

  void refuse(clang::QualType Type, clang::Expr *Where) {
    if (!Type.isNull() && Type->isOpenCLSpecificType())
      Diags.Report(Where->getExprLoc(), OfType) << Type.getUnqualifiedType();
  }
};

// What headers of extensions cannot say in OpenCL C: what a program has from where it enables an extension to where it
// disables it. EXTENSION__NAME, which a header declares or defines, is NAME there, for programs may have a NAME of
// their own elsewhere; with a macro EXTENSION__with__OTHER the other extension is enabled, too.
// And a warning where the language has an error: to enable what there is not, or all. Programs do that, also by names
// that nobody has (Rodinia: CL_MAD), as all compilers only warn; with -Werror it is one. What there is may be named
// without a word, also where it has nothing to do with this version of the language, of which Clang warns.
class Enabling : public clang::PPCallbacks {
public:
  explicit Enabling(clang::CompilerInstance &Compiler) : Compiler(Compiler), PP(Compiler.getPreprocessor()) {
    for (llvm::StringRef Name : Compiler.getTargetOpts().OpenCLExtensionsAsWritten)
      if (Name.consume_front("+cl_"))
        Supported.insert(("cl_" + Name).str());
    auto &Diags = Compiler.getDiagnostics();
    auto Warning = [&](const char *Text) { // that -w is heard for
      return Diags.getDiagnosticIDs()->getCustomDiagID(
          clang::DiagnosticIDs::CustomDiagDesc(clang::diag::Severity::Warning, Text,
                                               clang::DiagnosticIDs::CLASS_WARNING, false, false,
                                               clang::diag::Group::IgnoredPragmas));
    };
    Missing = Warning("the device does not have the OpenCL extension %0; where a program can do without, it may ask "
                      "for the macro of that name before it enables it");
    NotAll = Warning("'all' OpenCL extensions can only be disabled; those that are needed are enabled by their names");
    Nothing = Warning("the device does not have the OpenCL extension %0: there is nothing to disable");
    for (unsigned Of : {clang::diag::warn_pragma_unknown_extension, clang::diag::warn_pragma_unsupported_extension})
      Diags.setSeverity(Of, clang::diag::Severity::Ignored, clang::SourceLocation());
  }

  void PragmaOpenCLExtension(clang::SourceLocation NameAt, const clang::IdentifierInfo *Extension,
                             clang::SourceLocation At, unsigned State) override {
    enum { Disable, Enable, Begin }; // as Clang's parser has them
    bool All = Extension->getName() == "all";
    if (State == Begin)
      Supported.insert(Extension->getName());
    else if (All && State == Enable)
      Compiler.getDiagnostics().Report(NameAt, NotAll);
    else if (!All && (State == Enable || State == Disable) && !Supported.contains(Extension->getName()))
      Compiler.getDiagnostics().Report(NameAt, State == Enable ? Missing : Nothing) << Extension;
    if (State == Disable)
      forget(All ? "" : (Extension->getName() + "__").str(), At);
    if ((State == Enable || State == Disable) && !All)
      note((Extension->getName() + "__").str(), State == Enable, At);
  }

private:
  clang::CompilerInstance &Compiler;
  clang::Preprocessor &PP;
  llvm::StringSet<> Supported;
  unsigned Missing, NotAll, Nothing;
  std::vector<std::pair<clang::IdentifierInfo *, clang::MacroInfo *>> Made;

  void note(llvm::StringRef Prefix, bool Enabled, clang::SourceLocation At) {
    std::vector<clang::IdentifierInfo *> Found; // new ones may move the table
    for (const auto &Entry : PP.getIdentifierTable())
      if (Entry.getKey().starts_with(Prefix))
        Found.push_back(Entry.getValue());
    for (clang::IdentifierInfo *Full : Found) {
      llvm::StringRef Name = Full->getName().drop_front(Prefix.size());
      if (Name.consume_front("with__"))
        Compiler.getSema().getOpenCLOptions().enable(Name, Enabled);
      else if (Enabled)
        define(PP.getIdentifierInfo(Name), Full, At);
    }
  }

  void define(clang::IdentifierInfo *Name, clang::IdentifierInfo *Full, clang::SourceLocation At) {
    if (Name->hasMacroDefinition())
      return;
    clang::Token Word;
    Word.startToken();
    Word.setKind(clang::tok::identifier);
    Word.setIdentifierInfo(Full);
    Word.setLocation(At);
    clang::MacroInfo *Macro = PP.AllocateMacroInfo(At);
    Macro->setTokens(Word, PP.getPreprocessorAllocator());
    Macro->setDefinitionEndLoc(At);
    PP.appendDefMacroDirective(Name, Macro);
    Made.emplace_back(Name, Macro);
  }

  void forget(llvm::StringRef Prefix, clang::SourceLocation At) {
    for (auto [Name, Macro] : Made) {
      llvm::StringRef Full = Macro->getReplacementToken(0).getIdentifierInfo()->getName();
      if (PP.getMacroInfo(Name) == Macro && Full.starts_with(Prefix))
        PP.appendMacroDirective(Name, new (PP.getPreprocessorAllocator()) clang::UndefMacroDirective(At));
    }
  }
};

class Action : public clang::EmitLLVMOnlyAction {
public:
  using EmitLLVMOnlyAction::EmitLLVMOnlyAction;

protected:
  bool BeginSourceFileAction(clang::CompilerInstance &Compiler) override {
    Compiler.getPreprocessor().addPPCallbacks(std::make_unique<Enabling>(Compiler));
    return EmitLLVMOnlyAction::BeginSourceFileAction(Compiler);
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &Compiler,
                                                        llvm::StringRef Name) override {
    auto Emitting = EmitLLVMOnlyAction::CreateASTConsumer(Compiler, Name);
    if (!Emitting)
      return nullptr;
    std::vector<std::unique_ptr<clang::ASTConsumer>> All;
    All.push_back(std::make_unique<Refusals>(Compiler.getDiagnostics())); // first: no code is made after an error
    if (auto Static = clpy::static_cxx(Compiler))
      All.push_back(std::move(Static));
    All.push_back(std::move(Emitting));
    return std::make_unique<clang::MultiplexConsumer>(std::move(All));
  }
};

void compile(clpy_frontend_job &Job) {
  std::string Log;
  llvm::raw_string_ostream Out(Log);
  Seen All;
  auto Context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> Module;
  {
    auto Files = file_system(Job, All);
    if (auto Invocation = invocation(Job, *Files, Out)) {
      clang::TextDiagnosticPrinter Printer(Out, Invocation->getDiagnosticOpts());
      auto &Frontend = Invocation->getFrontendOpts();
      Frontend.Inputs.clear();
      Frontend.Inputs.emplace_back(
          llvm::MemoryBufferRef(llvm::StringRef(Job.source.data, Job.source.size), Job.source.name),
          clang::InputKind(clang::Language::OpenCL));
      Frontend.DisableFree = false;
      Invocation->getHeaderSearchOpts().ResourceDir = resource_dir().str();
      if (Job.n_headers)
        Invocation->getHeaderSearchOpts().UserEntries.insert(
            Invocation->getHeaderSearchOpts().UserEntries.begin(),
            {".", clang::frontend::Angled, /*isFramework=*/false, /*ignoreSysRoot=*/true});
      clang::CompilerInstance Compiler(Invocation);
      Compiler.setVerboseOutputStream(Out);
      Compiler.setVirtualFileSystem(Files);
      Compiler.createDiagnostics(&Printer, /*ShouldOwnClient=*/false);
      leave_out_features(*Invocation);
      Action Emit(Context.get());
      if (Compiler.ExecuteAction(Emit))
        Module = Emit.takeModule();
    }
  }
  Job.log = copy_text(Out.str());
  Job.log_size = Job.log ? Out.str().size() : 0;
  Job.reads_files = All.Touched;
  Job.files = copy_text(All.Read);
  Job.files_size = Job.files ? All.Read.size() : 0;
  if (Module) {
    clpy::name_kernels(*Module);
    Context->setDiscardValueNames(false); // passes give parameters names, by which others know them
    Job.module = Module.release();
    Job.context = Context.release();
  }
}

} // namespace

extern "C" void clpy_frontend_compile(void *job) {
  clang::noteBottomOfStack();
  compile(*static_cast<clpy_frontend_job *>(job));
}
