# Runs checks, counts what they tested, and prints the table at the end. Sourced by `check`.

LOGS="$ROOT/.cache/check"
mkdir -p "$LOGS"
ROWS=()
PASSED=0
FAILED=0

# measure NAME COMMAND... : runs it, keeps its output, and remembers how it went.
measure() {
  local name=$1 log="$LOGS/$1.log" from=$SECONDS code passed failed verdict=passed
  shift
  "$@" 2>&1 | tee "$log"
  code=${PIPESTATUS[0]}
  read -r passed failed < <(count "$log")
  # A step that counts no tests is one test itself; one that fails has failed somehow.
  if ((passed + failed == 0 && code == 0)); then passed=1; fi
  if ((code != 0 && failed == 0)); then failed=1; fi
  if ((failed)); then verdict=FAILED; fi
  PASSED=$((PASSED + passed))
  FAILED=$((FAILED + failed))
  ROWS+=("$(printf '%-10s %-7s %6d %6d   %s' "$name" "$verdict" "$passed" "$failed" \
    "$(duration $((SECONDS - from)))")")
}

# Adds up what cargo ("test result: ok. 3 passed; 0 failed"), vitest ("Tests  1 failed | 2
# passed (3)") and node:test ("pass 3", "fail 0") print.
count() {
  sed -E 's/\x1b\[[0-9;]*m//g' "$1" | awk '
    /^test result: /                        { sum("[0-9]+ passed", "[0-9]+ failed") }
    /^ *Tests  /                            { sum("[0-9]+ passed", "[0-9]+ failed") }
    / pass [0-9]+$/                         { sum("pass [0-9]+", "none") }
    / fail [0-9]+$/                         { sum("none", "fail [0-9]+") }
    function sum(p, f) {
      if (match($0, p)) passed += number(substr($0, RSTART, RLENGTH))
      if (match($0, f)) failed += number(substr($0, RSTART, RLENGTH))
    }
    function number(text) { gsub(/[^0-9]/, "", text); return text + 0 }
    END { print passed + 0, failed + 0 }'
}

# Prints the table and ends the program: 0 when nothing failed.
summary() {
  printf '\n%-10s %-7s %6s %6s   %s\n' step result passed failed time
  printf '%s\n' "${ROWS[@]}"
  printf 'all in %s\n\n%d passed, %d failed\n' "$(duration "$SECONDS")" "$PASSED" "$FAILED"
  ((FAILED == 0))
  exit
}
