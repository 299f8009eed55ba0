// RUN: braid-opt %s --sched-assign-streams --split-input-file --verify-diagnostics
// RUN: braid-opt %s --sched-gate-tokens --split-input-file --verify-diagnostics

// Facts about the target that cannot be read are errors, whoever reads them.

// expected-error @below {{target entry "braid.flops_per_second" is not known}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"braid.flops_per_second" = 1.0 : f64>>} {
}

// -----

// expected-error @below {{target entry "braid.bytes_per_second" is 4 : i64; expected a positive float}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"braid.bytes_per_second" = 4 : i64>>} {
}

// -----

// expected-error @below {{target entry "braid.wait_microseconds" is -1.000000e+00 : f64; expected a positive float}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"braid.wait_microseconds" = -1.0 : f64>>} {
}

// -----

// expected-error @below {{target entry "braid.token_threshold" is -1 : i64; expected an integer of at least 0}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"braid.token_threshold" = -1 : i64>>} {
}

// -----

// expected-error @below {{target entry "braid.token_threshold" is 4.096000e+03 : f64; expected an integer of at least 0}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"braid.token_threshold" = 4096.0 : f64>>} {
}

// -----

// expected-error @below {{target entry "braid.captures_streams" is 1 : i64; expected true or false}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"braid.captures_streams" = 1 : i64>>} {
}

// -----

// The negative twins: other prefixes, other devices and no facts at all.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<"vendor.flops_per_second" = 1 : i64, "braid.token_threshold" = 0 : i64>,
    "CPU" = #dlti.target_device_spec<"braid.flops_per_second" = 1 : i64>>} {
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"braid.flops_per_second" = 1 : i64>>} {
}
