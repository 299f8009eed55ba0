//===- NativeCode.cpp - Object files and libraries ------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's code generator, archive writer, and the C compiler driver as linker.
//
//===----------------------------------------------------------------------===//

#include "braid/Target/NativeCode.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Config/Targets.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace braid;

template <typename... Parts>
static llvm::Error makeError(Parts &&...parts) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 (llvm::Twine(parts) + ...));
}

void braid::registerNativeCodeTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

/// Tables hold 64-bit little-endian numbers, and their names are those of ELF.
static bool isSupported(const llvm::Triple &triple) {
  return (triple.getArch() == llvm::Triple::x86_64 ||
          triple.getArch() == llvm::Triple::aarch64) &&
         triple.isArch64Bit() && !triple.isX32() &&
         triple.getEnvironment() != llvm::Triple::GNUILP32 &&
         triple.isOSBinFormatELF();
}

/// The code generators for what is supported, where LLVM has them. All that
/// LLVM has would be most of a tool that LLVM is linked into.
static void initializeTargets() {
#if LLVM_HAS_X86_TARGET
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
#endif
#if LLVM_HAS_AARCH64_TARGET
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
#endif
}

namespace {
/// A module of LLVM IR and the machine that it is for.
struct NativeModule {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};
} // namespace

static llvm::Expected<std::unique_ptr<NativeModule>>
translate(mlir::ModuleOp source, llvm::StringRef tripleName) {
  llvm::Triple triple(tripleName.empty() ? llvm::sys::getDefaultTargetTriple()
                                         : llvm::Triple::normalize(tripleName));
  if (!isSupported(triple))
    return makeError("target '", triple.str(),
                     "' cannot be compiled for; expected x86-64 or AArch64 "
                     "with 64-bit pointers and ELF files, such as "
                     "x86_64-linux-gnu or aarch64-linux-gnu");
  initializeTargets();
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return makeError("this LLVM was built without the target '", triple.str(),
                     "'");
  auto result = std::make_unique<NativeModule>();
  result->machine.reset(target->createTargetMachine(
      triple, /*CPU=*/"", /*Features=*/"", llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!result->machine)
    return makeError("target '", triple.str(), "' has no code generator");
  result->module = mlir::translateModuleToLLVMIR(source, result->context);
  if (!result->module)
    return makeError("the program could not be translated to LLVM IR");
  result->module->setTargetTriple(triple);
  result->module->setDataLayout(result->machine->createDataLayout());
  // Two compiled modules live in one process; only their tables are public.
  for (llvm::GlobalValue &value : result->module->global_values())
    if (!value.isDeclaration() &&
        !value.getName().starts_with("braid_function_"))
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
  return result;
}

llvm::Error braid::emitLlvmIr(mlir::ModuleOp module, llvm::StringRef triple,
                              llvm::raw_ostream &os) {
  llvm::Expected<std::unique_ptr<NativeModule>> native =
      translate(module, triple);
  if (!native)
    return native.takeError();
  (*native)->module->print(os, nullptr);
  return llvm::Error::success();
}

llvm::Error braid::emitObject(mlir::ModuleOp module, llvm::StringRef triple,
                              llvm::SmallVectorImpl<char> &object) {
  llvm::Expected<std::unique_ptr<NativeModule>> native =
      translate(module, triple);
  if (!native)
    return native.takeError();
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager passes;
  if ((*native)->machine->addPassesToEmitFile(
          passes, os, nullptr, llvm::CodeGenFileType::ObjectFile))
    return makeError("target '", (*native)->machine->getTargetTriple().str(),
                     "' cannot write object files");
  passes.run(*(*native)->module);
  return llvm::Error::success();
}

llvm::Error braid::writeStaticLibrary(llvm::StringRef path,
                                      llvm::StringRef member,
                                      llvm::ArrayRef<char> object) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()),
                               member);
  llvm::NewArchiveMember members[] = {llvm::NewArchiveMember(buffer)};
  llvm::Error error = llvm::writeArchive(
      path, members, llvm::SymtabWritingMode::NormalSymtab,
      llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false);
  if (error)
    return makeError("cannot write '", path,
                     "': ", llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Error braid::linkSharedLibrary(llvm::StringRef path,
                                     llvm::StringRef linker,
                                     llvm::ArrayRef<char> object) {
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(linker);
  if (!program)
    return makeError("linker '", linker,
                     "' was not found; install a C compiler, or name one with "
                     "--linker");
  // Beside the output, so that it appears complete or not at all.
  llvm::SmallString<128> linked;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(
          llvm::Twine(path) + ".tmp-%%%%%%%%", linked))
    return makeError("cannot write '", path, "': ", error.message());
  llvm::FileRemover linkedRemover(linked);
  llvm::SmallString<128> temporary;
  int descriptor;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "braid", "o", descriptor, temporary))
    return makeError("no temporary file: ", error.message());
  llvm::FileRemover remover(temporary);
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os.write(object.data(), object.size());
    os.close();
    if (os.has_error())
      return makeError("cannot write '", temporary,
                       "': ", os.error().message());
  }
  // The engine links the runtime, so its symbols stay open. The name is the
  // file's, or programs would look for the path that they were linked with.
  std::string soname = ("-Wl,-soname," + llvm::sys::path::filename(path)).str();
  llvm::StringRef arguments[] = {*program, "-shared", soname, "-o",
                                 linked,   temporary, "-lm"};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, {},
                                         0, 0, &message);
  if (status != 0)
    return makeError("linker '", *program, "' ended with status ", status,
                     message.empty() ? "" : ": ", message,
                     "; for another machine, name its C compiler with "
                     "--linker");
  if (std::error_code error = llvm::sys::fs::rename(linked, path))
    return makeError("cannot write '", path, "': ", error.message());
  linkedRemover.releaseFile();
  return llvm::Error::success();
}
