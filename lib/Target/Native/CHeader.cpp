//===- CHeader.cpp - The C header of a compiled module --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints structs, comments and inline functions.
//
//===----------------------------------------------------------------------===//

#include "braid/Target/CHeader.h"

#include "braid/Analysis/ArgumentAccess.h"
#include "braid/Analysis/CaptureAnalysis.h"
#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "braid/runtime.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace braid;

namespace {

/// An argument as C sees it.
struct Argument {
  std::string name;    ///< an identifier
  std::string comment; ///< shape, type, and what it is
  StringRef dtype;     ///< BRAID_...
  ArrayRef<int64_t> shape;
  /// Strides that the function was compiled for; none: the array is dense.
  SmallVector<int64_t> strides;
  bool hasTokens;
  prefill::RopeAttr rope; ///< null: no rotary table
};

/// Prints the header of one module.
class HeaderPrinter {
public:
  HeaderPrinter(raw_ostream &os) : os(os) {}

  llvm::Error print(ModuleOp module, StringRef name);

private:
  llvm::Expected<std::vector<Argument>> readArguments(func::FuncOp function);
  llvm::Error printFunction(func::FuncOp function);
  void printStruct(StringRef name, ArrayRef<Argument> arguments);
  void printInitialize(StringRef name, ArrayRef<Argument> arguments);
  void printStrides(const Argument &argument);
  void printSetTokens(StringRef name, ArrayRef<Argument> arguments);
  void printRope(StringRef name, const Argument &argument);
  void printCalls(StringRef name);

  raw_ostream &os;
  ArgumentAccessAnalysis accesses;
};

} // namespace

std::string braid::makeCIdentifier(StringRef text) {
  std::string result;
  for (char c : text)
    result += llvm::isAlnum(c) ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result = "_" + result;
  // Of C99 and C++17, macros of compilers, and what each struct begins with.
  static const llvm::StringSet<> keywords = {
      "alignas",       "alignof",     "and",
      "and_eq",        "asm",         "auto",
      "bitand",        "bitor",       "bool",
      "break",         "case",        "catch",
      "char",          "class",       "compl",
      "const",         "const_cast",  "constexpr",
      "continue",      "decltype",    "default",
      "delete",        "do",          "double",
      "dynamic_cast",  "else",        "enum",
      "explicit",      "export",      "extern",
      "false",         "float",       "for",
      "friend",        "goto",        "if",
      "inline",        "int",         "long",
      "mutable",       "namespace",   "new",
      "noexcept",      "not",         "not_eq",
      "nullptr",       "operator",    "or",
      "or_eq",         "private",     "protected",
      "public",        "register",    "reinterpret_cast",
      "restrict",      "return",      "short",
      "signed",        "sizeof",      "static",
      "static_assert", "static_cast", "struct",
      "switch",        "template",    "this",
      "thread_local",  "throw",       "true",
      "try",           "typedef",     "typeid",
      "typename",      "union",       "unsigned",
      "using",         "virtual",     "void",
      "volatile",      "wchar_t",     "while",
      "xor",           "xor_eq",      "linux",
      "unix",          "struct_size"};
  if (keywords.contains(result))
    result += "_";
  return result;
}

bool braid::isCompiledEntry(func::FuncOp function) {
  return function.isPublic() && !function.isExternal() &&
         !function->hasAttr(sched::SchedDialect::getKernelAttrName());
}

static std::pair<StringRef, StringRef> getTypeNames(Type type) {
  if (type.isF32())
    return {"BRAID_F32", "f32"};
  if (type.isBF16())
    return {"BRAID_BF16", "bf16"};
  if (type.isF16())
    return {"BRAID_F16", "f16"};
  if (isa<Float8E4M3FNType>(type))
    return {"BRAID_F8E4M3", "f8e4m3"};
  if (isa<Float8E8M0FNUType>(type))
    return {"BRAID_F8E8M0", "f8e8m0 (2^(byte - 127))"};
  if (type.isInteger(8))
    return {"BRAID_I8", "bytes"};
  if (type.isInteger(32))
    return {"BRAID_I32", "i32"};
  return {"BRAID_I64", "i64"};
}

static StringRef getAccessText(sched::Access access) {
  switch (access) {
  case sched::Access::None:
    return "not used";
  case sched::Access::Read:
    return "read";
  case sched::Access::Write:
    return "written";
  case sched::Access::ReadWrite:
    return "read and written";
  }
  llvm_unreachable("unknown access");
}

llvm::Expected<std::vector<Argument>>
HeaderPrinter::readArguments(func::FuncOp function) {
  using prefill::PrefillDialect;
  std::vector<Argument> arguments;
  llvm::StringSet<> names;
  for (auto [index, value] : llvm::enumerate(function.getArguments())) {
    auto type = dyn_cast<MemRefType>(value.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!type || failed(type.getStridesAndOffset(strides, offset))) {
      std::string text;
      llvm::raw_string_ostream(text) << value.getType();
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "argument " + std::to_string(index) + " of function '" +
              function.getSymName() + "' has type '" + text +
              "'; expected a memref with strides");
    }
    Argument argument;
    auto name = function.getArgAttrOfType<StringAttr>(
        index, PrefillDialect::getNameAttrName());
    argument.name = makeCIdentifier(name ? name.getValue().str()
                                         : "argument" + std::to_string(index));
    if (!names.insert(argument.name).second)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "function '" + function.getSymName() +
                                         "' has two arguments that "
                                         "would both be called '" +
                                         argument.name +
                                         "' in C; expected different names");
    argument.shape = type.getShape();
    argument.hasTokens = bool(
        function.getArgAttr(index, sched::SchedDialect::getTokensAttrName()));
    auto [dtype, typeText] = getTypeNames(type.getElementType());
    argument.dtype = dtype;

    if (!type.getLayout().isIdentity())
      argument.strides = strides;

    llvm::raw_string_ostream comment(argument.comment);
    auto printNumbers = [&](ArrayRef<int64_t> numbers, bool firstIsTokens) {
      comment << "[";
      llvm::interleaveComma(
          llvm::enumerate(numbers), comment, [&](auto number) {
            if (!ShapedType::isDynamic(number.value()))
              comment << number.value();
            else
              comment << (number.index() == 0 && firstIsTokens ? "T" : "any");
          });
      comment << "]";
    };
    printNumbers(argument.shape, argument.hasTokens);
    comment << " " << typeText << ", "
            << getAccessText(accesses.get(function, index));
    if (!argument.strides.empty()) {
      comment << "; strides ";
      printNumbers(argument.strides, /*firstIsTokens=*/false);
    }
    if (sched::MetadataAttrInterface metadata = getMetadata(value)) {
      if (metadata.isHost())
        comment << "; host memory, read before the call returns";
      else if (metadata.isPersistent())
        comment << "; the same address in every call, contents refreshed "
                   "before each";
      else
        comment << "; the address may differ from call to call";
    }
    if (auto weights = function.getArgAttrOfType<ArrayAttr>(
            index, PrefillDialect::getWeightAttrName())) {
      comment << (weights.size() == 1 ? "; weight " : "; rows of weights ");
      llvm::interleave(
          weights, comment,
          [&](Attribute weight) {
            // A newline would end the comment.
            llvm::printEscapedString(cast<StringAttr>(weight), comment);
          },
          ", then ");
    }
    argument.rope = function.getArgAttrOfType<prefill::RopeAttr>(
        index, PrefillDialect::getRopeAttrName());
    if (argument.rope)
      comment << "; rotary table, see " << function.getSymName() << "_fill_"
              << argument.name;
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

void HeaderPrinter::printStruct(StringRef name, ArrayRef<Argument> arguments) {
  os << "/// Arguments of " << name << " for T tokens. Fill with\n"
     << "/// " << name << "_initialize first.\n"
     << "typedef struct " << name << "_arguments {\n"
     << "  size_t struct_size; ///< bytes of this struct\n";
  for (const Argument &argument : arguments)
    os << "  /// " << argument.comment << ".\n"
       << "  braid_tensor " << argument.name << ";\n";
  os << "} " << name << "_arguments;\n\n";
}

/// Sets the strides that the function was compiled for. One that may be any is
/// set as if there were no gap, if it is known what comes after it.
void HeaderPrinter::printStrides(const Argument &argument) {
  int64_t next = ShapedType::kDynamic;
  SmallVector<int64_t> strides = argument.strides;
  for (int64_t dim = strides.size() - 1; dim >= 0; --dim) {
    if (ShapedType::isDynamic(strides[dim]))
      strides[dim] = next;
    int64_t extent = argument.shape[dim];
    next = ShapedType::isDynamic(extent) || ShapedType::isDynamic(strides[dim])
               ? ShapedType::kDynamic
               : extent * strides[dim];
  }
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (!ShapedType::isDynamic(stride))
      os << "  arguments->" << argument.name << ".strides[" << dim
         << "] = " << stride << ";\n";
}

void HeaderPrinter::printInitialize(StringRef name,
                                    ArrayRef<Argument> arguments) {
  os << "/// Describes all arguments, without gaps where none have to be, for\n"
     << "/// `tokens` tokens. The caller sets each `data`, and where the\n"
     << "/// comment has an \"any\" also `sizes` and `strides`; without a "
        "word\n"
     << "/// of strides, with braid_tensor_set_dense.\n"
     << "static inline void " << name << "_initialize(" << name
     << "_arguments *arguments,\n    int64_t tokens) {\n"
     << "  memset(arguments, 0, sizeof(*arguments));\n"
     << "  arguments->struct_size = sizeof(*arguments);\n"
     << "  (void)tokens;\n";
  for (const Argument &argument : arguments) {
    os << "  arguments->" << argument.name << ".dtype = " << argument.dtype
       << ";\n  arguments->" << argument.name
       << ".rank = " << argument.shape.size() << ";\n";
    bool isKnown = true;
    for (auto [dim, extent] : llvm::enumerate(argument.shape)) {
      bool isTokens = dim == 0 && argument.hasTokens;
      if (ShapedType::isDynamic(extent) && !isTokens) {
        isKnown = false;
        continue;
      }
      os << "  arguments->" << argument.name << ".sizes[" << dim << "] = ";
      if (ShapedType::isDynamic(extent))
        os << "tokens;\n";
      else
        os << extent << ";\n";
    }
    if (!argument.strides.empty())
      printStrides(argument);
    else if (isKnown)
      os << "  braid_tensor_set_dense(&arguments->" << argument.name << ");\n";
  }
  os << "}\n\n";
}

void HeaderPrinter::printSetTokens(StringRef name,
                                   ArrayRef<Argument> arguments) {
  os << "/// Makes this a call for `tokens` tokens: the first rows of the "
        "same\n"
     << "/// arrays. Nothing but the extents called T changes.\n"
     << "static inline void " << name << "_set_tokens(" << name
     << "_arguments *arguments,\n    int64_t tokens) {\n"
     << "  (void)arguments;\n  (void)tokens;\n";
  for (const Argument &argument : arguments)
    if (argument.hasTokens)
      os << "  arguments->" << argument.name << ".sizes[0] = tokens;\n";
  os << "}\n\n";
}

void HeaderPrinter::printRope(StringRef name, const Argument &argument) {
  prefill::RopeAttr rope = argument.rope;
  auto print = [&](StringRef field, FloatAttr number) {
    if (number)
      os << "  rope." << field << " = "
         << llvm::format("%.17g", number.getValueAsDouble()) << ";\n";
  };
  int64_t dims = argument.shape.back();
  os << "/// Fills the table of `" << argument.name << "`, [positions, " << dims
     << "].\n"
     << "static inline braid_status " << name << "_fill_" << argument.name
     << "(int64_t positions,\n    float *table) {\n"
     << "  braid_rope rope;\n"
     << "  memset(&rope, 0, sizeof(rope));\n"
     << "  rope.struct_size = sizeof(rope);\n"
     << "  rope.dims = " << dims << ";\n";
  if (!rope.getFactor())
    os << "  rope.factor = 1;\n";
  print("theta", rope.getTheta());
  print("factor", rope.getFactor());
  print("beta_fast", rope.getBetaFast());
  print("beta_slow", rope.getBetaSlow());
  if (IntegerAttr original = rope.getOriginalPositions())
    os << "  rope.original_positions = " << original.getInt() << ";\n";
  os << "  return braid_fill_rope_table(&rope, positions, table);\n}\n\n";
}

void HeaderPrinter::printCalls(StringRef name) {
  os << "/// Writes to `*bytes` the workspace that T = `tokens` tokens need. "
        "The\n"
     << "/// context allocates it; this is for budgets.\n"
     << "static inline braid_status " << name
     << "_workspace_size(int64_t tokens,\n    size_t *bytes) {\n"
     << "  return braid_workspace_size(&braid_function_" << name
     << ", tokens, bytes);\n}\n\n";
  auto printCall = [&](StringRef verb, StringRef parameters, StringRef values,
                       StringRef what) {
    os << what << "static inline braid_status " << name << "_" << verb
       << "(braid_context *context,\n    const " << name
       << "_arguments *arguments," << parameters << " void *stream) {\n"
       << "  return braid_" << verb << "_arguments(context, &braid_function_"
       << name << ",\n      arguments," << values << " stream);\n}\n\n";
  };
  printCall("prepare", "", "",
            "/// Captures the graphs for these arguments and this token count; "
            "see\n/// braid_prepare.\n");
  printCall(
      "prepare_buckets",
      "\n    const int64_t *token_counts, int64_t num_token_counts,",
      " token_counts, num_token_counts,",
      "/// The same for several token counts, each with the first rows of "
      "these\n/// arguments; see braid_prepare_buckets.\n");
  printCall("execute", "", "",
            "/// Enqueues the work on `stream` and returns; see "
            "braid_execute.\n/// `stream` is NULL on the host.\n");
}

llvm::Error HeaderPrinter::printFunction(func::FuncOp function) {
  llvm::Expected<std::vector<Argument>> arguments = readArguments(function);
  if (!arguments)
    return arguments.takeError();
  StringRef name = function.getSymName();
  os << "//===- " << name << " "
     << std::string(std::max<int>(0, 62 - static_cast<int>(name.size())), '-')
     << "===//\n\n";
  os << "extern const braid_function braid_function_" << name << ";\n\n";
  printStruct(name, *arguments);
  printInitialize(name, *arguments);
  printSetTokens(name, *arguments);
  for (const Argument &argument : *arguments)
    if (argument.rope)
      printRope(name, argument);
  printCalls(name);
  return llvm::Error::success();
}

llvm::Error HeaderPrinter::print(ModuleOp module, StringRef name) {
  std::string guard = StringRef(makeCIdentifier(name)).upper() + "_H";
  os << "// " << name << ".h - Compiled by Braid " << BRAID_VERSION
     << "; generated, do not edit. Needs C99.\n//\n"
     << "// Statuses and contexts are those of braid/runtime.h. One context "
        "is\n"
     << "// used by one thread at a time.\n\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include <braid/runtime.h>\n#include <stddef.h>\n#include <stdint.h>\n"
     << "#include <string.h>\n\n"
     << "#if BRAID_ABI_MAJOR != " << BRAID_ABI_MAJOR << " || BRAID_ABI_MINOR < "
     << BRAID_ABI_MINOR << "\n#error \"" << name
     << ".h needs braid/runtime.h of Braid " << BRAID_VERSION
     << "; the one that was included is of another version\"\n#endif\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (auto function : module.getOps<func::FuncOp>())
    if (isCompiledEntry(function))
      if (llvm::Error error = printFunction(function))
        return error;
  os << "#ifdef __cplusplus\n}\n#endif\n\n#endif // " << guard << "\n";
  return llvm::Error::success();
}

llvm::Error braid::printCHeader(ModuleOp module, StringRef name,
                                raw_ostream &os) {
  return HeaderPrinter(os).print(module, name);
}
