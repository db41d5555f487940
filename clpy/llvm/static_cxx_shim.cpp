// SPDX-License-Identifier: Apache-2.0
// See static_cxx_shim.h. Clang's own kernels have C linkage and may be no templates, so a function becomes a kernel for
// it only once its declaration has been checked; it has the linkage and type of a kernel when it has been parsed,
// instantiated and told apart from its overloads. Until then an annotation says what it will be.
#include "static_cxx_shim.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr llvm::StringLiteral Kernel = "clpy.kernel", Named = "clpy.name.";

// What declarations get that Clang has not finished with.
thread_local std::vector<std::pair<clang::Decl *, clang::Attr *>> Pending;

// Clang's names of the kernels, and those that programs know them by.
thread_local std::map<std::string, std::string> Names;

bool is_static_cxx(clang::Preprocessor &PP) { return PP.isMacroDefined("__kernel"); }

// What both attributes leave at a declaration, and what instances of a template have from it.
void annotate(clang::Sema &S, clang::Decl *D, llvm::StringRef Text, const clang::ParsedAttr &Attr) {
  D->addAttr(clang::AnnotateAttr::Create(S.Context, Text, nullptr, 0, Attr));
}

struct FunctionAttribute : clang::ParsedAttrInfo {
  bool acceptsLangOpts(const clang::LangOptions &Options) const override { return Options.OpenCLCPlusPlus; }

  bool diagAppertainsToDecl(clang::Sema &S, const clang::ParsedAttr &Attr, const clang::Decl *D) const override {
    if (llvm::isa<clang::FunctionDecl>(D))
      return true;
    S.Diag(Attr.getLoc(), S.Diags.getCustomDiagID(clang::DiagnosticsEngine::Error, "only functions are kernels"));
    return false;
  }
};

struct KernelAttribute final : FunctionAttribute {
  KernelAttribute() {
    static constexpr Spelling Spellings[] = {{clang::ParsedAttr::AS_GNU, "clpy_kernel"}};
    this->Spellings = Spellings;
  }

  AttrHandling handleDeclAttribute(clang::Sema &S, clang::Decl *D, const clang::ParsedAttr &Attr) const override {
    annotate(S, D, Kernel, Attr);
    Pending.emplace_back(D, clang::DeviceKernelAttr::CreateImplicit(S.Context, Attr.getRange(),
                                                                    clang::DeviceKernelAttr::Keyword_kernel));
    return AttributeApplied;
  }
};

// Sizes of work-groups, by names that are macros as well: Clang would look for a kernel at once.
template <class Size> struct SizeAttribute : FunctionAttribute {
  explicit SizeAttribute(llvm::ArrayRef<Spelling> Spellings) {
    this->Spellings = Spellings;
    NumArgs = 3;
  }

  AttrHandling handleDeclAttribute(clang::Sema &S, clang::Decl *D, const clang::ParsedAttr &Attr) const override {
    clang::Expr *Sizes[3];
    for (unsigned I = 0; I < 3; I++) {
      Sizes[I] = Attr.isArgExpr(I) ? Attr.getArgAsExpr(I) : nullptr;
      auto Value = Sizes[I] && !Sizes[I]->isValueDependent() ? Sizes[I]->getIntegerConstantExpr(S.Context)
                                                             : std::optional<llvm::APSInt>();
      if (!Value || !Value->isStrictlyPositive() || Value->getActiveBits() > 32) {
        S.Diag(Attr.getLoc(), S.Diags.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                      "the sizes of a work-group are positive integers"));
        return AttributeNotApplied;
      }
    }
    Pending.emplace_back(D, Size::Create(S.Context, Sizes[0], Sizes[1], Sizes[2], Attr));
    return AttributeApplied;
  }
};

struct RequiredSize final : SizeAttribute<clang::ReqdWorkGroupSizeAttr> {
  static constexpr Spelling Names[] = {{clang::ParsedAttr::AS_GNU, "clpy_reqd_work_group_size"}};
  RequiredSize() : SizeAttribute(Names) {}
};

struct SizeHint final : SizeAttribute<clang::WorkGroupSizeHintAttr> {
  static constexpr Spelling Names[] = {{clang::ParsedAttr::AS_GNU, "clpy_work_group_size_hint"}};
  SizeHint() : SizeAttribute(Names) {}
};

struct NameAttribute final : FunctionAttribute {
  NameAttribute() {
    static constexpr Spelling Spellings[] = {{clang::ParsedAttr::AS_GNU, "mangled_name"}};
    this->Spellings = Spellings;
    NumArgs = 1;
  }

  AttrHandling handleDeclAttribute(clang::Sema &S, clang::Decl *D, const clang::ParsedAttr &Attr) const override {
    llvm::StringRef Name;
    if (!is_static_cxx(S.PP)) {
      S.Diag(Attr.getLoc(), S.Diags.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                                    "'mangled_name' means something with -x clc++ only"));
      return AttributeNotApplied;
    }
    if (Attr.isArgIdent(0))
      Name = Attr.getArgAsIdent(0)->getIdentifierInfo()->getName();
    else if (auto *Text = llvm::dyn_cast<clang::StringLiteral>(Attr.getArgAsExpr(0)))
      Name = Text->getString();
    if (!clang::isValidAsciiIdentifier(Name)) {
      S.Diag(Attr.getLoc(), S.Diags.getCustomDiagID(clang::DiagnosticsEngine::Error, "'mangled_name' needs a name"));
      return AttributeNotApplied;
    }
    annotate(S, D, (Named + Name).str(), Attr);
    return AttributeApplied;
  }
};

clang::ParsedAttrInfoRegistry::Add<KernelAttribute> AddKernel("clpy_kernel", "a kernel of static C++");
clang::ParsedAttrInfoRegistry::Add<RequiredSize> AddSize("clpy_reqd_work_group_size", "the size of work-groups");
clang::ParsedAttrInfoRegistry::Add<SizeHint> AddHint("clpy_work_group_size_hint", "the likely size of work-groups");
clang::ParsedAttrInfoRegistry::Add<NameAttribute> AddName("mangled_name", "the name of a kernel of static C++");

// A type as hosts write it in the name of a kernel, without blanks but after words.
std::string spelled(clang::QualType Type, const clang::PrintingPolicy &Policy) {
  Type = Type.getCanonicalType();
  std::string Qualifiers;
  if (Type.getAddressSpace() != clang::LangAS::Default && Type.getAddressSpace() != clang::LangAS::opencl_private)
    Qualifiers = clang::Qualifiers::getAddrSpaceAsString(Type.getAddressSpace()).substr(strlen("__")) + " ";
  if (Type.isConstQualified())
    Qualifiers += "const ";
  if (Type.isVolatileQualified())
    Qualifiers += "volatile ";
  if (const auto *Pointer = Type->getAs<clang::PointerType>())
    return spelled(Pointer->getPointeeType(), Policy) + "*";
  if (const auto *Reference = Type->getAs<clang::ReferenceType>())
    return spelled(Reference->getPointeeType(), Policy) + "&";
  if (const auto *Vector = Type->getAs<clang::ExtVectorType>())
    return Qualifiers + spelled(Vector->getElementType(), Policy) + std::to_string(Vector->getNumElements());
  std::string Name = Type.getUnqualifiedType().getAsString(Policy);
  llvm::StringRef Rest = Name;
  return Qualifiers + (Rest.consume_front("unsigned ") ? "u" + Rest.str() : Name);
}

class StaticCXX : public clang::ASTConsumer, public clang::DynamicRecursiveASTVisitor {
public:
  explicit StaticCXX(clang::CompilerInstance &Compiler)
      : Diags(Compiler.getDiagnostics()), Context(Compiler.getASTContext()), Policy(Compiler.getLangOpts()) {
    ShouldVisitTemplateInstantiations = true;
    Policy.SuppressTagKeyword = true;
    Pending.clear();
    // The next token after a declaration is read when the declaration has been checked, and before its body is parsed.
    Compiler.getPreprocessor().setTokenWatcher([this](const clang::Token &) {
      for (auto [D, Attribute] : Pending)
        D->addAttr(Attribute);
      Pending.clear();
      keep_chains();
    });
  }

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (clang::Decl *D : Group)
      TraverseDecl(D);
    return true;
  }

  bool VisitCXXRecordDecl(clang::CXXRecordDecl *Record) override {
    if (Record->hasDefinition())
      for (const clang::CXXBaseSpecifier &Base : Record->bases())
        if (Base.isVirtual())
          refuse(Base.getBeginLoc(), "'virtual' is not supported in static C++");
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *Function) override {
    bool IsKernel = false;
    std::string Name;
    if (Function->isDependentContext() || Function->getDescribedFunctionTemplate())
      return true;
    for (const auto *Note : Function->specific_attrs<clang::AnnotateAttr>()) {
      IsKernel |= Note->getAnnotation() == Kernel;
      if (Note->getAnnotation().starts_with(Named))
        Name = Note->getAnnotation().drop_front(Named.size());
    }
    forget_annotations(Function);
    if (!IsKernel && !Name.empty())
      refuse(Function->getLocation(), "'mangled_name' is for kernels");
    if (!IsKernel || !is_right(Function))
      return true;
    if (!Function->hasAttr<clang::DeviceKernelAttr>())
      Function->addAttr(clang::DeviceKernelAttr::CreateImplicit(Context, Function->getLocation(),
                                                                clang::DeviceKernelAttr::Keyword_kernel));
    Function->addAttr(clang::UsedAttr::CreateImplicit(Context)); // a method is no code before it is called
    const auto *Type = Function->getType()->castAs<clang::FunctionType>();
    Function->setType(clang::QualType(
        Context.adjustFunctionType(Type, Type->getExtInfo().withCallingConv(clang::CC_DeviceKernel)), 0));
    name_kernel(Function, Name);
    return true;
  }

  // An instance of a template is called before it is made.
  bool VisitDeclRefExpr(clang::DeclRefExpr *Use) override {
    auto *Function = llvm::dyn_cast<clang::FunctionDecl>(Use->getDecl());
    return !Function || VisitFunctionDecl(Function);
  }

private:
  clang::DiagnosticsEngine &Diags;
  clang::ASTContext &Context;
  clang::PrintingPolicy Policy;
  llvm::DenseMap<const clang::FunctionDecl *, std::string> Renamed; // what it was called
  std::vector<std::pair<clang::DeclarationName, clang::DeclarationName>> Chains; // the same, and what it is called

  template <size_t N> bool refuse(clang::SourceLocation At, const char (&Why)[N]) {
    Diags.Report(At, Diags.getCustomDiagID(clang::DiagnosticsEngine::Error, Why));
    return false;
  }

  static void forget_annotations(clang::FunctionDecl *Function) {
    if (Function->hasAttr<clang::AnnotateAttr>())
      llvm::erase_if(Function->getAttrs(), [](const clang::Attr *Each) {
        const auto *Note = llvm::dyn_cast<clang::AnnotateAttr>(Each);
        return Note && Note->getAnnotation().starts_with("clpy.");
      });
  }

  // To Clang a kernel is what it is called, in whatever namespace and with whatever arguments: here each is called what
  // no other one is, and what no program can declare.
  void name_kernel(clang::FunctionDecl *Function, llvm::StringRef Given) {
    std::string Unique = "kernel";
    for (const clang::DeclContext *In = Function->getDeclContext(); In; In = In->getParent())
      if (const auto *Named = llvm::dyn_cast<clang::NamedDecl>(In))
        Unique += " " + Named->getNameAsString();
    Unique += " " + signature(Function);
    std::string &Name = Names[Unique];
    if (Name.empty() || !Given.empty())
      Name = Given.empty() ? signature(Function) : Given.str();
    for (const auto &[Other, Taken] : Names)
      if (Taken == Name && Other != Unique)
        refuse(Function->getLocation(), "another kernel has the same name");
    Renamed.try_emplace(Function, Function->getNameAsString());
    clang::DeclarationName Before = Function->getDeclName();
    Function->setDeclName(&Context.Idents.get(Unique));
    if (Function->getDeclName() != Before)
      Chains.emplace_back(Before, Function->getDeclName());
    keep_chains();
  }

  // Clang finds the next declaration of a name by the name of the one before it, which may be a kernel's new one.
  void keep_chains() {
    for (auto [Before, After] : Chains)
      After.setFETokenInfo(Before.getFETokenInfo());
  }

  // What Clang asks of its own kernels.
  bool is_right(clang::FunctionDecl *Function) {
    const auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(Function);
    if (Method && !Method->isStatic())
      return refuse(Function->getLocation(), "of the members of a class only static methods can be kernels");
    if (!Method && Function->getStorageClass() == clang::SC_Static)
      return refuse(Function->getLocation(), "kernel functions cannot be declared static");
    if (!Function->getReturnType()->isVoidType())
      return refuse(Function->getLocation(), "kernel must have void return type");
    return llvm::all_of(Function->parameters(), [&](auto *Parameter) { return is_argument(Parameter); });
  }

  bool is_argument(const clang::ParmVarDecl *Parameter) {
    clang::QualType Type = Parameter->getType().getCanonicalType();
    clang::QualType To = Type->getPointeeType();
    if (!To.isNull()) {
      clang::LangAS Space = To.getAddressSpace();
      if (Space != clang::LangAS::opencl_global && Space != clang::LangAS::opencl_local &&
          Space != clang::LangAS::opencl_constant)
        return refuse(Parameter->getLocation(), "pointers to the private memory of a work-item cannot be arguments");
      if (To->isPointerType())
        return refuse(Parameter->getLocation(), "pointers to pointers cannot be arguments of a kernel");
    } else if (Type->isBooleanType() || Type->isHalfType() || Type->isEventT() || has_pointers(Type)) {
      return refuse(Parameter->getLocation(), "a value of this type cannot be an argument of a kernel");
    }
    return true;
  }

  bool has_pointers(clang::QualType Type) {
    if (const auto *Array = Context.getAsArrayType(Type))
      return has_pointers(Array->getElementType());
    const auto *Record = Type->getAsCXXRecordDecl();
    return Type->isPointerType() || Type->isReferenceType() ||
           (Record && Record->hasDefinition() &&
            (llvm::any_of(Record->bases(), [&](const auto &Base) { return has_pointers(Base.getType()); }) ||
             llvm::any_of(Record->fields(), [&](const auto *Field) { return has_pointers(Field->getType()); })));
  }

  // What the language calls a kernel without a name of its own: foo(int,float4), foo<float4>(global float4*).
  std::string signature(const clang::FunctionDecl *Function) {
    std::vector<std::string> Words;
    auto Before = Renamed.find(Function);
    std::string Text = Before == Renamed.end() ? Function->getNameAsString() : Before->second;
    if (const auto *Arguments = Function->getTemplateSpecializationArgs()) {
      for (const clang::TemplateArgument &Each : Arguments->asArray())
        add_argument(Words, Each);
      Text += "<" + llvm::join(Words, ",") + ">";
      Words.clear();
    }
    for (const auto *Parameter : Function->parameters())
      Words.push_back(spelled(Parameter->getType().getUnqualifiedType(), Policy));
    return Text + "(" + llvm::join(Words, ",") + ")";
  }

  void add_argument(std::vector<std::string> &Words, const clang::TemplateArgument &Argument) {
    if (Argument.getKind() == clang::TemplateArgument::Pack) {
      for (const clang::TemplateArgument &Each : Argument.pack_elements())
        add_argument(Words, Each);
    } else if (Argument.getKind() == clang::TemplateArgument::Type) {
      Words.push_back(spelled(Argument.getAsType(), Policy));
    } else {
      llvm::raw_string_ostream Out(Words.emplace_back());
      Argument.print(Policy, Out, /*IncludeType=*/false);
    }
  }
};

bool is_kernel(const llvm::Function &F) {
  return llvm::is_contained({llvm::CallingConv::SPIR_KERNEL, llvm::CallingConv::AMDGPU_KERNEL}, F.getCallingConv());
}

// By what the consumer called it; methods have names of C++ around that.
llvm::Function *kernel_of(llvm::Module &Module, const std::string &Unique) {
  std::string InClass = std::to_string(Unique.size()) + Unique + "E";
  for (llvm::Function &F : Module)
    if (is_kernel(F) && (F.getName() == Unique || F.getName().contains(InClass)))
      return &F;
  return nullptr;
}

} // namespace

std::unique_ptr<clang::ASTConsumer> clpy::static_cxx(clang::CompilerInstance &Compiler) {
  bool IsStatic = llvm::any_of(Compiler.getPreprocessorOpts().Macros, [](const auto &Macro) { // defined later
    return llvm::StringRef(Macro.first).starts_with("__kernel=");
  });
  Names.clear();
  return IsStatic ? std::make_unique<StaticCXX>(Compiler) : nullptr;
}

void clpy::name_kernels(llvm::Module &Module) {
  llvm::StringMap<std::vector<llvm::Function *>> Found;
  if (Names.empty())
    return;
  for (const auto &[Unique, Name] : Names)
    if (llvm::Function *F = kernel_of(Module, Unique)) {
      F->setName(Name);
      F->setLinkage(llvm::GlobalValue::ExternalLinkage); // instances of templates are others' as well
      F->setComdat(nullptr);
      if (F->getName().ends_with(")"))
        Found[F->getName().take_until([](char C) { return C == '('; })].push_back(F);
    }
  llvm::removeFromUsedLists(Module, [](llvm::Constant *Used) { // it was for Clang
    auto *F = llvm::dyn_cast<llvm::Function>(Used->stripPointerCasts());
    return F && (is_kernel(*F) || F->getName().contains("__clang_ocl_kern_imp_"));
  });
  for (const auto &Entry : Found)
    if (Entry.second.size() == 1 && !Module.getNamedValue(Entry.first()))
      Entry.second[0]->setName(Entry.first());
}
