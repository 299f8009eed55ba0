//===- braid-run.cpp - Compile, execute and check a layer -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a model's layer or an MLIR file in memory, prefills one prompt or a
// batch of requests with it, and compares the output with a file. Runs
// everything twice: first without preparing it, so that every segment runs
// eagerly, then prepared, so that segments are replayed; both have to agree bit
// for bit.
//
//===----------------------------------------------------------------------===//

#include "MeasuredTimeline.h"
#include "Progress.h"
#include "Selection.h"
#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "braid/Execution/Arguments.h"
#include "braid/Execution/DeviceArguments.h"
#include "braid/Import/ImportOptions.h"
#include "braid/Import/WeightNames.h"
#include "braid/InitAll.h"
#include "braid/Pipelines/CommandLine.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <cmath>
#include <set>

using namespace llvm;
using namespace braid;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static cl::OptionCategory category("braid-run options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("<config.json or .mlir>"),
                                  cl::cat(category));
static cl::opt<std::string>
    functionName("function",
                 cl::desc("Function of an .mlir file (default: the only one)"),
                 cl::value_desc("name"), cl::cat(category));
static cl::opt<int64_t> numTokens("tokens", cl::desc("Length of the prompt"),
                                  cl::init(64), cl::cat(category));
static cl::list<int64_t>
    chunks("chunks", cl::CommaSeparated,
           cl::desc("Prefill in chunks of these lengths; they add up to the "
                    "prompt (default: one chunk)"),
           cl::value_desc("n,n,..."), cl::cat(category));
static cl::opt<std::string>
    batchFile("batch",
              cl::desc("Prefill the requests that this file describes, in "
                       "place of one prompt"),
              cl::value_desc("file.json"), cl::cat(category));
static cl::opt<bool>
    alone("alone",
          cl::desc("Also prefill each request of --batch by itself; it has to "
                   "give the same bits"),
          cl::cat(category));
static cl::opt<std::string>
    weights("weights",
            cl::desc("Checkpoint: .safetensors, or the .index.json of shards"),
            cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> weightsPrefix(
    "weights-prefix",
    cl::desc("Prefix of all weight names in the checkpoint, in place of the "
             "layer's"),
    cl::value_desc("prefix"), cl::cat(category));
static cl::opt<int64_t>
    synthetic("synthetic", cl::desc("Make weights and input up from a seed"),
              cl::value_desc("seed"), cl::init(-1), cl::cat(category));
static cl::opt<std::string>
    hiddenInput("input", cl::desc("Hidden states of the prompt, [tokens, H]"),
                cl::value_desc("file:tensor"), cl::cat(category));
static cl::opt<std::string>
    expect("expect", cl::desc("Compare the output with this tensor"),
           cl::value_desc("file:tensor"), cl::cat(category));
static cl::opt<double>
    tolerance("tolerance", cl::desc("Largest absolute difference that passes"),
              cl::init(5e-5), cl::cat(category));
static cl::opt<double> normTolerance(
    "norm-tolerance",
    cl::desc("Largest relative difference in norm that passes; if given, "
             "--tolerance has no default"),
    cl::init(0), cl::cat(category));
static cl::opt<int64_t>
    skip("skip",
         cl::desc("Neither report, write nor compare the first n tokens"),
         cl::init(0), cl::value_desc("n"), cl::cat(category));
static cl::opt<std::string> selection(
    "selection",
    cl::desc("Compressed entries to attend to, [tokens - skip, k] int32, in "
             "place of those that the indexer selects"),
    cl::value_desc("file:tensor"), cl::cat(category));
static cl::opt<std::string>
    outputFile("output", cl::desc("Write the output to a .safetensors file"),
               cl::value_desc("file"), cl::cat(category));
static cl::opt<braid_backend>
    backend("backend", cl::desc("Where kernels run:"),
            cl::values(clEnumValN(BRAID_BACKEND_HOST, "host", "on the CPU"),
                       clEnumValN(BRAID_BACKEND_TRACE, "trace",
                                  "nowhere: each call is printed"),
                       clEnumValN(BRAID_BACKEND_CUDA, "cuda", "on a GPU")),
            cl::init(BRAID_BACKEND_HOST), cl::cat(category));
static PipelineCommandLine pipelineCommandLine(category);
static cl::opt<unsigned> repeat("repeat",
                                cl::desc("Prepared runs after the first one"),
                                cl::init(1), cl::value_desc("n"),
                                cl::cat(category));
static cl::opt<std::string> timelineFile(
    "timeline",
    cl::desc("Write when each launch of the last run ran, as a trace for "
             "Perfetto; every segment then runs eagerly"),
    cl::value_desc("file.json"), cl::cat(category));
static cl::opt<int64_t> blockSize("block-size",
                                  cl::desc("Rows in a block of each cache "
                                           "(default: as engines have them)"),
                                  cl::init(64), cl::cat(category));

//===----------------------------------------------------------------------===//
// Small helpers
//===----------------------------------------------------------------------===//

template <typename... Parts>
static Error makeError(Parts &&...parts) {
  return createStringError(inconvertibleErrorCode(), (Twine(parts) + ...));
}

/// "12,345,678".
static std::string group(uint64_t value) {
  std::string text = std::to_string(value);
  for (int64_t i = static_cast<int64_t>(text.size()) - 3; i > 0; i -= 3)
    text.insert(i, ",");
  return text;
}

static std::string plural(int64_t n, StringRef noun) {
  return (group(n) + " " + noun + (n == 1 ? "" : "s")).str();
}

/// One line of the report: what was done, how long it took, and details.
static void report(StringRef phase, double seconds, const Twine &details) {
  std::string line;
  raw_string_ostream(line) << "  " << left_justify(phase, 12)
                           << format("%9.1f ms   ", 1e3 * seconds) << details;
  outs() << StringRef(line).rtrim() << "\n";
  outs().flush();
}

/// Opens the file and reads the tensor of "FILE:TENSOR": int32 as it is,
/// everything else as f32.
template <typename T>
static Expected<std::vector<T>> readTensor(StringRef option, StringRef argument,
                                           SmallVectorImpl<int64_t> &shape) {
  auto [path, name] = argument.rsplit(':');
  if (path.empty() || name.empty())
    return makeError("--", option, " is '", argument,
                     "'; expected FILE:TENSOR");
  Expected<Checkpoint> file = Checkpoint::open(path);
  if (!file)
    return file.takeError();
  Expected<TensorView> view = file->lookup(name);
  if (!view)
    return view.takeError();
  shape.assign(view->shape.begin(), view->shape.end());
  if constexpr (std::is_same_v<T, float>) {
    return readAsFloat(*view);
  } else {
    if (view->type != TensorType::I32)
      return makeError("tensor '", name, "' is ", getTensorTypeName(view->type),
                       ", expected I32");
    return readElements<T>(*view);
  }
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

namespace {

/// What was asked for: a module, the function to run, and the layer whose
/// weights it takes.
struct Source {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string function;
  std::optional<int64_t> layer;
};

/// Differences between an output and what was expected.
struct Difference {
  double absolute = 0;
  /// Among elements of at least 1 % of the largest.
  double relative = 0;
  /// Euclidean norm of the difference, relative to that of what was expected.
  double norm = 0;
};

} // namespace

static Expected<Source> importConfig(mlir::MLIRContext *context,
                                     const ImportOptions &options) {
  Expected<ModelConfig> config = readModelConfig(input);
  if (!config)
    return config.takeError();
  if (!options.layer && config->numLayers > 1)
    return makeError(input, ": the model has ", config->numLayers,
                     " layers; choose one with --layer=N");
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      importModel(context, *config, options);
  if (!module)
    return makeError(input, ": ", toString(module.takeError()));
  Source source;
  source.layer = options.layer.value_or(0);
  source.function = getLayerKindName(config->layers[*source.layer]).str();
  source.module = std::move(*module);
  return source;
}

/// Parses an .mlir file; diagnostics are printed with their source lines.
static Expected<Source> parseModule(mlir::MLIRContext *context,
                                    SourceMgr &sourceMgr,
                                    const ImportOptions &options) {
  std::string message;
  std::unique_ptr<MemoryBuffer> file = mlir::openInputFile(input, &message);
  if (!file)
    return makeError(message);
  sourceMgr.AddNewSourceBuffer(std::move(file), SMLoc());
  Source source;
  source.module = mlir::parseSourceFile<mlir::ModuleOp>(sourceMgr, context);
  if (!source.module)
    return makeError(input, ": not a valid program");
  source.function = functionName;
  source.layer = options.layer;
  if (options.layer && functionName.empty()) {
    for (auto layer : source.module->getOps<prefill::LayerOp>())
      if (static_cast<int64_t>(layer.getIndex()) == *options.layer)
        source.function = layer.getFunction().str();
    if (source.function.empty())
      return makeError(input, ": no 'prefill.layer' op for layer ",
                       *options.layer);
  }
  return source;
}

/// The prompt of the command line as a batch of one request.
static Expected<Batch> makePrompt() {
  if (numTokens < 0)
    return makeError("--tokens is ", numTokens, "; expected 0 or more");
  Batch batch = makeSingle(numTokens);
  int64_t sum = 0;
  for (int64_t chunk : chunks) {
    if (chunk < 0 || chunk > numTokens)
      return makeError("--chunks has ", chunk, "; expected 0 to ", numTokens);
    sum += chunk;
  }
  if (!chunks.empty() && sum != numTokens)
    return makeError("--chunks add up to ", sum, "; expected --tokens, ",
                     numTokens);
  batch.requests[0].chunks.assign(chunks.begin(), chunks.end());
  return batch;
}

/// What to prefill, from a file or the command line.
static Expected<Batch> getBatch() {
  if (batchFile.empty() && alone)
    return makeError("--alone compares the requests of --batch, which was not "
                     "given");
  if (batchFile.empty())
    return makePrompt();
  // The address of a cl::list is that of its values.
  const cl::Option *others[] = {&numTokens,   std::addressof(chunks),
                                &hiddenInput, &expect,
                                &outputFile,  &blockSize,
                                &skip,        &selection};
  for (const cl::Option *option : others)
    if (option->getNumOccurrences())
      return makeError("both --batch and --", option->ArgStr,
                       " were given; expected one of them");
  return readBatch(batchFile);
}

static Error check(const braid_context *context, braid_status status) {
  if (status == BRAID_OK)
    return Error::success();
  return makeError(braid_status_name(status), ": ", braid_last_error(context));
}

namespace {

/// Rows of each request.
using Outputs = std::vector<std::vector<float>>;

/// A batch on its way through a context.
struct BatchRun {
  braid_context *context = nullptr;
  BatchArguments &arguments;
  std::vector<BatchStep> steps;
  /// Copies of the arguments, if the backend needs them.
  DeviceArguments *device = nullptr;
  /// What the context measures, if it does.
  MeasuredTimeline *timeline = nullptr;

  /// The call for the current step.
  Expected<braid_call> getCall();
  /// Captures segments for each bucket, or for each step's token count if there
  /// are none.
  Error prepare();
  /// All steps; `outputs` gets the rows.
  Error run(ArrayRef<BatchStep> steps, Outputs &outputs);
  /// The steps without any request but `only`.
  std::vector<BatchStep> getStepsOf(size_t only) const;
};

} // namespace

Expected<braid_call> BatchRun::getCall() {
  braid_call call = arguments.getCall();
  if (device)
    if (Error error = device->upload(call))
      return error;
  return call;
}

Error BatchRun::prepare() {
  std::vector<int64_t> counts = arguments.getBatch().buckets;
  if (counts.empty()) {
    std::set<int64_t> inSteps;
    for (const BatchStep &step : steps)
      if (step.padded > 0)
        inSteps.insert(step.padded);
    counts.assign(inSteps.begin(), inSteps.end());
  }
  if (counts.empty())
    return Error::success();
  arguments.setStep(makeEmptyStep(arguments.getBatch(), counts.back()));
  Expected<braid_call> call = getCall();
  if (!call)
    return call.takeError();
  return check(context, braid_prepare_buckets(context, &*call, counts.data(),
                                              counts.size()));
}

Error BatchRun::run(ArrayRef<BatchStep> steps, Outputs &outputs) {
  outputs.assign(arguments.getBatch().requests.size(), {});
  arguments.clearCaches();
  if (timeline)
    timeline->clear();
  for (const BatchStep &step : steps) {
    arguments.setStep(step);
    Expected<braid_call> call = getCall();
    if (!call)
      return call.takeError();
    if (Error error = check(context, braid_execute(context, &*call)))
      return error;
    if (Error error = check(context, braid_synchronize(context)))
      return error;
    if (device)
      if (Error error = device->download())
        return error;
    for (auto [request, output] : enumerate(outputs)) {
      std::vector<float> rows = arguments.getOutput(request);
      output.insert(output.end(), rows.begin(), rows.end());
    }
  }
  return Error::success();
}

std::vector<BatchStep> BatchRun::getStepsOf(size_t only) const {
  std::vector<BatchStep> result;
  for (BatchStep step : steps) {
    for (auto [request, range] : enumerate(step.ranges))
      if (request != only)
        range.count = 0;
    step.padded = step.getNumTokens();
    if (step.padded > 0)
      result.push_back(std::move(step));
  }
  return result;
}

static Difference compare(ArrayRef<float> output, ArrayRef<float> expected) {
  Difference difference;
  double largest = 0, squares = 0, differences = 0;
  for (float value : expected) {
    largest = std::max(largest, std::abs(double(value)));
    squares += double(value) * value;
  }
  for (auto [actual, wanted] : zip(output, expected)) {
    double absolute = std::abs(double(actual) - wanted);
    // A NaN anywhere is a difference that nothing tolerates.
    if (std::isnan(absolute))
      return {std::numeric_limits<double>::infinity(),
              std::numeric_limits<double>::infinity(),
              std::numeric_limits<double>::infinity()};
    differences += absolute * absolute;
    difference.absolute = std::max(difference.absolute, absolute);
    if (std::abs(wanted) >= 0.01 * largest && wanted != 0)
      difference.relative =
          std::max(difference.relative, absolute / std::abs(wanted));
  }
  if (differences > 0)
    difference.norm = std::sqrt(differences / squares);
  return difference;
}

static bool isEqual(ArrayRef<float> a, ArrayRef<float> b) {
  return a.size() == b.size() &&
         (a.empty() ||
          std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

/// The first rows of `expect`'s tensor have to be as the output; a longer
/// tensor holds the rest of a longer prompt.
static Error checkOutput(ArrayRef<float> output) {
  SmallVector<int64_t> shape;
  Expected<std::vector<float>> expected =
      readTensor<float>("expect", expect, shape);
  if (!expected)
    return expected.takeError();
  if (expected->size() != output.size())
    return makeError("tensor '", StringRef(expect).rsplit(':').second, "' has ",
                     expected->size(), " elements; the output has ",
                     output.size());
  Difference difference = compare(output, *expected);
  outs() << "  difference   absolute " << format("%.3g", difference.absolute)
         << ", relative " << format("%.3g", difference.relative) << ", in norm "
         << format("%.3g", difference.norm);
  bool hasNorm = normTolerance.getNumOccurrences() > 0;
  bool hasAbsolute = !hasNorm || tolerance.getNumOccurrences() > 0;
  outs() << " (tolerance ";
  if (hasAbsolute)
    outs() << format("%.3g", double(tolerance)) << (hasNorm ? ", " : "");
  if (hasNorm)
    outs() << format("%.3g", double(normTolerance)) << " in norm";
  outs() << ")\n";
  if (hasNorm && difference.norm > normTolerance)
    return makeError("the output differs from ", expect, " by ",
                     formatv("{0:e}", difference.norm).str(),
                     " in norm, more than the tolerance of ",
                     formatv("{0:e}", double(normTolerance)).str());
  if (hasAbsolute && difference.absolute > tolerance)
    return makeError("the output differs from ", expect, " by ",
                     formatv("{0:e}", difference.absolute).str(),
                     ", more than the tolerance of ",
                     formatv("{0:e}", double(tolerance)).str());
  return Error::success();
}

namespace {
struct Summary {
  double mean = 0, largest = 0; ///< of magnitudes
};
} // namespace

static Expected<Summary> summarize(ArrayRef<float> output) {
  Summary summary;
  size_t numBad = 0;
  for (float value : output) {
    numBad += !std::isfinite(value);
    summary.mean += std::abs(value) / output.size();
    summary.largest = std::max<double>(summary.largest, std::abs(value));
  }
  if (numBad)
    return makeError("the output has ", numBad,
                     " elements that are no finite numbers");
  return summary;
}

static Error reportOutput(ArrayRef<float> output, int64_t tokens) {
  Expected<Summary> summary = summarize(output);
  if (!summary)
    return summary.takeError();
  outs() << "  output       " << tokens << " x "
         << (tokens ? output.size() / tokens : 0);
  if (!output.empty())
    outs() << format(", mean |y| %.4f, max |y| %.4f", summary->mean,
                     summary->largest);
  outs() << "\n";
  return Error::success();
}

/// A line for each request of a batch.
static Error reportOutputs(const Batch &batch, const Outputs &outputs) {
  size_t width = StringRef("request").size();
  for (const Request &request : batch.requests)
    width = std::max(width, request.name.size());
  outs() << "  " << left_justify("request", width)
         << "   tokens   history   mean |y|   max |y|\n";
  for (auto [request, output] : zip(batch.requests, outputs)) {
    Expected<Summary> summary = summarize(output);
    if (!summary)
      return makeError("request '", request.name,
                       "': ", toString(summary.takeError()));
    outs() << "  " << left_justify(request.name, width) << "   "
           << right_justify(group(request.tokens), 6) << "   "
           << right_justify(group(request.history), 7)
           << format("   %8.3f   %7.2f\n", summary->mean, summary->largest);
  }
  return Error::success();
}

static TensorView viewRows(StringRef name, TensorType type, int64_t rows,
                           int64_t elements, const void *data) {
  TensorView view;
  view.name = name.str();
  view.type = type;
  view.shape = {rows, rows ? elements / rows : 0};
  view.data = {static_cast<const char *>(data),
               static_cast<size_t>(elements * getTensorTypeBits(type) / 8)};
  return view;
}

/// Writes the output, and what the layer itself would have selected.
static Error writeOutput(ArrayRef<float> output, int64_t tokens,
                         const Selection *stored) {
  SmallVector<TensorView> tensors = {viewRows("output", TensorType::F32, tokens,
                                              output.size(), output.data())};
  if (stored)
    tensors.push_back(viewRows("selected", TensorType::I32, tokens,
                               stored->getOwn().size(),
                               stored->getOwn().data()));
  return writeSafetensors(outputFile, tensors);
}

/// Reads --selection, if it was given.
static Expected<std::unique_ptr<Selection>> readSelection() {
  if (selection.empty())
    return nullptr;
  SmallVector<int64_t> shape;
  Expected<std::vector<int32_t>> entries =
      readTensor<int32_t>("selection", selection, shape);
  if (!entries)
    return entries.takeError();
  if (shape.size() != 2 || shape[0] != numTokens - skip || shape[1] == 0)
    return makeError(
        "tensor '", StringRef(selection).rsplit(':').second, "' has shape [",
        join(map_range(shape, [](int64_t n) { return std::to_string(n); }),
             ", "),
        "]; expected a row for each of ", numTokens - skip, " tokens");
  return std::make_unique<Selection>(std::move(*entries), shape[1], skip);
}

static Error reportSelection(const Selection &stored) {
  if (stored.getOwn().empty())
    return makeError("--selection was given, but nothing selects entries");
  outs() << "  selection    from " << selection
         << "; the layer's own differs in " << group(stored.countDifferences())
         << " of " << plural(stored.getOwn().size(), "place") << "\n";
  return Error::success();
}

/// Compares runs that may have used different algorithms for products.
static Error compareAlgorithms(const Outputs &first, const Outputs &prepared) {
  double largest = 0;
  for (auto [a, b] : zip(first, prepared)) {
    if (a.size() != b.size())
      return makeError("the prepared run has another number of rows");
    double norm = compare(b, a).norm;
    if (!(norm <= largest))
      largest = norm;
  }
  // What bf16 allows.
  if (!(largest <= 1e-2))
    return makeError("the prepared run differs from the first run by ",
                     formatv("{0:e}", largest).str(),
                     " in norm, more than algorithms may");
  outs() << "  algorithms   measured ones differ from the first ones by "
         << format("%.2g", largest) << " in norm\n";
  return Error::success();
}

/// Compares each request with itself in calls of its own.
static Error compareAlone(BatchRun &run, const Outputs &together) {
  Progress progress("alone");
  for (auto [index, request] : enumerate(run.arguments.getBatch().requests)) {
    Outputs outputs;
    if (Error error = run.run(run.getStepsOf(index), outputs))
      return error;
    if (!isEqual(outputs[index], together[index]))
      return makeError("request '", request.name,
                       "' by itself differs from the same request in the "
                       "batch; this is a bug in Braid");
  }
  report("alone", progress.getSeconds(),
         "each request by itself, not padded: equals the batch bit for bit");
  return Error::success();
}

static Error run(const ImportOptions &importOptions,
                 mlir::DialectRegistry &registry) {
  // Everything that can be wrong with the command line, first.
  Expected<Batch> batch = getBatch();
  if (!batch)
    return batch.takeError();
  bool isPrompt = batchFile.empty();
  if (weights.empty() == (synthetic < 0))
    return makeError(weights.empty()
                         ? "no weights; pass --weights=FILE or "
                           "--synthetic=SEED (0 or more)"
                         : "both --weights and --synthetic were given; "
                           "expected one of them");
  if (isPrompt && hiddenInput.empty() && synthetic < 0)
    return makeError("no input; pass --input=FILE:TENSOR");
  if (blockSize < 1 || blockSize > 65536)
    return makeError("--block-size is ", blockSize, "; expected 1 to 65536");
  if (backend == BRAID_BACKEND_TRACE && !timelineFile.empty())
    return makeError("--timeline was given, but nothing runs on the backend "
                     "'trace'");
  PipelineOptions pipeline;
  if (Error error = pipelineCommandLine.apply(pipeline))
    return error;
  if (!(tolerance >= 0))
    return makeError("--tolerance is not a number of at least 0");
  if (!(normTolerance >= 0))
    return makeError("--norm-tolerance is not a number of at least 0");
  if (skip < 0 || (isPrompt && skip > numTokens))
    return makeError("--skip is ", skip, "; expected 0 to --tokens, ",
                     numTokens);

  // Compile.
  Timer timer;
  mlir::MLIRContext context(registry);
  SourceMgr sourceMgr;
  mlir::SourceMgrDiagnosticHandler diagnostics(sourceMgr, &context);
  bool isConfig = StringRef(input).ends_with(".json");
  Expected<Source> source =
      isConfig ? importConfig(&context, importOptions)
               : parseModule(&context, sourceMgr, importOptions);
  if (!source)
    return source.takeError();
  double importSeconds = timer.getSeconds();
  std::optional<int64_t> layer = source->layer;
  Expected<std::unique_ptr<Program>> compiled =
      Program::compile(std::move(source->module), source->function, pipeline);
  if (!compiled)
    return makeError(input, ": ", toString(compiled.takeError()));
  Program &program = **compiled;

  outs() << input << ", @" << program.getName();
  if (layer)
    outs() << ", layer " << *layer;
  outs() << "\n";
  report(isConfig ? "import" : "parse", importSeconds, "");
  std::vector<BatchStep> steps = makeSteps(*batch);
  int64_t numAll = 0,
          mostTokens = batch->buckets.empty() ? 0 : batch->buckets.back();
  for (const BatchStep &step : steps) {
    numAll += step.getNumTokens();
    mostTokens = std::max(mostTokens, isPrompt ? numTokens : step.padded);
  }
  size_t workspace = 0;
  braid_workspace_size(program.getFunction(), mostTokens, &workspace);
  const ProgramSummary &summary = program.getSummary();
  std::string parts = plural(summary.launches, "op") + ", " +
                      plural(summary.segments, "segment") + ", " +
                      plural(summary.eagerRegions, "eager break") + ", " +
                      plural(summary.streams, "stream");
  if (summary.waits)
    parts += ", " + plural(summary.waits, "wait");
  if (summary.tokenThreshold)
    parts += " up to " + plural(*summary.tokenThreshold, "token");
  report("compile", program.getPassSeconds(),
         parts + ", workspace " + group(workspace) + " bytes for " +
             plural(mostTokens, "token"));
  report("codegen", program.getCodegenSeconds(), "");

  // Arguments.
  ArgumentSources sources;
  std::optional<Checkpoint> checkpoint;
  if (!weights.empty()) {
    Expected<Checkpoint> file = Checkpoint::open(weights);
    if (!file)
      return file.takeError();
    checkpoint = std::move(*file);
    sources.checkpoint = &*checkpoint;
    bool hasPrefix = weightsPrefix.getNumOccurrences() > 0;
    if (!hasPrefix && !layer)
      return makeError("the layer of the weights is not known; pass --layer=N "
                       "or --weights-prefix=PREFIX");
    sources.spellings = [hasPrefix, layer](StringRef name) {
      return hasPrefix ? getPrefixedWeightSpellings(name, weightsPrefix)
                       : getWeightSpellings(name, *layer);
    };
  }
  sources.seed = std::max<int64_t>(synthetic, 0);
  sources.blockSize = blockSize.getNumOccurrences() ? blockSize : 0;
  if (!hiddenInput.empty()) {
    SmallVector<int64_t> shape;
    Expected<std::vector<float>> hidden =
        readTensor<float>("input", hiddenInput, shape);
    if (!hidden)
      return hidden.takeError();
    for (const ProgramArgument &argument : program.getArguments())
      if (argument.name == "hidden" &&
          (shape.size() != 2 || shape[1] != argument.shape[1] ||
           shape[0] < numTokens))
        return makeError(
            "tensor '", StringRef(hiddenInput).rsplit(':').second,
            "' has shape [",
            join(map_range(shape, [](int64_t n) { return std::to_string(n); }),
                 ", "),
            "]; expected at least ", numTokens, " rows of ", argument.shape[1]);
    batch->requests[0].hidden = std::move(*hidden);
  }
  std::unique_ptr<BatchArguments> arguments;
  {
    Progress progress("weights");
    sources.progress = [&](double share) { progress.update(share); };
    auto created = BatchArguments::create(program, *batch, sources);
    if (!created)
      return created.takeError();
    arguments = std::move(*created);
    report("weights", progress.getSeconds(),
           plural(arguments->getNumWeights(), "tensor") + ", " +
               group(arguments->getWeightBytes()) + " bytes, " +
               (checkpoint ? "from " + weights
                           : "made up from seed " + std::to_string(synthetic)));
  }

  // Execute.
  Expected<std::unique_ptr<Selection>> stored = readSelection();
  if (!stored)
    return stored.takeError();
  braid_context_options options;
  options.struct_size = sizeof(options);
  braid_context_options_initialize(&options);
  options.backend = backend;
  options.capture = pipeline.capture && timelineFile.empty();
  MeasuredTimeline timeline;
  if (!timelineFile.empty())
    timeline.attachTo(options);
  options.max_auxiliary_streams = pipeline.maxStreams - 1;
  braid_context *raw = nullptr;
  if (braid_status status = braid_context_create(&options, &raw);
      status != BRAID_OK)
    return makeError(braid_status_name(status), ": ",
                     braid_last_error(nullptr));
  ContextPointer runtime(raw);
  if (*stored)
    if (Error error = (*stored)->registerWith(raw))
      return error;
  std::string tokensText = plural(numAll, "token") + ", ";
  if (isPrompt)
    tokensText += plural(steps.size(), "chunk");
  else
    tokensText = plural(batch->requests.size(), "request") + ", " + tokensText +
                 plural(steps.size(), "step");
  DeviceArguments device(raw, program);
  BatchRun execution = {raw, *arguments, steps,
                        backend == BRAID_BACKEND_CUDA ? &device : nullptr,
                        timelineFile.empty() ? nullptr : &timeline};
  Outputs first, outputs;
  {
    Progress progress("first run");
    if (Error error = execution.run(steps, first))
      return error;
    report("first run", progress.getSeconds(),
           tokensText + ", not prepared: every segment eager");
  }
  for (unsigned i = 0; i < repeat; ++i) {
    Progress progress("prepared run");
    braid_statistics before = {}, after = {};
    before.struct_size = after.struct_size = sizeof(before);
    braid_get_statistics(raw, &before);
    if (Error error = execution.prepare())
      return error;
    double prepareSeconds = progress.getSeconds();
    if (Error error = execution.run(steps, outputs))
      return error;
    double seconds = progress.getSeconds();
    braid_get_statistics(raw, &after);
    report("prepare", prepareSeconds,
           plural(after.captures - before.captures, "segment") + " captured");
    report(
        "prepared run", seconds - prepareSeconds,
        tokensText + ": " + plural(after.replayed - before.replayed, "kernel") +
            " in " + plural(after.replays - before.replays, "replay") + ", " +
            plural(after.launches - before.launches, "kernel") + " one by one");
    if (backend == BRAID_BACKEND_CUDA && i == 0) {
      // What was not prepared took algorithms that nobody measured.
      if (Error error = compareAlgorithms(first, outputs))
        return error;
      first = outputs;
    }
    if (backend != BRAID_BACKEND_TRACE &&
        !all_of(zip(first, outputs), [](const auto &pair) {
          return isEqual(std::get<0>(pair), std::get<1>(pair));
        }))
      return makeError("the prepared run differs from the first run; this is a "
                       "bug in Braid");
  }
  if (backend == BRAID_BACKEND_TRACE)
    return Error::success(); // nothing was computed
  if (!timelineFile.empty()) {
    if (Error error = timeline.write(timelineFile, program.getName()))
      return error;
    outs() << "  timeline     " << plural(timeline.size(), "kernel") << " in "
           << timelineFile << "\n";
  }
  if (repeat > (backend == BRAID_BACKEND_CUDA ? 1 : 0))
    outs() << "  replay       equals the first "
           << (backend == BRAID_BACKEND_CUDA ? "prepared " : "")
           << "run bit for bit\n";
  if (alone)
    if (Error error = compareAlone(execution, first))
      return error;
  if (!isPrompt)
    return reportOutputs(*batch, first);

  // Check.
  if (*stored)
    if (Error error = reportSelection(**stored))
      return error;
  int64_t numShown = numTokens - skip;
  ArrayRef<float> shown(first[0]);
  if (numTokens > 0)
    shown = shown.drop_front(shown.size() / numTokens * skip);
  if (!outputFile.empty())
    if (Error error = writeOutput(shown, numShown, stored->get()))
      return error;
  if (Error error = reportOutput(shown, numShown))
    return error;
  if (!expect.empty())
    return checkOutput(shown);
  return Error::success();
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  static ImportCommandLine importCommandLine(category);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Braid: compile, execute and check a layer\n\n"
      "Example: braid-run config.json --layer=2 --tokens=64 --synthetic=1\n");
  mlir::DialectRegistry registry;
  braid::registerAllDialects(registry);

  Expected<ImportOptions> importOptions = importCommandLine.get();
  Error error =
      importOptions ? run(*importOptions, registry) : importOptions.takeError();
  if (!error)
    return 0;
  outs().flush();
  WithColor::error(errs(), "braid-run") << toString(std::move(error)) << "\n";
  return 1;
}
