//===- Interpreter.cpp - Runs a schedule without compiling it -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements Interpreter.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace braid;
using namespace braid::sched;
using namespace braid::stress;

/// The interpreter that this thread is in; the entry has no place for it.
static thread_local Interpreter *current = nullptr;

static int32_t getDtype(Type type) {
  if (type.isF32())
    return BRAID_F32;
  if (type.isBF16())
    return BRAID_BF16;
  if (type.isInteger(32))
    return BRAID_I32;
  if (type.isInteger(64))
    return BRAID_I64;
  llvm::report_fatal_error("an element type that the stress test does not "
                           "know");
}

/// The argument behind a view, or null.
static BlockArgument findArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<AllocOp>(op))
      return nullptr;
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

static int32_t getMetadataKind(Value value) {
  BlockArgument argument = findArgument(value);
  if (!argument)
    return BRAID_METADATA_NONE;
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  for (NamedAttribute attribute : mlir::function_interface_impl::getArgAttrs(
           function, argument.getArgNumber()))
    if (auto metadata = dyn_cast<MetadataAttrInterface>(attribute.getValue()))
      return metadata.isHost()         ? BRAID_METADATA_HOST
             : metadata.isPersistent() ? BRAID_METADATA_DEVICE_PERSISTENT
                                       : BRAID_METADATA_DEVICE_TRANSIENT;
  return BRAID_METADATA_NONE;
}

Value braid::stress::findTokenCarrier(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(),
                            SchedDialect::getTokensAttrName()))
      return argument;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

Interpreter::Interpreter(func::FuncOp function) : function(function) {
  accessesOfArguments.resize(function.getNumArguments());
  int64_t perToken = 0, fixed = 0;
  function.walk([&](Operation *op) {
    if (auto schedule = dyn_cast<ScheduleOp>(op)) {
      auto table = std::make_unique<braid_schedule>();
      table->struct_size = sizeof(*table);
      table->name = function.getSymName().data();
      table->num_streams = schedule.getNumStreams();
      table->num_events = schedule.getEvents().value_or(0);
      LinearAttr bytes = schedule.getWorkspaceAttr();
      table->workspace_per_token = bytes ? bytes.getPerToken() : 0;
      table->workspace_fixed = bytes ? bytes.getFixed() : 0;
      perToken = std::max(perToken, table->workspace_per_token);
      fixed = std::max(fixed, table->workspace_fixed);
      schedules[op] = std::move(table);
    } else if (auto dispatch = dyn_cast<DispatchOp>(op)) {
      auto table = std::make_unique<braid_dispatch>();
      table->struct_size = sizeof(*table);
      table->name = function.getSymName().data();
      table->bounds = dispatch.getBounds().data();
      table->num_bounds = dispatch.getBounds().size();
      table->gate = dispatch.getGate();
      dispatches[op] = std::move(table);
    } else if (isa<SegmentOp, EagerOp>(op)) {
      auto table = std::make_unique<RegionTable>();
      llvm::SetVector<Value> used;
      getUsedValuesDefinedAbove(op->getRegions(), used);
      for (Value value : used)
        if (isa<MemRefType>(value.getType())) {
          table->liveIns.push_back(value);
          table->metadata.push_back(getMetadataKind(value));
        }
      table->region.struct_size = sizeof(braid_region);
      auto name = op->getAttrOfType<StringAttr>("name");
      strings.push_back(name ? name.str() : "region");
      table->region.name = strings.back().c_str();
      table->region.location = "";
      table->region.num_live_ins = table->liveIns.size();
      table->region.metadata = table->metadata.data();
      regions[op] = std::move(table);
    } else if (auto launch = dyn_cast<LaunchOp>(op)) {
      auto work = cast<SchedulableOpInterface>(launch.getLaunchedOp());
      auto table = std::make_unique<LaunchTable>();
      for (OpOperand *operand : work.getKernelOperands()) {
        table->operands.push_back(operand ? operand->get() : Value());
        int32_t access = operand ? int32_t(work.getAccess(*operand)) : 0;
        table->accesses.push_back(access);
        table->metadata.push_back(!operand ? int32_t(BRAID_METADATA_NONE)
                                  : work.isHostOperand(*operand)
                                      ? int32_t(BRAID_METADATA_HOST)
                                      : getMetadataKind(operand->get()));
        if (operand)
          if (BlockArgument argument = findArgument(operand->get()))
            accessesOfArguments[argument.getArgNumber()] |= access;
      }
      for (NamedAttribute attribute : work->getAttrDictionary()) {
        braid_param param = {};
        if (auto integer = dyn_cast<IntegerAttr>(attribute.getValue())) {
          param.kind = BRAID_PARAM_INT;
          param.value.i = integer.getType().isInteger(1)
                              ? int64_t(integer.getValue().getZExtValue())
                              : integer.getValue().getSExtValue();
        } else if (auto number = dyn_cast<FloatAttr>(attribute.getValue())) {
          param.kind = BRAID_PARAM_FLOAT;
          param.value.f = number.getValueAsDouble();
        } else {
          continue;
        }
        strings.push_back(attribute.getName().str());
        param.name = strings.back().c_str();
        table->params.push_back(param);
      }
      strings.push_back(work.getKernelName().str());
      table->op.struct_size = sizeof(braid_op);
      table->op.name = strings.back().c_str();
      table->op.location = "";
      table->op.num_operands = table->operands.size();
      table->op.accesses = table->accesses.data();
      table->op.metadata = table->metadata.data();
      table->op.num_params = table->params.size();
      table->op.params = table->params.data();
      launches[op] = std::move(table);
    }
  });
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto type = cast<MemRefType>(argument.getType());
    bool hasTokens =
        bool(function.getArgAttr(index, SchedDialect::getTokensAttrName()));
    std::vector<int64_t> &sizes = extents.emplace_back();
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      sizes.push_back(!ShapedType::isDynamic(extent) ? extent
                      : dim == 0 && hasTokens        ? BRAID_SIZE_TOKENS
                                                     : BRAID_SIZE_ANY);
    strings.push_back("argument" + std::to_string(index));
    braid_argument entry = {};
    entry.struct_size = sizeof(entry);
    entry.name = strings.back().c_str();
    entry.dtype = getDtype(type.getElementType());
    entry.rank = type.getRank();
    entry.sizes = sizes.data();
    entry.access = accessesOfArguments[index];
    entry.metadata = getMetadataKind(argument);
    argumentTable.push_back(entry);
  }
  description.struct_size = sizeof(description);
  description.abi_major = BRAID_ABI_MAJOR;
  description.abi_minor = BRAID_ABI_MINOR;
  description.name = function.getSymName().data();
  description.num_arguments = argumentTable.size();
  description.arguments = argumentTable.data();
  description.workspace_per_token = perToken;
  description.workspace_fixed = fixed;
  description.entry = enter;
}

void Interpreter::describeAs(const braid_function &like) {
  description.name = like.name;
  description.arguments = like.arguments;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

braid_status Interpreter::prepare(braid_context *context, braid_call call) {
  current = this;
  call.function = &description;
  return braid_prepare(context, &call);
}

braid_status Interpreter::execute(braid_context *context, braid_call call) {
  current = this;
  call.function = &description;
  return braid_execute(context, &call);
}

void Interpreter::enter(braid_frame *frame, const braid_tensor *arguments) {
  Interpreter &self = *current;
  self.frame = frame;
  self.actual = arguments;
  self.tensors.clear();
  self.tensorOf.clear();
  self.tokens = 1;
  if (Value carrier = findTokenCarrier(self.function))
    self.tokens =
        arguments[cast<BlockArgument>(carrier).getArgNumber()].sizes[0];
  self.layouts =
      std::make_unique<LayoutEvaluator>(self.tokens, [&](Value base) {
        if (auto argument = dyn_cast<BlockArgument>(base)) {
          const braid_tensor &tensor = arguments[argument.getArgNumber()];
          Layout layout;
          layout.base = base;
          layout.sizes.assign(tensor.sizes, tensor.sizes + tensor.rank);
          layout.strides.assign(tensor.strides, tensor.strides + tensor.rank);
          return layout;
        }
        SmallVector<int64_t> sizes;
        for (int64_t extent : cast<MemRefType>(base.getType()).getShape())
          sizes.push_back(ShapedType::isDynamic(extent) ? self.tokens : extent);
        return makeContiguous(base, sizes);
      });
  self.runBlock(self.function.getBody().front());
}

const braid_tensor *Interpreter::getTensor(Value memref) {
  if (!memref)
    return nullptr;
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return &actual[argument.getArgNumber()];
  if (const braid_tensor *known = tensorOf.lookup(memref))
    return known;
  const Layout &layout = layouts->get(memref);
  braid_tensor &tensor = tensors.emplace_back();
  tensor = {};
  auto type = cast<MemRefType>(memref.getType());
  tensor.dtype = getDtype(type.getElementType());
  tensor.rank = layout.sizes.size();
  llvm::copy(layout.sizes, tensor.sizes);
  llvm::copy(layout.strides, tensor.strides);
  char *data;
  if (auto argument = dyn_cast<BlockArgument>(layout.base)) {
    data = static_cast<char *>(actual[argument.getArgNumber()].data);
  } else {
    LinearAttr place = layout.base.getDefiningOp<AllocOp>().getOffsetAttr();
    data = workspace + place.getPerToken() * tokens + place.getFixed();
  }
  tensor.data = data + layout.offset * (type.getElementTypeBitWidth() / 8);
  return tensorOf[memref] = &tensor;
}

void Interpreter::runBlock(Block &block) {
  for (Operation &op : block) {
    if (auto dispatch = dyn_cast<DispatchOp>(op)) {
      int32_t range = braid_rt_dispatch(frame, dispatches[&op].get(), tokens);
      runBlock(dispatch.getRanges()[range].front());
    } else if (auto schedule = dyn_cast<ScheduleOp>(op)) {
      runSchedule(schedule);
    } else if (auto segment = dyn_cast<SegmentOp>(op)) {
      runSegment(segment);
    } else if (auto eager = dyn_cast<EagerOp>(op)) {
      if (braid_rt_eager_begin(frame, &regions[&op]->region)) {
        runBlock(eager.getBody().front());
        braid_rt_eager_end(frame);
      }
    } else if (auto launch = dyn_cast<LaunchOp>(op)) {
      runLaunch(launch);
    } else if (auto record = dyn_cast<RecordOp>(op)) {
      braid_rt_record(frame,
                      cast<BlockArgument>(record.getStream()).getArgNumber(),
                      *record.getSlot());
    } else if (auto wait = dyn_cast<WaitOp>(op)) {
      for (Value event : wait.getEvents())
        braid_rt_wait(frame,
                      cast<BlockArgument>(wait.getStream()).getArgNumber(),
                      *event.getDefiningOp<RecordOp>().getSlot());
    } else if (op.getNumRegions() != 0 || isa<func::CallOp>(op)) {
      llvm::report_fatal_error("an op that the stress test does not know");
    }
  }
}

void Interpreter::runSchedule(ScheduleOp schedule) {
  // Places of buffers belong to the schedule.
  tensorOf.clear();
  workspace = static_cast<char *>(
      braid_rt_schedule_begin(frame, schedules[schedule].get(), tokens));
  runBlock(schedule.getBody().front());
  braid_rt_schedule_end(frame);
}

void Interpreter::runSegment(SegmentOp segment) {
  RegionTable &table = *regions[segment];
  SmallVector<const braid_tensor *> liveIns;
  for (Value value : table.liveIns)
    liveIns.push_back(getTensor(value));
  if (!braid_rt_segment_begin(frame, &table.region, liveIns.data()))
    return;
  runBlock(segment.getBody().front());
  braid_rt_segment_end(frame);
}

void Interpreter::runLaunch(LaunchOp launch) {
  LaunchTable &table = *launches[launch];
  SmallVector<const braid_tensor *> operands;
  for (Value value : table.operands)
    operands.push_back(getTensor(value));
  braid_rt_launch(frame, &table.op,
                  cast<BlockArgument>(launch.getStream()).getArgNumber(),
                  operands.data());
}
