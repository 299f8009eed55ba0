#===- common.sh - What the scripts share ---------------------------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
#
# Sourced, not run. Expects `script` (the script's name) to be set.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# fail SENTENCE: the one line that a failure ends with.
fail() {
  echo "$script: error: $*" >&2
  exit 1
}

# say SENTENCE: what is being done now.
say() {
  echo "== $*"
}

# shown PATH: relative to the repository where it lies inside.
shown() {
  echo "${1#"$root"/}"
}

# check_preset NAME: fails unless CMakePresets.json has such a preset.
check_preset() {
  local presets='dev release static package asan-ubsan tsan'
  case " $presets " in
    *" $1 "*) ;;
    *) fail "unknown preset '$1'; there are ${presets// /, }" ;;
  esac
}

# run_step WHAT LOG COMMAND...: runs a command with its output in a log, says
# every few seconds how far it is, and how long it took.
run_step() {
  local what=$1 log=$2 begin=$SECONDS next=$((SECONDS + 5)) pid line
  shift 2
  mkdir -p "$(dirname "$log")"
  say "$what"
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  trap 'kill "$pid" 2>/dev/null || true; wait "$pid" || true; fail "interrupted: ${what,}"' INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.1
    if [ $SECONDS -ge $next ]; then
      line=$(tail -n 1 "$log" | tr -d '\r' | cut -c 1-100)
      echo "   $((SECONDS - begin)) s: $line"
      next=$((SECONDS + 15))
    fi
  done
  trap - INT TERM
  if ! wait "$pid"; then
    # The first line that looks like the reason; CMake's comes on the next one.
    line=$(grep -m 1 -A 1 -E '(^|[^[:alnum:]_-])(error|Error|E):|CMake Error' "$log" ||
      grep -m 1 'FAILED:' "$log" || true)
    line=$(sed -n '1 { /:$/ N; s/\n */ /; p; }' <<<"$line")
    fail "${what,} failed after $((SECONDS - begin)) s${line:+: ${line:0:200}}; the log is $(shown "$log")"
  fi
  echo "   done in $((SECONDS - begin)) s"
}
