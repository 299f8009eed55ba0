// RUN: braid-opt %s --sched-verify --verify-diagnostics

// Bytes: places in the workspace as functions of the token count, and views of
// one buffer. Every program runs two branches side by side, unless it says
// otherwise; whether they race depends on the places alone.

#safe = #sched.effect_class<graph_safe>

//===----------------------------------------------------------------------===//
// Places in the workspace
//===----------------------------------------------------------------------===//

// Behind each other for every token count.
func.func @behind_each_other(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    %a = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
    %b = sched.alloc(%t) at <256, 0> : memref<?x64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<?x64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main outs(%b : memref<?x64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// The same place.
func.func @same_place(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    // expected-note @below {{buffer of type 'memref<?x64xf32>' shares bytes with it, first for 1 tokens}}
    %a = sched.alloc(%t) at <256, 512> : memref<?x64xf32>
    // expected-note @below {{buffer of type 'memref<?x64xf32>' is here}}
    %b = sched.alloc(%t) at <256, 512> : memref<?x64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<?x64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op writes a buffer of type 'memref<?x64xf32>' (write-after-write), but nothing orders 'prefill.kernel @side' on %s1 before 'prefill.kernel @main' on %s0; expected a record after 'prefill.kernel @side' and a wait before 'prefill.kernel @main'}}
      prefill.kernel @main outs(%b : memref<?x64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// One ends where the other one begins.
func.func @touching(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    %a = sched.alloc at <0, 0> : memref<64xf32>
    %b = sched.alloc at <0, 256> : memref<64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// One byte too many.
func.func @last_byte(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    // expected-note @below {{buffer of type 'memref<257xi8>' shares bytes with it, first for 1 tokens}}
    %a = sched.alloc at <0, 0> : memref<257xi8>
    // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
    %b = sched.alloc at <0, 256> : memref<64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<257xi8>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op writes a buffer of type 'memref<64xf32>' (write-after-write), but nothing orders 'prefill.kernel @side' on %s1 before 'prefill.kernel @main' on %s0; expected a record after 'prefill.kernel @side' and a wait before 'prefill.kernel @main'}}
      prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Sizes are exact, not rounded up to what an allocation takes.
func.func @exact_size(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    %a = sched.alloc(%t) at <0, 0> : memref<?x63xf32>
    %b = sched.alloc(%t) at <256, 0> : memref<?x64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<?x63xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main outs(%b : memref<?x64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// A buffer that grows with the token count reaches a fixed place: 10 * 256 bytes
// are still below 2560, 11 are not.
func.func @grows_into(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    // expected-note @below {{buffer of type 'memref<?x64xf32>' shares bytes with it, first for 11 tokens}}
    %a = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
    // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
    %b = sched.alloc at <0, 2560> : memref<64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<?x64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op writes a buffer of type 'memref<64xf32>' (write-after-write), but nothing orders 'prefill.kernel @side' on %s1 before 'prefill.kernel @main' on %s0; expected a record after 'prefill.kernel @side' and a wait before 'prefill.kernel @main'}}
      prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Not up to 10 tokens.
func.func @grows_into_bounded(%t: index) {
  sched.dispatch on %t upto 10 {
    sched.schedule(%s0, %s1) tokens(%t) {
      %a = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
      %b = sched.alloc at <0, 2560> : memref<64xf32>
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @side outs(%a : memref<?x64xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  } otherwise {
  }
  return
}

func.func @grows_into_bound_too_high(%t: index) {
  sched.dispatch on %t upto 11 {
    sched.schedule(%s0, %s1) tokens(%t) {
      // expected-note @below {{buffer of type 'memref<?x64xf32>' shares bytes with it, first for 11 tokens}}
      %a = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
      // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
      %b = sched.alloc at <0, 2560> : memref<64xf32>
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
        prefill.kernel @side outs(%a : memref<?x64xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op writes a buffer of type 'memref<64xf32>' (write-after-write), but nothing orders 'prefill.kernel @side' on %s1 before 'prefill.kernel @main' on %s0; expected a record after 'prefill.kernel @side' and a wait before 'prefill.kernel @main'}}
        prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  } otherwise {
  }
  return
}

// A place that moves away with the token count: they meet below a bound only. At
// 3 tokens it starts at 768, the end of the fixed one.
func.func @moves_away(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    // expected-note @below {{buffer of type 'memref<192xf32>' shares bytes with it, first for 1 tokens}}
    %a = sched.alloc at <0, 0> : memref<192xf32>
    // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
    %b = sched.alloc at <256, 0> : memref<64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<192xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op writes a buffer of type 'memref<64xf32>' (write-after-write), but nothing orders 'prefill.kernel @side' on %s1 before 'prefill.kernel @main' on %s0; expected a record after 'prefill.kernel @side' and a wait before 'prefill.kernel @main'}}
      prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @moves_away_bounded(%t: index) {
  sched.dispatch on %t upto 2 {
  } otherwise {
    sched.schedule(%s0, %s1) tokens(%t) {
      %a = sched.alloc at <0, 0> : memref<192xf32>
      %b = sched.alloc at <256, 0> : memref<64xf32>
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @side outs(%a : memref<192xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  }
  return
}

func.func @moves_away_bound_too_low(%t: index) {
  sched.dispatch on %t upto 1 {
  } otherwise {
    sched.schedule(%s0, %s1) tokens(%t) {
      // expected-note @below {{buffer of type 'memref<192xf32>' shares bytes with it, first for 2 tokens}}
      %a = sched.alloc at <0, 0> : memref<192xf32>
      // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
      %b = sched.alloc at <256, 0> : memref<64xf32>
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
        prefill.kernel @side outs(%a : memref<192xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op writes a buffer of type 'memref<64xf32>' (write-after-write), but nothing orders 'prefill.kernel @side' on %s1 before 'prefill.kernel @main' on %s0; expected a record after 'prefill.kernel @side' and a wait before 'prefill.kernel @main'}}
        prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  }
  return
}

// They meet at 4 to 8 tokens: one passes the other.
func.func @middle_range(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    // expected-note @below {{buffer of type 'memref<64xf32>' shares bytes with it, first for 4 tokens}}
    %a = sched.alloc at <256, 0> : memref<64xf32>
    // expected-note @below {{buffer of type 'memref<320xf32>' is here}}
    %b = sched.alloc at <0, 1024> : memref<320xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op writes a buffer of type 'memref<320xf32>' (write-after-write), but nothing orders 'prefill.kernel @side' on %s1 before 'prefill.kernel @main' on %s0; expected a record after 'prefill.kernel @side' and a wait before 'prefill.kernel @main'}}
      prefill.kernel @main outs(%b : memref<320xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @middle_range_below(%t: index) {
  sched.dispatch on %t upto 3 {
    sched.schedule(%s0, %s1) tokens(%t) {
      %a = sched.alloc at <256, 0> : memref<64xf32>
      %b = sched.alloc at <0, 1024> : memref<320xf32>
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @side outs(%a : memref<64xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @main outs(%b : memref<320xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  } upto 8 {
  } otherwise {
  }
  return
}

func.func @middle_range_within(%t: index) {
  sched.dispatch on %t upto 3 {
  } upto 8 {
    sched.schedule(%s0, %s1) tokens(%t) {
      // expected-note @below {{buffer of type 'memref<64xf32>' shares bytes with it, first for 4 tokens}}
      %a = sched.alloc at <256, 0> : memref<64xf32>
      // expected-note @below {{buffer of type 'memref<320xf32>' is here}}
      %b = sched.alloc at <0, 1024> : memref<320xf32>
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
        prefill.kernel @side outs(%a : memref<64xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op writes a buffer of type 'memref<320xf32>' (write-after-write), but nothing orders 'prefill.kernel @side' on %s1 before 'prefill.kernel @main' on %s0; expected a record after 'prefill.kernel @side' and a wait before 'prefill.kernel @main'}}
        prefill.kernel @main outs(%b : memref<320xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  } otherwise {
  }
  return
}

func.func @middle_range_above(%t: index) {
  sched.dispatch on %t upto 3 {
  } upto 8 {
  } otherwise {
    sched.schedule(%s0, %s1) tokens(%t) {
      %a = sched.alloc at <256, 0> : memref<64xf32>
      %b = sched.alloc at <0, 1024> : memref<320xf32>
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @side outs(%a : memref<64xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @main outs(%b : memref<320xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  }
  return
}

// They would meet between two token counts: 512 * T passes a place of 256 bytes
// at 1792, between 3 and 4 tokens.
func.func @between_counts(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    %a = sched.alloc at <512, 0> : memref<64xf32>
    %b = sched.alloc at <0, 1792> : memref<64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Nothing runs for zero tokens.
func.func @no_tokens(%t: index) {
  sched.dispatch on %t upto 0 {
    sched.schedule(%s0, %s1) tokens(%t) {
      %a = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
      %b = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @side outs(%a : memref<?x64xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @main outs(%b : memref<?x64xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  } otherwise {
  }
  return
}

// A buffer without bytes shares none.
func.func @no_bytes(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    %a = sched.alloc(%t) at <0, 0> : memref<?x0xf32>
    %b = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<?x0xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main outs(%b : memref<?x64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// No 64-bit number overflows: 2^63 - 256 bytes for each of many tokens.
func.func @large(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    %a = sched.alloc(%t) at <9223372036854775552, 9223372036854775552> : memref<?x64xf32>
    %b = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<?x64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main outs(%b : memref<?x64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Size and place near 2^63: the first buffer ends at 2^63 - 256 for one token, and
// reaches the second one from two on.
func.func @large_meet(%t: index) {
  sched.schedule(%s0, %s1) tokens(%t) {
    // expected-note @below {{buffer of type 'memref<?x9223372036854775552xi8>' shares bytes with it, first for 2 tokens}}
    %a = sched.alloc(%t) at <0, 0> : memref<?x9223372036854775552xi8>
    // expected-note @below {{buffer of type 'memref<256xi8>' is here}}
    %b = sched.alloc at <0, 9223372036854775552> : memref<256xi8>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<?x9223372036854775552xi8>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op writes a buffer of type 'memref<256xi8>' (write-after-write), but nothing orders 'prefill.kernel @side' on %s1 before 'prefill.kernel @main' on %s0; expected a record after 'prefill.kernel @side' and a wait before 'prefill.kernel @main'}}
      prefill.kernel @main outs(%b : memref<256xi8>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// A threshold that may be replaced at run time is no bound.
func.func @gate(%t: index) {
  sched.dispatch on %t upto 10 {
    sched.schedule(%s0, %s1) tokens(%t) {
      // expected-note @below {{shares bytes with it, first for 11 tokens}}
      %a = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
      // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
      %b = sched.alloc at <0, 2560> : memref<64xf32>
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        // expected-note @below {{writes it here}}
        prefill.kernel @side outs(%a : memref<?x64xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        // expected-error @below {{op writes a buffer of type 'memref<64xf32>' (write-after-write)}}
        prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  } otherwise {
  } {gate}
  return
}

// Nor is a choice by another number.
func.func @other_number(%t: index, %u: index) {
  sched.dispatch on %u upto 10 {
    sched.schedule(%s0, %s1) tokens(%t) {
      // expected-note @below {{shares bytes with it, first for 11 tokens}}
      %a = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
      // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
      %b = sched.alloc at <0, 2560> : memref<64xf32>
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        // expected-note @below {{writes it here}}
        prefill.kernel @side outs(%a : memref<?x64xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        // expected-error @below {{op writes a buffer of type 'memref<64xf32>' (write-after-write)}}
        prefill.kernel @main outs(%b : memref<64xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  } otherwise {
  }
  return
}

// Buffers without places are distinct; with the same place they may follow each
// other.
func.func @in_turn(%o: memref<64xf32>) {
  sched.schedule(%s0, %s1) {
    %a = sched.alloc at <0, 0> : memref<64xf32>
    %b = sched.alloc at <0, 0> : memref<64xf32>
    %c = sched.alloc : memref<64xf32>
    %d = sched.alloc : memref<64xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @c outs(%c : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @d outs(%d : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      prefill.kernel @a outs(%a : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      prefill.kernel @use ins(%a : memref<64xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
    sched.launch on %s0 {
      prefill.kernel @b outs(%b : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @use ins(%b : memref<64xf32>) {effect = #safe}
    }
  }
  return
}

// The bytes are taken while the contents are still needed: ordered, and wrong.
func.func @taken(%o: memref<64xf32>) {
  sched.schedule(%s0) {
    // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
    %a = sched.alloc at <0, 0> : memref<64xf32>
    // expected-note @below {{buffer of type 'memref<128xf32>' shares bytes with it, first for 1 tokens}}
    %b = sched.alloc at <0, 0> : memref<128xf32>
    sched.launch on %s0 {
      prefill.kernel @a outs(%a : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-note @below {{'prefill.kernel @b' overwrites it here, on %s0}}
      prefill.kernel @b outs(%b : memref<128xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads a buffer of type 'memref<64xf32>' after 'prefill.kernel @b' wrote another buffer into its bytes; expected buffers that are needed at the same time to share none}}
      prefill.kernel @use ins(%a : memref<64xf32>) {effect = #safe}
    }
  }
  return
}

// Written again in between.
func.func @taken_and_written() {
  sched.schedule(%s0) {
    %a = sched.alloc at <0, 0> : memref<64xf32>
    %b = sched.alloc at <0, 0> : memref<64xf32>
    sched.launch on %s0 {
      prefill.kernel @a outs(%a : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @b outs(%b : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @a outs(%a : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @use ins(%a : memref<64xf32>) {effect = #safe}
    }
  }
  return
}

// Taken by the iteration before.
func.func @taken_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0) {
    // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
    %a = sched.alloc at <0, 0> : memref<64xf32>
    // expected-note @below {{shares bytes with it, first for 1 tokens}}
    %b = sched.alloc at <0, 0> : memref<64xf32>
    sched.launch on %s0 {
      prefill.kernel @a outs(%a : memref<64xf32>) {effect = #safe}
    }
    scf.for %i = %c0 to %n step %c1 {
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op reads a buffer of type 'memref<64xf32>' after 'prefill.kernel @b' wrote another buffer into its bytes}}
        prefill.kernel @use ins(%a : memref<64xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        // expected-note @below {{'prefill.kernel @b' overwrites it here, on %s0}}
        prefill.kernel @b outs(%b : memref<64xf32>) {effect = #safe}
      }
    }
  }
  return
}

// A buffer of the loop begins anew in every iteration.
func.func @made_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0) {
    scf.for %i = %c0 to %n step %c1 {
      // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
      %a = sched.alloc at <0, 0> : memref<64xf32>
      scf.for %j = %c0 to %i step %c1 {
        sched.launch on %s0 {
          prefill.kernel @a outs(%a : memref<64xf32>) {effect = #safe}
        }
      }
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op reads a buffer of type 'memref<64xf32>', which not every path to it writes}}
        prefill.kernel @use ins(%a : memref<64xf32>) {effect = #safe}
      }
    }
  }
  return
}

// One op must not get two buffers in the same bytes; a buffer that is updated in
// place is its own affair.
func.func @one_op() {
  sched.schedule(%s0) {
    // expected-note @below {{shares bytes with it, first for 1 tokens}}
    %a = sched.alloc at <0, 0> : memref<64xf32>
    // expected-note @below {{buffer of type 'memref<64xf32>' is here}}
    %b = sched.alloc at <0, 0> : memref<64xf32>
    sched.launch on %s0 {
      prefill.kernel @a outs(%a : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @update ins(%a : memref<64xf32>) outs(%a : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op uses a buffer of type 'memref<64xf32>' and another buffer that shares bytes with it, and writes one of them; expected distinct memory}}
      prefill.kernel @move ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) {effect = #safe}
    }
  }
  return
}

// A write of some of the bytes hides the earlier write of the others from nobody.
func.func @partly_covered() {
  sched.schedule(%s0, %s1, %s2) {
    // expected-note @below {{buffer of type 'memref<128xf32>' shares bytes with it, first for 1 tokens}}
    %a = sched.alloc at <0, 0> : memref<128xf32>
    %b = sched.alloc at <0, 0> : memref<64xf32>
    // expected-note @below {{buffer of type 'memref<32xf32>' is here}}
    %c = sched.alloc at <0, 256> : memref<32xf32>
    sched.fork %s0 to %s1, %s2
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @a' writes it here, on %s1}}
      prefill.kernel @a outs(%a : memref<128xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
    sched.launch on %s0 {
      prefill.kernel @b outs(%b : memref<64xf32>) {effect = #safe}
    }
    sched.launch on %s2 {
      // expected-error @below {{'prefill.kernel' op writes a buffer of type 'memref<32xf32>' (write-after-write), but nothing orders 'prefill.kernel @a' on %s1 before 'prefill.kernel @c' on %s2}}
      prefill.kernel @c outs(%c : memref<32xf32>) {effect = #safe}
    }
    sched.join %s2 into %s0
  }
  return
}

// So with columns.
// expected-note @below {{argument 0 is here}}
func.func @columns_partly_covered(%x: memref<4x128xf32>) {
  %b = memref.subview %x[0, 0] [4, 64] [1, 1] : memref<4x128xf32> to memref<4x64xf32, strided<[128, 1]>>
  %c = memref.subview %x[0, 64] [4, 64] [1, 1] : memref<4x128xf32> to memref<4x64xf32, strided<[128, 1], offset: 64>>
  sched.schedule(%s0, %s1, %s2) {
    sched.fork %s0 to %s1, %s2
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @a' writes it here, on %s1}}
      prefill.kernel @a outs(%x : memref<4x128xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
    sched.launch on %s0 {
      prefill.kernel @b outs(%b : memref<4x64xf32, strided<[128, 1]>>) {effect = #safe}
    }
    sched.launch on %s2 {
      // expected-error @below {{'prefill.kernel' op writes argument 0 (write-after-write), but nothing orders 'prefill.kernel @a' on %s1 before 'prefill.kernel @c' on %s2}}
      prefill.kernel @c outs(%c : memref<4x64xf32, strided<[128, 1], offset: 64>>) {effect = #safe}
    }
    sched.join %s2 into %s0
  }
  return
}

// No buffer ends above the workspace.
func.func @workspace(%t: index) {
  // expected-note @below {{the workspace is #sched.linear<256, 1024> here}}
  sched.schedule(%s0) tokens(%t) workspace(#sched.linear<256, 1024>) {
    %a = sched.alloc(%t) at <0, 1024> : memref<?x64xf32>
    %b = sched.alloc at <256, 0> : memref<256xf32>
    // expected-error @below {{'sched.alloc' op ends above the workspace for 5 tokens}}
    %c = sched.alloc(%t) at <0, 0> : memref<?x128xf32>
  }
  return
}

// One token count for all.
// expected-note @below {{that one is here}}
// expected-note @below {{this one is here}}
func.func @two_counts(%t: index, %u: index) {
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) at <0, 0> : memref<?x64xf32>
    // expected-error @below {{'sched.alloc' op takes another token count than its schedule or another buffer of it; expected one for all}}
    %b = sched.alloc(%u) at <256, 0> : memref<?x64xf32>
  }
  return
}

//===----------------------------------------------------------------------===//
// Views of one buffer
//===----------------------------------------------------------------------===//

// Columns of one fused result, as many rows as there are tokens.
func.func @columns(%x: memref<?x2048xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0] [%t, 1536] [1, 1] : memref<?x2048xf32> to memref<?x1536xf32, strided<[2048, 1]>>
  %b = memref.subview %x[0, 1536] [%t, 512] [1, 1] : memref<?x2048xf32> to memref<?x512xf32, strided<[2048, 1], offset: 1536>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<?x1536xf32, strided<[2048, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main ins(%b : memref<?x512xf32, strided<[2048, 1], offset: 1536>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// expected-note @below {{'x' is here}}
func.func @columns_overlap(%x: memref<?x2048xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0] [%t, 1536] [1, 1] : memref<?x2048xf32> to memref<?x1536xf32, strided<[2048, 1]>>
  %b = memref.subview %x[0, 1535] [%t, 512] [1, 1] : memref<?x2048xf32> to memref<?x512xf32, strided<[2048, 1], offset: 1535>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<?x1536xf32, strided<[2048, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<?x512xf32, strided<[2048, 1], offset: 1535>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// expected-note @below {{'x' is here}}
func.func @whole_and_columns(%x: memref<?x2048xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0] [%t, 1536] [1, 1] : memref<?x2048xf32> to memref<?x1536xf32, strided<[2048, 1]>>
  %b = memref.cast %x : memref<?x2048xf32> to memref<?x?xf32>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<?x1536xf32, strided<[2048, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<?x?xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Columns of a row that is not known.
func.func @columns_of_any_row(%x: memref<?x2048xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[%i, 0] [1, 512] [1, 1] : memref<?x2048xf32> to memref<1x512xf32, strided<[2048, 1], offset: ?>>
  %b = memref.subview %x[%t, 512] [1, 512] [1, 1] : memref<?x2048xf32> to memref<1x512xf32, strided<[2048, 1], offset: ?>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<1x512xf32, strided<[2048, 1], offset: ?>>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main ins(%b : memref<1x512xf32, strided<[2048, 1], offset: ?>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Rows that are not known.
// expected-note @below {{'x' is here}}
func.func @any_rows(%x: memref<?x2048xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[%i, 0] [1, 512] [1, 1] : memref<?x2048xf32> to memref<1x512xf32, strided<[2048, 1], offset: ?>>
  %b = memref.subview %x[%t, 0] [1, 512] [1, 1] : memref<?x2048xf32> to memref<1x512xf32, strided<[2048, 1], offset: ?>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<1x512xf32, strided<[2048, 1], offset: ?>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<1x512xf32, strided<[2048, 1], offset: ?>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// The last channels of every head, and all the others.
func.func @rope_part(%x: memref<?x64x512xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0, 0] [%t, 64, 448] [1, 1, 1] : memref<?x64x512xf32> to memref<?x64x448xf32, strided<[32768, 512, 1]>>
  %b = memref.subview %x[0, 0, 448] [%t, 64, 64] [1, 1, 1] : memref<?x64x512xf32> to memref<?x64x64xf32, strided<[32768, 512, 1], offset: 448>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<?x64x448xf32, strided<[32768, 512, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main ins(%b : memref<?x64x64xf32, strided<[32768, 512, 1], offset: 448>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// expected-note @below {{'x' is here}}
func.func @rope_part_overlap(%x: memref<?x64x512xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0, 0] [%t, 64, 449] [1, 1, 1] : memref<?x64x512xf32> to memref<?x64x449xf32, strided<[32768, 512, 1]>>
  %b = memref.subview %x[0, 0, 448] [%t, 64, 64] [1, 1, 1] : memref<?x64x512xf32> to memref<?x64x64xf32, strided<[32768, 512, 1], offset: 448>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<?x64x449xf32, strided<[32768, 512, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<?x64x64xf32, strided<[32768, 512, 1], offset: 448>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Groups of heads.
func.func @head_groups(%x: memref<?x64x512xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0, 0] [%t, 32, 512] [1, 1, 1] : memref<?x64x512xf32> to memref<?x32x512xf32, strided<[32768, 512, 1]>>
  %b = memref.subview %x[0, 32, 0] [%t, 32, 512] [1, 1, 1] : memref<?x64x512xf32> to memref<?x32x512xf32, strided<[32768, 512, 1], offset: 16384>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<?x32x512xf32, strided<[32768, 512, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main ins(%b : memref<?x32x512xf32, strided<[32768, 512, 1], offset: 16384>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// expected-note @below {{'x' is here}}
func.func @heads_meet(%x: memref<?x64x512xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0, 0] [%t, 33, 512] [1, 1, 1] : memref<?x64x512xf32> to memref<?x33x512xf32, strided<[32768, 512, 1]>>
  %b = memref.subview %x[0, 32, 448] [%t, 32, 64] [1, 1, 1] : memref<?x64x512xf32> to memref<?x32x64xf32, strided<[32768, 512, 1], offset: 16832>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<?x33x512xf32, strided<[32768, 512, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<?x32x64xf32, strided<[32768, 512, 1], offset: 16832>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Rows at fixed places.
func.func @rows(%x: memref<16x8xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0] [8, 8] [1, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  %b = memref.subview %x[8, 0] [8, 8] [1, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[8, 1], offset: 64>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<8x8xf32, strided<[8, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main ins(%b : memref<8x8xf32, strided<[8, 1], offset: 64>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// expected-note @below {{'x' is here}}
func.func @rows_overlap(%x: memref<16x8xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0] [9, 8] [1, 1] : memref<16x8xf32> to memref<9x8xf32, strided<[8, 1]>>
  %b = memref.subview %x[8, 0] [8, 8] [1, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[8, 1], offset: 64>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<9x8xf32, strided<[8, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<8x8xf32, strided<[8, 1], offset: 64>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Even and odd rows.
func.func @every_other_row(%x: memref<16x8xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0] [8, 8] [2, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[16, 1]>>
  %b = memref.subview %x[1, 0] [8, 8] [2, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[16, 1], offset: 8>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<8x8xf32, strided<[16, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main ins(%b : memref<8x8xf32, strided<[16, 1], offset: 8>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// expected-note @below {{'x' is here}}
func.func @every_other_row_same(%x: memref<16x8xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0] [8, 8] [2, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[16, 1]>>
  %b = memref.subview %x[2, 0] [7, 8] [2, 1] : memref<16x8xf32> to memref<7x8xf32, strided<[16, 1], offset: 16>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<8x8xf32, strided<[16, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<7x8xf32, strided<[16, 1], offset: 16>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Rows 0, 2, ... and 1, 4, ... meet at 4.
// expected-note @below {{'x' is here}}
func.func @every_second_and_third_row(%x: memref<16x8xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.subview %x[0, 0] [8, 8] [2, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[16, 1]>>
  %b = memref.subview %x[1, 0] [5, 8] [3, 1] : memref<16x8xf32> to memref<5x8xf32, strided<[24, 1], offset: 8>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<8x8xf32, strided<[16, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<5x8xf32, strided<[24, 1], offset: 8>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Views of views.
func.func @nested(%x: memref<?x2048xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a0 = memref.subview %x[0, 0] [%t, 1024] [1, 1] : memref<?x2048xf32> to memref<?x1024xf32, strided<[2048, 1]>>
  %a = memref.subview %a0[0, 768] [%t, 256] [1, 1] : memref<?x1024xf32, strided<[2048, 1]>> to memref<?x256xf32, strided<[2048, 1], offset: 768>>
  %b0 = memref.subview %x[0, 1024] [%t, 1024] [1, 1] : memref<?x2048xf32> to memref<?x1024xf32, strided<[2048, 1], offset: 1024>>
  %b = memref.subview %b0[0, 0] [%t, 256] [1, 1] : memref<?x1024xf32, strided<[2048, 1], offset: 1024>> to memref<?x256xf32, strided<[2048, 1], offset: 1024>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<?x256xf32, strided<[2048, 1], offset: 768>>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main ins(%b : memref<?x256xf32, strided<[2048, 1], offset: 1024>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// expected-note @below {{'x' is here}}
func.func @nested_overlap(%x: memref<?x2048xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a0 = memref.subview %x[0, 0] [%t, 1024] [1, 1] : memref<?x2048xf32> to memref<?x1024xf32, strided<[2048, 1]>>
  %a = memref.subview %a0[0, 768] [%t, 256] [1, 1] : memref<?x1024xf32, strided<[2048, 1]>> to memref<?x256xf32, strided<[2048, 1], offset: 768>>
  %b0 = memref.subview %x[0, 768] [%t, 1024] [1, 1] : memref<?x2048xf32> to memref<?x1024xf32, strided<[2048, 1], offset: 768>>
  %b = memref.subview %b0[0, 0] [%t, 256] [1, 1] : memref<?x1024xf32, strided<[2048, 1], offset: 768>> to memref<?x256xf32, strided<[2048, 1], offset: 768>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<?x256xf32, strided<[2048, 1], offset: 768>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<?x256xf32, strided<[2048, 1], offset: 768>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Reshaped columns keep their place.
func.func @reshaped(%x: memref<?x2048xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a0 = memref.subview %x[0, 0] [%t, 1024] [1, 1] : memref<?x2048xf32> to memref<?x1024xf32, strided<[2048, 1]>>
  %a = memref.expand_shape %a0 [[0], [1, 2]] output_shape [%t, 2, 512] : memref<?x1024xf32, strided<[2048, 1]>> into memref<?x2x512xf32, strided<[2048, 512, 1]>>
  %b0 = memref.subview %x[0, 1024] [%t, 1024] [1, 1] : memref<?x2048xf32> to memref<?x1024xf32, strided<[2048, 1], offset: 1024>>
  %b = memref.expand_shape %b0 [[0], [1, 2]] output_shape [%t, 2, 512] : memref<?x1024xf32, strided<[2048, 1], offset: 1024>> into memref<?x2x512xf32, strided<[2048, 512, 1], offset: 1024>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%a : memref<?x2x512xf32, strided<[2048, 512, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @main ins(%b : memref<?x2x512xf32, strided<[2048, 512, 1], offset: 1024>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// expected-note @below {{'x' is here}}
func.func @reshaped_overlap(%x: memref<?x2048xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a0 = memref.subview %x[0, 0] [%t, 1024] [1, 1] : memref<?x2048xf32> to memref<?x1024xf32, strided<[2048, 1]>>
  %a = memref.expand_shape %a0 [[0], [1, 2]] output_shape [%t, 2, 512] : memref<?x1024xf32, strided<[2048, 1]>> into memref<?x2x512xf32, strided<[2048, 512, 1]>>
  %b0 = memref.subview %x[0, 1023] [%t, 1024] [1, 1] : memref<?x2048xf32> to memref<?x1024xf32, strided<[2048, 1], offset: 1023>>
  %b = memref.expand_shape %b0 [[0], [1, 2]] output_shape [%t, 2, 512] : memref<?x1024xf32, strided<[2048, 1], offset: 1023>> into memref<?x2x512xf32, strided<[2048, 512, 1], offset: 1023>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<?x2x512xf32, strided<[2048, 512, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<?x2x512xf32, strided<[2048, 512, 1], offset: 1023>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// A view whose place cannot be followed may be anywhere.
// expected-note @below {{'x' is here}}
func.func @reinterpreted(%x: memref<?x2048xf32> {prefill.name = "x"}, %t: index, %i: index) {
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [%t, 512], strides: [2048, 1] : memref<?x2048xf32> to memref<?x512xf32, strided<[2048, 1]>>
  %b = memref.subview %x[0, 512] [%t, 512] [1, 1] : memref<?x2048xf32> to memref<?x512xf32, strided<[2048, 1], offset: 512>>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%a : memref<?x512xf32, strided<[2048, 1]>>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'x' (read-after-write)}}
      prefill.kernel @main ins(%b : memref<?x512xf32, strided<[2048, 1], offset: 512>>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Two globals, and one global twice.
memref.global "private" @g : memref<4xf32> = uninitialized
memref.global "private" @h : memref<4xf32> = uninitialized
func.func @globals() {
  %g = memref.get_global @g : memref<4xf32>
  // expected-note @above {{global 'g' is here}}
  %again = memref.get_global @g : memref<4xf32>
  %h = memref.get_global @h : memref<4xf32>
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' writes it here, on %s1}}
      prefill.kernel @side outs(%g : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @other outs(%h : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op writes global 'g' (write-after-write)}}
      prefill.kernel @main outs(%again : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}
