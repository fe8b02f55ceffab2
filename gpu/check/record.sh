#!/usr/bin/env bash
# Makes the record of checks on a machine with a GPU, a part at a time, side by side on all cores:
#   gpu/check/record.sh BUILD OUT PART..    with BUILD/socketlab and BUILD/gpu/planted/libplanted-*.so
# Parts: machine quick full seeds memcheck initcheck synccheck racecheck kills. A part writes its line to OUT/checks.csv
# (exit codes, cases, failures, comparisons, seconds) and its logs to OUT/logs; seeds also OUT/seeds.csv, kills also
# OUT/kill_matrix.csv. Exit 1 if a part is not as expected. A part that was cut off is run again.
set -u
build=$1
out=$2
shift 2
here=$(dirname "$0")
cores=$(getconf _NPROCESSORS_ONLN)
# Racecheck follows every access to shared memory: of the quick grid it leaves out the cases above these sizes.
race_keys=${RACE_KEYS:-4096}
race_buckets=${RACE_BUCKETS:-65536}
mkdir -p "$out/logs"
[ -e "$out/checks.csv" ] || echo "part,command,processes,exit_codes,cases,failed,comparisons,sanitizer_errors,seconds" > "$out/checks.csv"
failed=0

now() { date +%s.%N; }

# Sums over the logs of a part: cases, failures, comparisons, and what a sanitizer counted; "missing" if a log has none.
cases_of() { cat "$@" | awk '/cases failed/ { failed += $1; cases += $3 } END { printf "%d,%d", cases, failed }'; }
comparisons_of() { cat "$@" | awk 'NF == 7 && $2 ~ /^[0-9]+$/ { sum += $5 } END { printf "%d", sum }'; }
errors_of() {
  for log in "$@"; do
    grep -h -o 'SUMMARY: [0-9]* \(errors\|hazards\)' "$log" || echo "SUMMARY: missing"
  done | awk '$2 == "missing" { missing = 1 } { sum += $2 } END { print missing ? "missing" : sum + 0 }'
}

# record PART COMMAND PROCESSES SECONDS CODES: a line from the part's logs.
record() {
  local logs=("$out/logs/$1"-*.log) errors=""
  case "$2" in *compute-sanitizer*) errors=$(errors_of "${logs[@]}") ;; esac
  echo "$1,$2,$3,$5,$(cases_of "${logs[@]}"),$(comparisons_of "${logs[@]}"),$errors,$4" | tee -a "$out/checks.csv"
  [ "$5" = 0 ] || failed=1
}

# sliced PART COMMAND..: the command once for each core, each on its slice of the cases.
sliced() {
  local part=$1 begin
  shift
  begin=$(now)
  rm -f "$out/logs/$part"-*
  for i in $(seq "$cores"); do
    { OMP_NUM_THREADS=1 "$@" --slice "$i/$cores" > "$out/logs/$part-$i.log" 2>&1; echo $? > "$out/logs/$part-$i.code"; } &
  done
  wait
  record "$part" "$(echo "$* --slice i/$cores" | sed "s|$build/||")" "$cores" \
    "$(awk "BEGIN { printf \"%.1f\", $(now) - $begin }")" "$(cat "$out/logs/$part"-*.code | sort -u | tr '\n' ' ' | sed 's/ $//')"
}

sanitized() {
  local tool=$1
  shift
  sliced "$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 "$build/socketlab" gpu-check "$@"
}

machine() {
  { nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader
    compute-sanitizer --version | grep Version
    echo "cores $cores"
    "$build/socketlab" --version; } | tee "$out/machine.txt"
}

quick() {  # one process, as a user runs it
  local begin
  begin=$(now)
  "$build/socketlab" gpu-check > "$out/logs/quick-1.log" 2>&1
  local code=$?
  record quick "socketlab gpu-check" 1 "$(awk "BEGIN { printf \"%.1f\", $(now) - $begin }")" $code
}

seeds() {
  local begin
  begin=$(now)
  rm -f "$out/logs/seeds"-*
  seq 20 | xargs -P "$cores" -I{} sh -c "OMP_NUM_THREADS=1 '$build/socketlab' gpu-check --seed {} > '$out/logs/seeds-{}.log' 2>&1; echo \$? > '$out/logs/seeds-{}.code'"
  echo "seed,exit_code,result" > "$out/seeds.csv"
  for seed in $(seq 20); do
    echo "$seed,$(cat "$out/logs/seeds-$seed.code"),$(tail -n 1 "$out/logs/seeds-$seed.log")" >> "$out/seeds.csv"
  done
  record seeds "socketlab gpu-check --seed 1..20" "$cores" "$(awk "BEGIN { printf \"%.1f\", $(now) - $begin }")" \
    "$(cat "$out/logs/seeds"-*.code | sort -u | tr '\n' ' ' | sed 's/ $//')"
}

kills() {
  local begin
  begin=$(now)
  JOBS=$cores "$here/../planted/kill_matrix.sh" "$build" > "$out/kill_matrix.csv"
  local code=$?
  echo "kills,gpu/planted/kill_matrix.sh,$cores,$code,,,,,$(awk "BEGIN { printf \"%.1f\", $(now) - $begin }")" | tee -a "$out/checks.csv"
  [ $code = 0 ] || failed=1
}

for part in "$@"; do
  case "$part" in
    machine | quick | seeds | kills) $part ;;
    full) sliced full "$build/socketlab" gpu-check --grid full ;;
    memcheck | initcheck) sanitized "$part" --memory bare ;;
    synccheck) sanitized synccheck ;;
    racecheck) sanitized racecheck --most-keys "$race_keys" --most-buckets "$race_buckets" ;;
    *) echo "record.sh: part $part: allowed are machine quick full seeds memcheck initcheck synccheck racecheck kills" >&2; exit 2 ;;
  esac
done
exit $failed
