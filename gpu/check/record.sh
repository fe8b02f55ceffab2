#!/usr/bin/env bash
# Makes the record of checks on a machine with a GPU, a part at a time, side by side on all cores:
#   gpu/check/record.sh BUILD OUT PART..
# Needs a GPU, and of some parts compute-sanitizer. BUILD holds socketlab, socketlab-gpu, gpu/libsocketlab_gpu.so,
# gpu/planted/libplanted-*.so and candidate/libcandidate.so (gpu/examples/candidate). A part writes its line to
# OUT/checks.csv (exit codes, cases, failures, comparisons, seconds) and its logs to OUT/logs; machine, examples and ranks
# have no line. Parts:
#   machine               OUT/machine.txt, with the commit: of the checkout, or in the file COMMIT beside gpu/ where there
#                         is no git
#   quick full            the grids
#   seeds                 the quick grid by 20 seeds; also OUT/seeds.csv
#   memcheck initcheck synccheck   the quick grid under compute-sanitizer
#   racecheck-tiny        the tiny grid
#   racecheck-1 racecheck-2   the quick grid in two halves, each of every second run of consecutive cases
#   racecheck-OPERATION   its cases of one operation. Halves and operations go without the kernel of skt_hash_keys, which
#                         takes most of the time where it only prepares a case; racecheck-hash-keys goes with it
#   delays-SEED           the quick grid on a build with SKT_GPU_DELAYS, with that SKT_DELAY_SEED
#   kills                 the planted faults; also OUT/kill_matrix.csv. Of a build with SKT_GPU_DELAYS its own ones
#   examples              OUT/candidate.txt
#   ranks                 OUT/sharded_step.txt: gpu/examples/sharded_step.py on all those GPUs, two or more, by both rules,
#                         with a rank without keys, and with its fault, which it must see. Needs PyTorch and the package
# Exit 1 if a part is not as expected. A part that was cut off is run again. CORES: fewer than the machine has. The
# processes of a part are dealt out to all GPUs, or to those whose numbers ON_GPUS has, as "1 2"; what is one process takes
# the first of them.
set -u
[ $# -ge 3 ] || { sed -n 2,24p "$0" >&2; exit 2; }
nvidia-smi --list-gpus 2> /dev/null | grep -q . || { echo "record.sh: needs a GPU, and nvidia-smi names none" >&2; exit 3; }
build=$1
[ -x "$build/socketlab" ] || { echo "record.sh: $build: has no socketlab; allowed is a build for this GPU" >&2; exit 2; }
out=$2
shift 2
here=$(dirname "$0")
cores=${CORES:-$(getconf _NPROCESSORS_ONLN)}
gpus=${ON_GPUS:-$(nvidia-smi --list-gpus | awk '{ print NR - 1 }' | xargs)}
export CUDA_VISIBLE_DEVICES=${gpus%% *}
mkdir -p "$out/logs"
[ -e "$out/checks.csv" ] || echo "part,command,processes,exit_codes,cases,failed,comparisons,sanitizer_errors,seconds" > "$out/checks.csv"
failed=0

now() { date +%s.%N; }

# codes_of PREFIX COUNT: the exit codes that occurred, of the logs that begin so; and "missing" where fewer have ended.
# shellcheck disable=SC2012  # names of our own logs
codes_of() {
  { cat "$out/logs/$1"*.code; [ "$(ls "$out/logs/$1"*.code | wc -l)" = "$2" ] || echo missing; } 2> /dev/null |
    sort -u | tr '\n' ' ' | sed 's/ $//'
}

# Sums over the logs of a part: cases, failures, comparisons, and what a sanitizer counted; "missing" if a log has none.
cases_of() { cat "$@" | awk '/cases failed/ { failed += $1; cases += $3 } END { printf "%d,%d", cases, failed }'; }
comparisons_of() { cat "$@" | awk 'NF == 7 && $2 ~ /^[0-9]+$/ { sum += $5 } END { printf "%.0f", sum }'; }
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
  [ "$5" = 0 ] && [ "${errors:-0}" = 0 ] || failed=1
}

# sliced PART I N COMMAND..: part I of N of the cases, a slice to each core. PIECES: each slice as so many processes, one
# after another on whichever core is free, where a few cases take minutes.
sliced() {
  local part=$1 skipped=$((($2 - 1) * cores)) slices=$(($3 * cores)) pieces=${PIECES:-1} begin dealt=""
  shift 3
  [ "$pieces" = 1 ] || dealt=" in $pieces pieces"
  begin=$(now)
  rm -f "$out/logs/$part"-*
  # shellcheck disable=SC2016  # expanded by the sh of each run
  for piece in $(seq 0 $((pieces - 1))); do
    for i in $(seq "$cores"); do echo "$((skipped + i + piece * slices))"; done
  done | xargs -P "$cores" -I{} bash -c 'slice={} gpus=($1) slices=$2 log=$3-{}
    shift 3
    export CUDA_VISIBLE_DEVICES=${gpus[slice % ${#gpus[@]}]} OMP_NUM_THREADS=1
    "$@" --slice "$slice/$slices" > "$log.log" 2>&1
    code=$?
    if grep -q "this part has none of the cases" "$log.log"; then code=0; rm "$log.log"; fi  # more slices than cases
    echo $code > "$log.code"' bash "$gpus" "$((slices * pieces))" "$out/logs/$part" "$@"
  record "$part" "$(echo "$* --slice $((skipped + 1))../$slices$dealt" | sed "s|$build/||")" "$cores" \
    "$(awk "BEGIN { printf \"%.1f\", $(now) - $begin }")" "$(codes_of "$part-" $((cores * pieces)))"
}

sanitized() {
  local part=$1 tool=${1%%-*} i=$2 n=$3
  shift 3
  local options=(--tool "$tool" --error-exitcode 9 --print-limit 5)
  case "$part" in
    racecheck-tiny | racecheck-hash-keys) ;;
    racecheck-*) options+=(--kernel-name-exclude kernel_substring=hash_keys_kernel) ;;
  esac
  [ "$tool" = synccheck ] && options+=(--num-cuda-barriers 1024)  # of a block; it does not find how many these are
  sliced "$part" "$i" "$n" compute-sanitizer "${options[@]}" "$build/socketlab" gpu-check "$@"
}

# shellcheck disable=SC2329  # a part, called by its name
machine() {
  { nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader
    compute-sanitizer --version | grep Version
    echo "cores $cores"
    echo "commit $(git -C "$here" rev-parse HEAD 2> /dev/null || cat "$here/../../COMMIT" || echo unknown)"; } | tee "$out/machine.txt"
}

# shellcheck disable=SC2329  # a part, called by its name
quick() {  # one process, as a user runs it
  local begin
  begin=$(now)
  "$build/socketlab" gpu-check > "$out/logs/quick-1.log" 2>&1
  local code=$?
  record quick "socketlab gpu-check" 1 "$(awk "BEGIN { printf \"%.1f\", $(now) - $begin }")" "$code"
}

# shellcheck disable=SC2329  # a part, called by its name
seeds() {  # two threads to a process; they share the GPUs
  local begin jobs
  begin=$(now)
  jobs=$((cores < 2 ? 1 : cores > 40 ? 20 : cores / 2))
  # shellcheck disable=SC2016  # expanded by the bash of each run
  for seed in $(seq 20); do  # goes on where an earlier run was cut off
    [ -s "$out/logs/seeds-$seed-whole.code" ] || echo "$seed"
  done | OMP_NUM_THREADS=2 xargs -P "$jobs" -I{} bash -c 'seed={} gpus=($2)
    export CUDA_VISIBLE_DEVICES=${gpus[seed % ${#gpus[@]}]}
    "$0/socketlab" gpu-check --seed "$seed" > "$1/logs/seeds-$seed-whole.log" 2>&1
    echo $? > "$1/logs/seeds-$seed-whole.code"' "$build" "$out" "$gpus"
  echo "seed,exit_codes,cases,failed" > "$out/seeds.csv"
  for seed in $(seq 20); do
    echo "$seed,$(codes_of "seeds-$seed-" 1),$(cases_of "$out/logs/seeds-$seed-whole.log")" >> "$out/seeds.csv"
  done
  record seeds "socketlab gpu-check --seed 1..20" "$jobs" "$(awk "BEGIN { printf \"%.1f\", $(now) - $begin }")" "$(codes_of seeds- 20)"
}

# shellcheck disable=SC2329  # a part, called by its name
kills() {
  local begin
  begin=$(now)
  touch "$out/kill_matrix.csv"  # goes on where an earlier run was cut off
  # shellcheck disable=SC2094  # kill_matrix.sh reads what is there before it writes
  JOBS=$cores ON_GPUS=$gpus "$here/../planted/kill_matrix.sh" "$build" 1 "$out/kill_matrix.csv" >> "$out/kill_matrix.csv" \
    2> >(tee -a "$out/logs/kills.log" >&2)
  local code=$?
  echo "kills,gpu/planted/kill_matrix.sh,$cores,$code,,,,,$(awk "BEGIN { printf \"%.1f\", $(now) - $begin }")" | tee -a "$out/checks.csv"
  [ "$code" = 0 ] || failed=1
}

# The template of a user's own library, which must fail.
# shellcheck disable=SC2329  # a part, called by its name
examples() {
  "$build/socketlab" gpu-check --candidate "$build/candidate/libcandidate.so" --agreement derived > "$out/logs/candidate.log" 2>&1
  local code=$?
  { head -n 4 "$out/logs/candidate.log"; echo ...; grep -A 99 '^operation  ' "$out/logs/candidate.log"; } > "$out/candidate.txt"
  [ "$code" = 1 ] || failed=1
  tail -n 2 "$out/candidate.txt"
}

# A run prints a line to a rank, in any order; it exits 1 for a traceback too, so that the lines are what counts.
# shellcheck disable=SC2329  # a part, called by its name
ranks() {
  local count options lists log=$out/logs/ranks.log
  count=$(wc -w <<< "$gpus")
  [ "$count" -gt 1 ] || { echo "record.sh: ranks needs two GPUs or more" >&2; exit 2; }
  while read -r lists options; do
    echo "$count GPUs, sharded_step.py${options:+ $options}"
    # shellcheck disable=SC2086  # an option to a word
    SOCKETLAB_GPU_LIBRARY=$build/gpu/libsocketlab_gpu.so CUDA_VISIBLE_DEVICES=${gpus// /,} \
      python3 -m torch.distributed.run --nproc-per-node gpu "$here/../examples/sharded_step.py" $options \
      < /dev/null 2>> "$log" | sort > "$log.lines"
    case "$lists,${PIPESTATUS[0]}" in
      True,0) ! grep False "$log.lines" || failed=1 ;;
      False,1) ;;
      *) failed=1 ;;
    esac
    [ "$(grep -c "^rank [0-9]* of $count: .*lists: $lists" "$log.lines")" = "$count" ] || failed=1
    cat "$log.lines"
  done > "$out/sharded_step.txt" << 'RUNS'
True
True --keys 1048576 --kv-heads 32
True --keys 145409 --empty 1
True --rule signed-projection
True --rule signed-projection --tables 40 --planes 8 --keys 294912
False --plant not-exchanged
RUNS
  cat "$out/sharded_step.txt"
}

# delays SEED: refused of a build that would not delay anything.
delays() {
  grep -q SKT_DELAY_SEED "$build/socketlab-gpu" || { echo "record.sh: $build: delays-$1 needs a build with SKT_GPU_DELAYS" >&2; exit 2; }
  sliced "delays-$1" 1 1 env "SKT_DELAY_SEED=$1" "$build/socketlab" gpu-check
}

for part in "$@"; do
  case "$part" in
    machine | quick | seeds | kills | examples | ranks) $part ;;
    full) sliced full 1 1 "$build/socketlab" gpu-check --grid full ;;
    delays-[0-9]*) delays "${part#delays-}" ;;
    memcheck | initcheck) sanitized "$part" 1 1 --memory bare ;;
    synccheck) sanitized synccheck 1 1 --memory bare ;;
    racecheck-tiny) sanitized racecheck-tiny 1 1 --memory bare --grid tiny ;;
    racecheck-[12]) PIECES=4 sanitized "$part" "${part#racecheck-}" 2 --memory bare --case-limit 900 ;;
    racecheck-*) PIECES=4 sanitized "$part" 1 1 --memory bare --case-limit 900 --only "${part#racecheck-}" ;;
    *) echo "record.sh: part $part: allowed are machine quick full seeds memcheck initcheck synccheck racecheck-tiny racecheck-1 racecheck-2 racecheck-OPERATION delays-SEED kills examples ranks" >&2; exit 2 ;;
  esac
done
exit $failed
