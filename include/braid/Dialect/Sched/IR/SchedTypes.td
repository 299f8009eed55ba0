//===- SchedTypes.td - Types of the sched dialect ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams and events.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SCHED_IR_SCHEDTYPES_TD
#define BRAID_DIALECT_SCHED_IR_SCHEDTYPES_TD

include "braid/Dialect/Sched/IR/SchedAttrs.td"

class Sched_Type<string name, string typeMnemonic>
    : TypeDef<Sched_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Sched_Stream : Sched_Type<"Stream", "stream"> {
  let summary = "an in-order queue of work";
}

def Sched_Event : Sched_Type<"Event", "event"> {
  let summary = "one recording: the work enqueued on a stream up to a point";
}

#endif // BRAID_DIALECT_SCHED_IR_SCHEDTYPES_TD
