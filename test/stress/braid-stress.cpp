//===- braid-stress.cpp - Random programs and mutants -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles and executes random programs, serial and scheduled, and compares bit
// for bit; breaks schedules in every small way and compares what sched-verify
// says with a second opinion. Everything is decided by the seed; threads share
// nothing but the counters.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "Interpreter.h"
#include "Judge.h"
#include "Mutants.h"
#include "Workload.h"
#include "braid/Dialect/Sched/Transforms/Passes.h"
#include "braid/Import/ImportModel.h"
#include "braid/InitAll.h"
#include "braid/Pipelines/Pipelines.h"
#include "braid/Support/Timer.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

using namespace mlir;
using namespace braid;
using namespace braid::stress;
namespace cl = llvm::cl;

static cl::OptionCategory category("braid-stress options");
static cl::opt<unsigned> numPrograms("programs", cl::init(500),
                                     cl::desc("Random programs to check"),
                                     cl::cat(category));
static cl::opt<uint64_t> firstSeed("seed", cl::init(1),
                                   cl::desc("Seed of the first program; the "
                                            "next ones count on from it"),
                                   cl::cat(category));
static cl::opt<unsigned>
    numMutated("mutants", cl::init(0),
               cl::desc("Random programs whose mutants are judged"),
               cl::cat(category));
static cl::opt<unsigned>
    mutantLimit("mutant-limit", cl::init(24),
                cl::desc("Most mutants of each kind for one program"),
                cl::cat(category));
static cl::opt<bool> withLayers("layers",
                                cl::desc("Judge the mutants of the layers too"),
                                cl::cat(category));
static cl::opt<double> timeLimit("time-limit", cl::init(0),
                                 cl::desc("Seconds after which no new program "
                                          "begins; 0: none"),
                                 cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::init(0),
                              cl::desc("Threads; 0: four for each processor, "
                                       "since delays sleep"),
                              cl::cat(category));
static cl::opt<unsigned> jitEvery("jit-every", cl::init(50),
                                  cl::desc("Compile one program in so many to "
                                           "native code too; 0: none"),
                                  cl::cat(category));
static cl::opt<bool> printProgram("print", cl::desc("Print each program"),
                                  cl::cat(category));
static cl::opt<bool> verbose("verbose",
                             cl::desc("Say what each mutant came to"),
                             cl::cat(category));

// A mutant that races is what it is; the sanitizer need not say so.
#if defined(__SANITIZE_THREAD__)
static constexpr bool kRunsMutants = false;
#elif defined(__has_feature)
static constexpr bool kRunsMutants = !__has_feature(thread_sanitizer);
#else
static constexpr bool kRunsMutants = true;
#endif

/// Rounds of delays in which a mutant may show itself.
static constexpr unsigned kMaxRounds = 60;

static constexpr int64_t kTokens[] = {1, 3, 8, 70};

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

namespace {

/// What came of the mutants of one kind.
struct MutantCounts {
  unsigned orderedAccepted = 0, orderedRefused = 0;
  unsigned unorderedAccepted = 0, unorderedRefused = 0;
  /// Wrongly, as the judge has it.
  unsigned wrong = 0;
  /// Refused since two buffers share bytes that only one of them uses.
  unsigned tooNear = 0;
  unsigned detected = 0, executed = 0;
};

struct Results {
  std::mutex mutex;
  unsigned programs = 0, failures = 0;
  // Programs that have it.
  unsigned severalStreams = 0, overlaps = 0, inPlace = 0, acrossRegions = 0;
  unsigned views = 0, eager = 0, absent = 0, caches = 0, outputs = 0;
  unsigned fixedBuffers = 0, split = 0, dense = 0, shared = 0, compiled = 0;
  unsigned segments = 0, breaks = 0, wide = 0, splitRegions = 0;
  unsigned metadata[4] = {};
  unsigned streams[5] = {};
  uint64_t ops = 0, waits = 0;
  unsigned mostOps = 0;
  unsigned mutated = 0;
  MutantCounts mutants[NumMutantKinds];
  MutantCounts ofLayers[NumMutantKinds];
};

} // namespace

static Results results;
static std::mutex outputMutex;
static std::mutex nativeMutex;

/// Layers are told apart from programs by their seeds.
static constexpr uint64_t kLayerSeed = 1000000000000;

/// Reports a failure of a program, and keeps the program.
static void fail(uint64_t seed, StringRef text, const Twine &what) {
  {
    std::lock_guard<std::mutex> lock(results.mutex);
    ++results.failures;
  }
  std::string path = "stress-" + std::to_string(seed) + ".mlir";
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error)
    file << text;
  std::lock_guard<std::mutex> lock(outputMutex);
  bool isLayer = seed >= kLayerSeed;
  llvm::outs() << "FAILED: " << (isLayer ? "layer task " : "seed ")
               << (isLayer ? seed - kLayerSeed : seed) << ": " << what
               << "\n  kept in " << path << "; again: braid-stress ";
  if (isLayer)
    llvm::outs() << "--layers --programs=0\n";
  else
    llvm::outs() << "--seed=" << seed << " --programs=1 --mutants=1 --print\n";
  llvm::outs().flush();
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

namespace {

/// One thread's compiler.
class Compiler {
public:
  explicit Compiler(DialectRegistry &registry)
      : context(registry, MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          if (messages.size() < 2000)
            messages += diagnostic.str() + "\n";
          return success();
        }) {
    context.loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    messages.clear();
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// Up to planned schedules.
  LogicalResult schedule(ModuleOp module, unsigned maxStreams, bool narrow) {
    messages.clear();
    PipelineOptions options;
    options.maxStreams = maxStreams;
    options.narrow = narrow;
    options.verifyPhases = true;
    PassManager pm(&context);
    buildPlanPipeline(pm, options);
    buildBufferizePipeline(pm);
    buildSchedulePipeline(pm, options);
    return pm.run(module);
  }

  LogicalResult verify(ModuleOp module) {
    messages.clear();
    PassManager pm(&context);
    pm.addPass(sched::createVerifyPass());
    return pm.run(module);
  }

  MLIRContext context;
  std::string messages;
  ScopedDiagnosticHandler handler;
};

} // namespace

static func::FuncOp findFunction(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      return function;
  llvm::report_fatal_error("no function");
}

//===----------------------------------------------------------------------===//
// Executing
//===----------------------------------------------------------------------===//

/// Something that can be prepared and executed.
struct Executable {
  std::function<braid_status(braid_context *, const braid_call &)> prepare,
      execute;
};

static Executable makeExecutable(Interpreter &interpreter) {
  return {[&](braid_context *context, const braid_call &call) {
            return interpreter.prepare(context, call);
          },
          [&](braid_context *context, const braid_call &call) {
            return interpreter.execute(context, call);
          }};
}

static Executable makeExecutable(const Program &program) {
  auto set = [&](braid_call call) {
    call.function = program.getFunction();
    return call;
  };
  return {[set](braid_context *context, const braid_call &call) {
            braid_call full = set(call);
            return braid_prepare(context, &full);
          },
          [set](braid_context *context, const braid_call &call) {
            braid_call full = set(call);
            return braid_execute(context, &full);
          }};
}

/// Three calls with inputs and metadata that change in the same buffers: the
/// first one not prepared, the others replayed. Empty after an error.
static std::vector<Snapshot> runPhases(braid_context *context,
                                       const Executable &executable,
                                       Workload &workload, bool prepares,
                                       std::string &error) {
  std::vector<Snapshot> snapshots;
  workload.reset();
  for (unsigned phase = 0; phase < 3; ++phase) {
    workload.setPhase(phase);
    braid_status status = BRAID_OK;
    if (phase == 1 && prepares)
      status = executable.prepare(context, workload.getCall());
    if (status == BRAID_OK)
      status = executable.execute(context, workload.getCall());
    if (status == BRAID_OK)
      status = braid_synchronize(context);
    if (status != BRAID_OK) {
      error = braid_last_error(context);
      return {};
    }
    snapshots.push_back(workload.read());
  }
  return snapshots;
}

/// Calls in succession without waiting in between, not prepared and replayed.
/// Nothing after an error.
static std::optional<Snapshot> runInSuccession(braid_context *context,
                                               const Executable &executable,
                                               Workload &workload) {
  Snapshot result;
  workload.reset();
  for (unsigned phase = 0; phase < 2; ++phase) {
    workload.setPhase(phase);
    braid_call call = workload.getCall();
    braid_status status = BRAID_OK;
    if (phase == 1)
      status = executable.prepare(context, call);
    for (unsigned i = 0; i < 2 && status == BRAID_OK; ++i)
      status = executable.execute(context, call);
    braid_status end = braid_synchronize(context);
    if (status != BRAID_OK || end != BRAID_OK)
      return std::nullopt;
    Snapshot now = workload.read();
    result.insert(result.end(), now.begin(), now.end());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Mutants
//===----------------------------------------------------------------------===//

/// Judges the mutants of `module`, and executes those that miss a wait.
static void checkMutants(Compiler &compiler, ModuleOp module, uint64_t seed,
                         StringRef text, const Executable &serial,
                         Workload &workload, const braid_function *like,
                         MutantCounts *counts, unsigned limit) {
  Random random(seed * 7919 + 1);
  std::optional<Snapshot> expected;
  for (const Mutant &mutant : findMutants(module, limit, random)) {
    OwningOpRef<ModuleOp> mutated = apply(module, mutant);
    func::FuncOp function = findFunction(*mutated);
    std::string reason = judge(function, Granularity::Bytes);
    bool isOrdered = reason.empty();
    // Two buffers that share bytes which only one of them uses are refused too.
    bool isTooNear =
        isOrdered && !judge(function, Granularity::Buffers).empty();
    bool isAccepted = succeeded(compiler.verify(*mutated));
    auto describe = [&] {
      return (Twine(stress::getName(mutant.kind)) + ", op " + Twine(mutant.op) +
              ", " + Twine(mutant.other))
          .str();
    };
    if (isAccepted != (isOrdered && !isTooNear)) {
      std::string printed;
      llvm::raw_string_ostream stream(printed);
      mutated->print(stream, OpPrintingFlags().enableDebugInfo(false));
      fail(seed, printed + "\n// From:\n" + text.str(),
           "mutant (" + describe() + "): " +
               (isTooNear   ? "accepted, but two buffers share bytes"
                : isOrdered ? "ordered, but refused: " + compiler.messages
                            : "accepted, but " + reason));
    }
    bool isDetected = false, isExecuted = false;
    unsigned rounds = 0;
    if (kRunsMutants && mutant.kind == MutantKind::RemoveWait && !isOrdered) {
      isExecuted = true;
      if (!expected) {
        ContextPointer context = makeContext(0);
        expected = runInSuccession(context.get(), serial, workload);
        if (!expected)
          return fail(seed, text, "the serial program does not run");
      }
      Interpreter interpreter(function);
      if (like)
        interpreter.describeAs(*like);
      Executable executable = makeExecutable(interpreter);
      ContextPointer context;
      while (!isDetected && rounds < kMaxRounds) {
        // Graphs of an earlier context hold its workspace.
        if (rounds % 4 == 0)
          context = makeContext(random.next() | 1);
        std::optional<Snapshot> actual =
            runInSuccession(context.get(), executable, workload);
        isDetected = !actual || *actual != *expected;
        ++rounds;
      }
      if (!isDetected && verbose) {
        std::lock_guard<std::mutex> lock(outputMutex);
        llvm::outs() << "not seen in " << rounds << " rounds: seed " << seed
                     << ", " << describe() << ": " << reason << "\n";
      }
    }
    std::lock_guard<std::mutex> lock(results.mutex);
    MutantCounts &count = counts[unsigned(mutant.kind)];
    count.wrong += isAccepted != (isOrdered && !isTooNear);
    count.tooNear += isTooNear && !isAccepted;
    (isOrdered    ? isAccepted ? count.orderedAccepted : count.orderedRefused
     : isAccepted ? count.unorderedAccepted
                  : count.unorderedRefused)++;
    count.executed += isExecuted;
    count.detected += isDetected;
  }
}

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

static void count(const RandomProgram &program, const ScheduleShape &shape) {
  std::lock_guard<std::mutex> lock(results.mutex);
  Results &r = results;
  ++r.programs;
  r.severalStreams += shape.streams > 1;
  ++r.streams[std::min(shape.streams, 4u)];
  r.overlaps += shape.partialOverlaps > 0;
  r.inPlace += program.inPlaceUpdates > 0;
  r.acrossRegions += shape.buffersAcrossRegions > 0;
  r.views += program.views > 0;
  r.eager += program.eagerRegions > 0;
  r.absent += program.absentBranches > 0;
  r.caches += program.cacheUses > 0;
  r.outputs += program.outputs > 1;
  r.fixedBuffers += program.fixedBuffers > 0;
  r.split += program.splitDestinations > 0;
  r.dense += program.dense > 0;
  r.shared += shape.sharedBytes > 0;
  r.segments += shape.segments > 1;
  r.breaks += shape.eagerRegions > 0;
  r.wide += program.isWide;
  // Up and down make two segments of a wide region; a third one is a split.
  r.splitRegions += program.isWide && shape.segments > 2;
  r.metadata[BRAID_METADATA_HOST] += program.hostMetadata > 0;
  r.metadata[BRAID_METADATA_DEVICE_PERSISTENT] +=
      program.persistentMetadata > 0;
  r.metadata[BRAID_METADATA_DEVICE_TRANSIENT] += program.transientMetadata > 0;
  r.ops += shape.launches;
  r.mostOps = std::max(r.mostOps, shape.launches);
  r.waits += shape.waits;
}

/// Everything for one seed.
static void checkProgram(Compiler &compiler, uint64_t seed, bool withMutants) {
  RandomProgram program = generateProgram(seed);
  if (printProgram) {
    std::lock_guard<std::mutex> lock(outputMutex);
    llvm::outs() << "// seed " << seed << "\n" << program.text;
    llvm::outs().flush();
  }
  auto failHere = [&](const Twine &what) { fail(seed, program.text, what); };
  OwningOpRef<ModuleOp> source = compiler.parse(program.text);
  if (!source)
    return failHere("does not parse: " + compiler.messages);
  OwningOpRef<ModuleOp> serial = source->clone();
  if (failed(compiler.schedule(*serial, /*maxStreams=*/1, /*narrow=*/false)))
    return failHere("serial pipeline: " + compiler.messages);
  OwningOpRef<ModuleOp> scheduled = source->clone();
  if (failed(compiler.schedule(*scheduled, /*maxStreams=*/4, /*narrow=*/true)))
    return failHere("full pipeline: " + compiler.messages);
  for (ModuleOp module : {*serial, *scheduled}) {
    const char *which = module == *serial ? "serial" : "full";
    std::string reason = judge(findFunction(module), Granularity::Buffers);
    if (!reason.empty())
      return failHere(Twine(which) + " schedule: " + reason);
    if (failed(compiler.verify(module)))
      return failHere(Twine(which) +
                      " schedule: sched-verify refuses: " + compiler.messages);
  }
  count(program, getShape(findFunction(*scheduled)));

  Interpreter serialInterpreter(findFunction(*serial));
  Interpreter scheduledInterpreter(findFunction(*scheduled));
  Executable serialExecutable = makeExecutable(serialInterpreter);
  Executable scheduledExecutable = makeExecutable(scheduledInterpreter);
  std::unique_ptr<Program> native;
  if (jitEvery && seed % jitEvery == 0) {
    // LLVM's targets register themselves without a lock.
    std::lock_guard<std::mutex> lock(nativeMutex);
    PipelineOptions options;
    llvm::Expected<std::unique_ptr<Program>> compiled =
        Program::compile(source->clone(), "", options);
    if (!compiled)
      return failHere("native code: " + llvm::toString(compiled.takeError()) +
                      " " + compiler.messages);
    native = std::move(*compiled);
    std::lock_guard<std::mutex> resultsLock(results.mutex);
    ++results.compiled;
  }
  {
    ContextPointer plain = makeContext(0),
                   delayed = makeContext(stress::mix(seed) | 1);
    for (int64_t tokens : kTokens) {
      std::unique_ptr<Workload> reference = makeWorkload(program, tokens);
      std::string error;
      std::vector<Snapshot> expected =
          runPhases(plain.get(), serialExecutable, *reference,
                    /*prepares=*/false, error);
      if (expected.empty())
        return failHere("serial execution: " + error);
      std::vector<std::pair<const char *, Executable>> executables = {
          {"scheduled", scheduledExecutable}};
      if (native)
        executables.emplace_back("native code", makeExecutable(*native));
      for (auto &[name, executable] : executables) {
        std::unique_ptr<Workload> workload = makeWorkload(program, tokens);
        std::vector<Snapshot> actual = runPhases(
            delayed.get(), executable, *workload, /*prepares=*/true, error);
        if (actual.empty())
          return failHere(Twine(name) + " execution: " + error);
        for (unsigned phase = 0; phase < expected.size(); ++phase)
          if (actual[phase] != expected[phase])
            return failHere(Twine(name) + " differs from serial for " +
                            Twine(tokens) + " tokens in call " + Twine(phase));
      }
    }
  }
  if (!withMutants)
    return;
  std::unique_ptr<Workload> workload = makeWorkload(program, 8);
  checkMutants(compiler, *scheduled, seed, program.text, serialExecutable,
               *workload, nullptr, results.mutants, mutantLimit);
  std::lock_guard<std::mutex> lock(results.mutex);
  ++results.mutated;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// The mutants of one layer of a small model with all three kinds.
static void checkLayer(Compiler &compiler, unsigned task) {
  unsigned layer = task % 3;
  MetadataLifetime lifetime =
      task < 3 ? MetadataLifetime::Persistent : MetadataLifetime::Transient;
  auto failHere = [&](const Twine &what) { fail(kLayerSeed + task, "", what); };
  llvm::Expected<ModelConfig> config =
      readModelConfig(BRAID_TEST_INPUTS "/small/config.json");
  if (!config)
    return failHere(llvm::toString(config.takeError()));
  ImportOptions options;
  options.layer = layer;
  options.eager = EagerForm::Wide;
  options.metadata = lifetime;
  llvm::Expected<OwningOpRef<ModuleOp>> source =
      importModel(&compiler.context, *config, options);
  if (!source)
    return failHere(llvm::toString(source.takeError()));
  OwningOpRef<ModuleOp> scheduled = (*source)->clone();
  if (failed(compiler.schedule(*scheduled, 4, true)))
    return failHere(compiler.messages);
  std::string reason = judge(findFunction(*scheduled), Granularity::Buffers);
  if (!reason.empty())
    return failHere(reason);
  if (failed(compiler.verify(*scheduled)))
    return failHere("sched-verify refuses: " + compiler.messages);
  std::unique_ptr<Program> serial;
  {
    std::lock_guard<std::mutex> lock(nativeMutex);
    PipelineOptions pipeline;
    pipeline.maxStreams = 1;
    pipeline.narrow = false;
    llvm::Expected<std::unique_ptr<Program>> compiled =
        Program::compile(std::move(*source), "", pipeline);
    if (!compiled)
      return failHere(llvm::toString(compiled.takeError()));
    serial = std::move(*compiled);
  }
  std::unique_ptr<Workload> workload = makeLayerWorkload(*serial, 35);
  std::string text;
  llvm::raw_string_ostream stream(text);
  scheduled->print(stream);
  checkMutants(compiler, *scheduled, kLayerSeed + task, text,
               makeExecutable(*serial), *workload, serial->getFunction(),
               results.ofLayers, ~0u);
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

static void printMutants(StringRef title, const MutantCounts *counts) {
  llvm::outs() << "\n"
               << title << "\n"
               << "                         ordered            not ordered\n"
               << "                    accepted  refused    accepted  refused"
                  "   seen when run\n";
  for (unsigned kind = 0; kind < NumMutantKinds; ++kind) {
    const MutantCounts &c = counts[kind];
    llvm::outs() << llvm::format("%-18s  %8u %8u    %8u %8u",
                                 stress::getName(MutantKind(kind)),
                                 c.orderedAccepted, c.orderedRefused,
                                 c.unorderedAccepted, c.unorderedRefused);
    if (c.executed)
      llvm::outs() << llvm::format("   %u of %u, %.1f %%", c.detected,
                                   c.executed, 100.0 * c.detected / c.executed);
    if (c.tooNear)
      llvm::outs() << "   (" << c.tooNear
                   << " refused share bytes that one buffer leaves unused)";
    llvm::outs() << "\n";
  }
}

/// Prints the numbers; whether they are as they should be.
static bool printSummary(double seconds) {
  const Results &r = results;
  bool isGood = r.failures == 0;
  auto share = [&](const char *name, unsigned number, double least = 0) {
    double percent = r.programs ? 100.0 * number / r.programs : 0;
    // A handful of programs is no distribution.
    bool isLow = r.programs >= 100 && percent < least;
    llvm::outs() << llvm::format("%-44s %7u  %5.1f %%", name, number, percent);
    if (least > 0)
      llvm::outs() << llvm::format("  (at least %.0f %%)%s", least,
                                   isLow ? "  TOO FEW" : "");
    llvm::outs() << "\n";
    isGood &= !isLow;
  };
  llvm::outs() << "\nOf " << r.programs << " random programs\n";
  share("use two or more streams", r.severalStreams, 30);
  share("  two", r.streams[2]);
  share("  three", r.streams[3]);
  share("  four", r.streams[4]);
  share("have partly overlapping views of a buffer", r.overlaps, 20);
  share("overwrite in place what was read", r.inPlace, 10);
  share("have buffers that several regions touch", r.acrossRegions, 10);
  share("share bytes in the workspace", r.shared, 10);
  share("have several segments", r.segments, 5);
  share("have eager breaks", r.breaks, 5);
  share("have an author's eager region", r.eager, 5);
  share("are one wide eager region", r.wide, 10);
  share("have a region that was split by cost", r.splitRegions);
  share("have absent branches", r.absent, 5);
  share("have views", r.views, 20);
  share("write parts of a buffer", r.split, 5);
  share("use caches", r.caches, 20);
  share("have several outputs", r.outputs, 10);
  share("have buffers of a fixed size", r.fixedBuffers, 10);
  share("have linear or norm ops", r.dense, 10);
  share("have host metadata", r.metadata[BRAID_METADATA_HOST], 10);
  share("have persistent metadata",
        r.metadata[BRAID_METADATA_DEVICE_PERSISTENT], 10);
  share("have transient metadata", r.metadata[BRAID_METADATA_DEVICE_TRANSIENT],
        10);
  share("ran as native code too", r.compiled);
  if (r.programs)
    llvm::outs() << llvm::format(
        "%.1f ops in the mean, %u at most; %.1f waits in the mean\n",
        double(r.ops) / r.programs, r.mostOps, double(r.waits) / r.programs);

  unsigned total = 0, wrong = 0, executed = 0, detected = 0;
  for (const MutantCounts *counts : {r.mutants, r.ofLayers})
    for (unsigned kind = 0; kind < NumMutantKinds; ++kind) {
      const MutantCounts &c = counts[kind];
      total += c.orderedAccepted + c.orderedRefused + c.unorderedAccepted +
               c.unorderedRefused;
      wrong += c.wrong;
      executed += c.executed;
      detected += c.detected;
    }
  if (r.mutated)
    printMutants("Mutants of " + std::to_string(r.mutated) + " programs",
                 r.mutants);
  if (withLayers)
    printMutants("Mutants of the layers", r.ofLayers);
  double seen = executed ? 100.0 * detected / executed : 100;
  // Of a handful of waits the share says little.
  isGood &= wrong == 0 && (executed < 100 || seen >= 95);

  llvm::outs() << "\n"
               << (isGood ? "PASSED" : "FAILED") << ": " << r.programs
               << " programs, " << r.failures << " failures; " << total
               << " mutants, " << wrong << " judged wrongly by sched-verify";
  if (executed)
    llvm::outs() << llvm::format(", %.1f %% of %u missing waits seen", seen,
                                 executed);
  llvm::outs() << llvm::format("; %.1f s; seeds from %llu\n", seconds,
                               static_cast<unsigned long long>(firstSeed));
  return isGood;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Random programs and mutants for Braid's scheduler\n");
#if defined(__linux__)
  // Short pauses of the streams are meant as they are said.
  prctl(PR_SET_TIMERSLACK, 1);
#endif
  unsigned numThreads = jobs;
  if (numThreads == 0)
    numThreads = 4 * std::max(1u, std::thread::hardware_concurrency());

  DialectRegistry registry;
  registerAllDialects(registry);
  braid::Timer timer;
  std::atomic<unsigned> next{0};
  constexpr unsigned numLayers = 6;
  unsigned numLayerTasks = withLayers ? numLayers : 0;
  unsigned numTasks = numLayerTasks + std::max(numPrograms, numMutated);
  std::atomic<unsigned> done{0};
  std::condition_variable changed;
  std::mutex mutex;
  unsigned running = numThreads;
  llvm::outs() << "Seeds " << firstSeed << " to "
               << firstSeed + (numTasks - numLayerTasks) - 1 << ", "
               << numThreads << " threads\n";
  llvm::outs().flush();

  auto work = [&] {
    auto compiler = std::make_unique<Compiler>(registry);
    unsigned since = 0;
    while (true) {
      unsigned task = next++;
      if (task >= numTasks || (timeLimit > 0 && timer.getSeconds() > timeLimit))
        break;
      if (task < numLayerTasks) {
        checkLayer(*compiler, task);
      } else {
        unsigned program = task - numLayerTasks;
        checkProgram(*compiler, firstSeed + program, program < numMutated);
      }
      ++done;
      // Attributes and types of old programs pile up in a context.
      if (++since % 500 == 0)
        compiler = std::make_unique<Compiler>(registry);
    }
    std::lock_guard<std::mutex> lock(mutex);
    --running;
    changed.notify_all();
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < numThreads; ++i)
    threads.emplace_back(work);
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (!changed.wait_for(lock, std::chrono::seconds(2),
                             [&] { return running == 0; })) {
      unsigned mutants = 0;
      {
        std::lock_guard<std::mutex> resultsLock(results.mutex);
        for (unsigned kind = 0; kind < NumMutantKinds; ++kind)
          for (const MutantCounts *counts : {results.mutants, results.ofLayers})
            mutants +=
                counts[kind].orderedAccepted + counts[kind].orderedRefused +
                counts[kind].unorderedAccepted + counts[kind].unorderedRefused;
      }
      std::lock_guard<std::mutex> outputLock(outputMutex);
      llvm::outs() << llvm::format(
          "%5.0f s: %u of %u done, %u mutants, %u failures\n",
          timer.getSeconds(), done.load(), numTasks, mutants, results.failures);
      llvm::outs().flush();
    }
  }
  for (std::thread &thread : threads)
    thread.join();
  return printSummary(timer.getSeconds()) ? 0 : 1;
}
