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
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
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
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();

  llvm::Triple triple(tripleName.empty() ? llvm::sys::getDefaultTargetTriple()
                                         : llvm::Triple::normalize(tripleName));
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return makeError("target '", triple.str(), "' is not known: ", message);
  if (!triple.isArch64Bit() || !triple.isLittleEndian())
    return makeError("target '", triple.str(),
                     "' cannot be compiled for; expected one with 64-bit "
                     "pointers and little-endian numbers, such as "
                     "x86_64-linux-gnu or aarch64-linux-gnu");
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
    return makeError("target '", triple, "' cannot write object files");
  passes.run(*(*native)->module);
  return llvm::Error::success();
}

llvm::Error braid::writeStaticLibrary(llvm::StringRef path,
                                      llvm::StringRef member,
                                      llvm::ArrayRef<char> object) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()),
                               member);
  llvm::NewArchiveMember members[] = {llvm::NewArchiveMember(buffer)};
  return llvm::writeArchive(path, members,
                            llvm::SymtabWritingMode::NormalSymtab,
                            llvm::object::Archive::K_GNU,
                            /*Deterministic=*/true, /*Thin=*/false);
}

llvm::Error braid::linkSharedLibrary(llvm::StringRef path,
                                     llvm::StringRef linker,
                                     llvm::ArrayRef<char> object) {
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(linker);
  if (!program)
    return makeError("linker '", linker,
                     "' was not found; install a C compiler, or name one with "
                     "--linker");
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
  // The engine links the runtime, so its symbols stay open.
  llvm::StringRef arguments[] = {*program, "-shared", "-o", path, temporary};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, {},
                                         0, 0, &message);
  if (status != 0)
    return makeError("linker '", *program, "' ended with status ", status,
                     message.empty() ? "" : ": ", message);
  return llvm::Error::success();
}
