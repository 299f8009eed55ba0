//===- braid-compile.cpp - From a model to a library ----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a config.json or an MLIR file to an object file, a static or a
// shared library, and writes the C header with which an engine calls it.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "braid/Import/ImportModel.h"
#include "braid/Import/ImportOptions.h"
#include "braid/InitAll.h"
#include "braid/Pipelines/CommandLine.h"
#include "braid/Target/CHeader.h"
#include "braid/Target/NativeCode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace braid;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
enum class OutputKind { Object, Static, Shared, LlvmIr };
} // namespace

static cl::OptionCategory category("braid-compile options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("<config.json or .mlir>"),
                                  cl::cat(category));
static cl::opt<std::string> output(
    "o", cl::Required,
    cl::desc("Output file; its name says what it is: .o, .a, .so or .ll"),
    cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    header("header", cl::desc("C header (default: beside the output, NAME.h)"),
           cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    prefix("prefix",
           cl::desc("Functions are called PREFIX_NAME (default: NAME of the "
                    "output)"),
           cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    target("target", cl::desc("Machine to compile for (default: this one)"),
           cl::value_desc("triple"), cl::cat(category));
static cl::opt<std::string>
    linker("linker", cl::desc("Links shared libraries (default: cc)"),
           cl::value_desc("program"), cl::init("cc"), cl::cat(category));
static PipelineCommandLine pipelineCommandLine(category);

template <typename... Parts>
static Error makeError(Parts &&...parts) {
  return createStringError(inconvertibleErrorCode(), (Twine(parts) + ...));
}

static Expected<OutputKind> getKind() {
  StringRef extension = sys::path::extension(output);
  if (extension == ".o")
    return OutputKind::Object;
  if (extension == ".a")
    return OutputKind::Static;
  if (extension == ".so")
    return OutputKind::Shared;
  if (extension == ".ll")
    return OutputKind::LlvmIr;
  return makeError("the output is '", output,
                   "'; expected a name that ends in .o, .a, .so or .ll");
}

/// NAME of the output: its file name without `lib` and the extension.
static StringRef getName() {
  StringRef name = sys::path::stem(output);
  if (sys::path::extension(output) != ".o")
    name.consume_front("lib");
  return name;
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readProgram(mlir::MLIRContext *context, SourceMgr &sourceMgr,
            const ImportOptions &options) {
  if (StringRef(input).ends_with(".json")) {
    Expected<ModelConfig> config = readModelConfig(input);
    if (!config)
      return config.takeError();
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
        importModel(context, *config, options);
    if (!module)
      return makeError(input, ": ", toString(module.takeError()));
    return module;
  }
  std::string message;
  std::unique_ptr<MemoryBuffer> file = mlir::openInputFile(input, &message);
  if (!file)
    return makeError(message);
  sourceMgr.AddNewSourceBuffer(std::move(file), SMLoc());
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sourceMgr, context);
  if (!module)
    return makeError(input, ": not a valid program");
  return module;
}

/// Public functions become PREFIX_NAME, for all who call them too.
static Error addPrefix(mlir::ModuleOp module, StringRef name) {
  unsigned numFunctions = 0;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!isCompiledEntry(function))
      continue;
    std::string renamed =
        makeCIdentifier((name + "_" + function.getSymName()).str());
    if (module.lookupSymbol(renamed))
      return makeError("function '", function.getSymName(), "' cannot become '",
                       renamed, "': there is one of that name");
    if (failed(mlir::SymbolTable::replaceAllSymbolUses(
            function, mlir::StringAttr::get(module.getContext(), renamed),
            module)))
      return makeError("function '", function.getSymName(),
                       "' cannot be renamed: it is used where symbols are not "
                       "known");
    function.setSymName(renamed);
    ++numFunctions;
  }
  if (numFunctions == 0)
    return makeError(input, ": no public function to compile");
  return Error::success();
}

/// Writes `text` to `path`, or nothing at all.
static Error writeFile(StringRef path, StringRef text) {
  Error error = writeToOutput(path, [&](raw_ostream &os) {
    os << text;
    return Error::success();
  });
  if (error)
    return makeError("cannot write '", path, "': ", toString(std::move(error)));
  return Error::success();
}

static Error writeOutput(mlir::ModuleOp module, OutputKind kind) {
  SmallString<0> content;
  raw_svector_ostream os(content);
  if (Error error = kind == OutputKind::LlvmIr
                        ? emitLlvmIr(module, target, os)
                        : emitObject(module, target, content))
    return error;
  switch (kind) {
  case OutputKind::LlvmIr:
  case OutputKind::Object:
    return writeFile(output, content);
  case OutputKind::Static:
    return writeStaticLibrary(output, (getName() + ".o").str(), content);
  case OutputKind::Shared:
    return linkSharedLibrary(output, linker, content);
  }
  llvm_unreachable("unknown kind of output");
}

static Error compile(const ImportOptions &importOptions,
                     mlir::DialectRegistry &registry) {
  Expected<OutputKind> kind = getKind();
  if (!kind)
    return kind.takeError();
  std::string name = prefix.empty() ? getName().str() : prefix;
  if (!isIdentifier(name))
    return makeError("functions cannot begin with '", name,
                     "', which is no identifier of C; pass --prefix");
  PipelineOptions pipeline;
  if (Error error = pipelineCommandLine.apply(pipeline))
    return error;
  SmallString<128> headerPath(header);
  if (header.empty()) {
    headerPath = sys::path::parent_path(output);
    sys::path::append(headerPath, getName() + ".h");
  }
  if (headerPath == output)
    return makeError("output and header are both '", output,
                     "'; expected two files");

  mlir::MLIRContext context(registry);
  SourceMgr sourceMgr;
  mlir::SourceMgrDiagnosticHandler diagnostics(sourceMgr, &context);
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      readProgram(&context, sourceMgr, importOptions);
  if (!module)
    return module.takeError();
  if (Error error = addPrefix(**module, name))
    return error;

  mlir::PassManager schedule(&context);
  buildPlanPipeline(schedule, pipeline);
  buildBufferizePipeline(schedule);
  buildSchedulePipeline(schedule, pipeline);
  if (failed(schedule.run(**module)))
    return makeError(input, ": compilation failed");
  // Between the two: arguments are buffers now, and still have their names.
  std::string headerText;
  raw_string_ostream headerStream(headerText);
  if (Error error =
          printCHeader(**module, sys::path::stem(headerPath), headerStream))
    return error;
  mlir::PassManager lower(&context);
  buildLowerPipeline(lower);
  if (failed(lower.run(**module)))
    return makeError(input, ": compilation failed");
  if (Error error = writeOutput(**module, *kind))
    return error;
  // Nobody shall find a library with the header of another one.
  if (Error error = writeFile(headerPath, headerText)) {
    sys::fs::remove(output);
    return error;
  }
  return Error::success();
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  static ImportCommandLine importCommandLine(category);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Braid: from a model's layers to a library with a C header\n\n"
      "Compiles every public function of the program. The result is linked "
      "with libbraid_runtime; no LLVM or MLIR is needed then.\n");
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerNativeCodeTranslations(registry);
  Expected<ImportOptions> importOptions = importCommandLine.get();
  Error error = importOptions ? compile(*importOptions, registry)
                              : importOptions.takeError();
  if (!error)
    return 0;
  WithColor::error(errs(), "braid-compile")
      << toString(std::move(error)) << "\n";
  return 1;
}
