//===- Program.cpp - A program compiled in memory -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the arguments' attributes before they are lowered away, runs the
// pipeline in its three parts, and compiles with upstream's execution engine.
//
//===----------------------------------------------------------------------===//

#include "braid/Execution/Program.h"

#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "braid/Support/Timer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace braid;

Program::~Program() = default;

template <typename... Parts>
static llvm::Error makeError(Parts &&...parts) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 (Twine(parts) + ...));
}

/// The function called `name`, or the only public one.
static llvm::Expected<func::FuncOp> findFunction(ModuleOp module,
                                                 StringRef name) {
  SmallVector<func::FuncOp> functions;
  SmallVector<StringRef> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    functions.push_back(function);
    names.push_back(function.getSymName());
  }
  if (functions.empty())
    return makeError("the module has no public function to run");
  if (name.empty()) {
    if (functions.size() == 1)
      return functions.front();
    return makeError("the module has several public functions (",
                     llvm::join(names, ", "), "); name one of them");
  }
  for (func::FuncOp function : functions)
    if (function.getSymName() == name)
      return function;
  return makeError("the module has no public function '", name,
                   "'; it has: ", llvm::join(names, ", "));
}

static braid_rope convertRope(prefill::RopeAttr attribute, int64_t dims) {
  auto value = [](FloatAttr number) {
    return number ? number.getValueAsDouble() : 1.0;
  };
  braid_rope rope = {};
  rope.struct_size = sizeof(rope);
  rope.dims = dims;
  rope.theta = value(attribute.getTheta());
  rope.factor = value(attribute.getFactor());
  rope.beta_fast = value(attribute.getBetaFast());
  rope.beta_slow = value(attribute.getBetaSlow());
  rope.original_positions = attribute.getOriginalPositions()
                                ? attribute.getOriginalPositions().getInt()
                                : 1;
  return rope;
}

static std::vector<ProgramArgument> readArguments(func::FuncOp function) {
  std::vector<ProgramArgument> arguments;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    ProgramArgument &argument = arguments.emplace_back();
    auto get = [&, index = index](StringRef name) {
      return function.getArgAttr(index, name);
    };
    using prefill::PrefillDialect;
    auto name =
        dyn_cast_or_null<StringAttr>(get(PrefillDialect::getNameAttrName()));
    argument.name = name ? name.str() : "argument" + std::to_string(index);
    argument.hasTokens = bool(get(sched::SchedDialect::getTokensAttrName()));
    if (auto weights = dyn_cast_or_null<ArrayAttr>(
            get(PrefillDialect::getWeightAttrName())))
      for (Attribute weight : weights)
        argument.weights.push_back(cast<StringAttr>(weight).str());
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasRank())
      continue; // the pipeline reports it
    argument.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
    if (auto rope = dyn_cast_or_null<prefill::RopeAttr>(
            get(PrefillDialect::getRopeAttrName())))
      argument.rope = convertRope(rope, argument.shape.back());
  }
  return arguments;
}

/// Finds out from the ops that write them what is in rows of i8.
static void addPackedRows(func::FuncOp function,
                          MutableArrayRef<ProgramArgument> arguments) {
  auto add = [&](Value cache, Value channels, std::optional<uint64_t> fp8) {
    auto argument = dyn_cast<BlockArgument>(cache);
    auto type = dyn_cast<ShapedType>(channels.getType());
    if (argument && argument.getOwner() == &function.front() && type &&
        cast<ShapedType>(cache.getType()).getElementType().isInteger(8))
      arguments[argument.getArgNumber()].packed = PackedRow{
          type.getShape().back(), static_cast<int64_t>(fp8.value_or(0))};
  };
  function.walk([&](Operation *op) {
    if (auto insert = dyn_cast<prefill::CacheInsertOp>(op))
      add(insert.getCache(), insert.getRows(), insert.getFp8Channels());
    else if (auto compress = dyn_cast<prefill::CompressOp>(op))
      add(compress.getCache(), compress.getWeight(), compress.getFp8Channels());
  });
}

/// Completes `arguments` by what the compiled function says of them.
static void addDescriptions(MutableArrayRef<ProgramArgument> arguments,
                            const braid_function &function) {
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    const braid_argument &description = function.arguments[index];
    argument.dtype = description.dtype;
    argument.metadata = description.metadata;
    // Per-token arguments that are written are outputs; what else is written
    // lives on.
    bool isWritten = description.access & BRAID_ACCESS_WRITE;
    argument.isOutput = isWritten && argument.hasTokens;
    argument.isCache = isWritten && !argument.hasTokens;
  }
}

static void addSummary(Operation *root, ProgramSummary &summary) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto dispatch = dyn_cast<sched::DispatchOp>(op)) {
      if (dispatch.getGate())
        summary.tokenThreshold = dispatch.getBounds().front();
      for (Operation &inner : dispatch.getRanges().front().front())
        addSummary(&inner, summary);
      return WalkResult::skip();
    }
    summary.launches += isa<sched::LaunchOp>(op);
    summary.segments += isa<sched::SegmentOp>(op);
    summary.eagerRegions += isa<sched::EagerOp>(op);
    if (auto wait = dyn_cast<sched::WaitOp>(op))
      summary.waits += wait.getEvents().size();
    if (auto schedule = dyn_cast<sched::ScheduleOp>(op))
      summary.streams =
          std::max<int64_t>(summary.streams, schedule.getNumStreams());
    if (auto call = dyn_cast<func::CallOp>(op))
      if (auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
              call, call.getCalleeAttr()))
        addSummary(callee, summary);
    return WalkResult::advance();
  });
}

llvm::Expected<std::unique_ptr<Program>>
Program::compile(OwningOpRef<ModuleOp> module, StringRef name,
                 const PipelineOptions &options) {
  llvm::Expected<func::FuncOp> function = findFunction(*module, name);
  if (!function)
    return function.takeError();
  std::unique_ptr<Program> program(new Program);
  program->name = function->getSymName().str();
  program->arguments = readArguments(*function);
  function->walk([&](Operation *op) {
    if (auto compress = dyn_cast<prefill::CompressOp>(op))
      program->ratio = compress.getRatio();
    else if (auto attend = dyn_cast<prefill::AttendOp>(op))
      program->window = attend.getWindow();
  });
  addPackedRows(*function, program->arguments);

  Timer timer;
  MLIRContext *context = module->getContext();
  auto run = [&](auto &&build) {
    PassManager pm(context);
    build(pm);
    return pm.run(*module);
  };
  if (failed(run([&](OpPassManager &pm) {
        buildPlanPipeline(pm, options);
        buildBufferizePipeline(pm);
        buildSchedulePipeline(pm, options);
      })))
    return makeError("compilation failed");
  auto scheduled = module->lookupSymbol<func::FuncOp>(program->name);
  addSummary(scheduled, program->summary);
  if (failed(run([](OpPassManager &pm) { buildLowerPipeline(pm); })))
    return makeError("compilation failed");
  program->passSeconds = timer.getSeconds();

  timer = Timer();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  ExecutionEngineOptions engineOptions;
  // Compiled code only hands pointers on; optimizing it saves nothing.
  engineOptions.jitCodeGenOptLevel = llvm::CodeGenOptLevel::None;
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  llvm::Expected<std::unique_ptr<ExecutionEngine>> engine =
      ExecutionEngine::create(*module, engineOptions);
  if (!engine)
    return engine.takeError();
  program->engine = std::move(*engine);
  llvm::Expected<void *> symbol =
      program->engine->lookup("braid_function_" + program->name);
  if (!symbol)
    return symbol.takeError();
  program->function = static_cast<const braid_function *>(*symbol);
  program->codegenSeconds = timer.getSeconds();
  addDescriptions(program->arguments, *program->function);
  return program;
}
