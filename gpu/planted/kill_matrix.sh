#!/usr/bin/env bash
# Which planted faults does gpu-check catch? One line to a library of BUILD/gpu/planted, as CSV, when it is done: fault,
# whether it was caught, cases run, and failed cases by operation (empty: not run). JOBS libraries at a time, dealt out to
# the GPUs whose numbers ON_GPUS has, as "1 2", the first unless given. Those in DONE, an earlier output that was cut off, are
# left out; to run a line of it again, delete it. Exit 1 if a fault passes or one could not be run. A fault that is missed
# beside others, or whose case has no end there, is tried again alone. Standard error has the first failure of each that has
# one.
# Of a build with SKT_GPU_DELAYS (sync_edits.cmake) also, by the beginning of the name: edit-warp-*, the lanes of one warp,
# is looked for by racecheck, without delays, on the tiny grid, and edit-warp-tile-* on signed scores of the quick one;
# edit-fence-*, edit-copy-* and edit-block-* of sync_edits.cmake may go unseen, and are `unseen` then, not MISSED.
#   JOBS=8 gpu/planted/kill_matrix.sh BUILD [SEED [DONE]] > kill_matrix.csv
# Needs a GPU, and BUILD with its target planted. Without a GPU: gpu/emulation/faults.py.
[ $# -ge 1 ] || { sed -n 2,12p "$0" >&2; exit 2; }
nvidia-smi --list-gpus 2> /dev/null | grep -q . || { echo "kill_matrix.sh: needs a GPU, and nvidia-smi names none" >&2; exit 3; }
build=$1
[ -x "$build/socketlab" ] && [ -d "$build/gpu/planted" ] ||
  { echo "kill_matrix.sh: $build: has no socketlab or no gpu/planted; allowed is a build with its target planted" >&2; exit 2; }
lists=$(dirname "$0")
seed=${2:-1}
done=${3:-/dev/null}
operations=$(sed -n 's/^SKT_OPERATION([a-z_0-9]*, "*\([a-z0-9-]*\)"*,.*/\1/p' "$lists/../check/cases/operations.def" | xargs)

# Host threads of several at a time would only wait for one another.
[ "${JOBS:-1}" = 1 ] || export OMP_NUM_THREADS=1

# run LIBRARY OPTION..: adds to the library's log.
run() {
  local library=$1
  shift
  timeout 300 "$build"/socketlab gpu-check --candidate "$library" --seed "$seed" --case-limit 40 "$@" >> "$logs/$(basename "$library")" 2>&1
}

# racecheck LIBRARY OPTION..: 1 if it names a hazard, 0 if none, 2 if it does not say. Without the kernel of skt_hash_keys, which
# only prepares most cases and takes most of the time.
racecheck() {
  local log
  log=$logs/$(basename "$1")
  SKT_DELAY_SEED=0 timeout 600 compute-sanitizer --tool racecheck --print-limit 5 \
    --kernel-name-exclude kernel_substring=hash_keys_kernel "$build"/socketlab gpu-check --candidate "$1" --seed "$seed" \
    --case-limit 500 --memory bare "${@:2}" >> "$log" 2>&1
  grep -q 'SUMMARY: 0 hazards' "$log" && return 0
  grep -q 'SUMMARY: [1-9][0-9]* hazard' "$log" && return 1
  return 2
}

# may_go_unseen FAULT: docs/gpu/testing.md says why.
may_go_unseen() {
  case "$1" in
    edit-fence-* | edit-copy-* | edit-block-*) grep -q "^edit(${1#edit-} " "$lists/sync_edits.cmake" ;;
    *) false ;;
  esac
}

# A fault is run on an eighth of the quick grid's cases of the operations that run its kernel, and on the next only while
# none fails; what only longer rows show on the cases of the full grid that have them.
check() {
  local fault code=0 log why
  fault=$(basename "$1" .so | sed 's/^libplanted-//')
  log=$logs/$(basename "$1")
  case "$fault" in  # the quick grid has no 2^31 elements
    edit-row-counted-by-its-first-block) run "$1" --grid full --only append-step; code=$? ;;  # seen by chance in the quick one
    edit-int32-wrap-of-*)
      operation=${fault#edit-int32-wrap-of-}
      run "$1" --grid full --only "far-${operation%%-*}"
      code=$? ;;
    edit-warp-tile-*) racecheck "$1" --only score-signed; code=$? ;;
    edit-warp-*) racecheck "$1" --grid tiny; code=$? ;;
    *)
      for eighth in 1 2 3 4 5 6 7 8; do
        for operation in $(python3 -B "$lists/edits.py" operations "${fault#edit-}"); do
          run "$1" --only "$operation" --slice $eighth/8
          code=$?
          [ $code = 0 ] || break 2
        done
      done ;;
  esac
  case "$code" in
    1) verdict=caught ;;
    0) verdict=MISSED ;;
    *) verdict=NOT-RUN ;;
  esac
  why=$(grep -m 1 -h '^FAILED' "$log")
  # Beside others a race may not show, and a case may be slow for want of a core.
  if [ "$beside" -gt 1 ] && { [ $verdict = MISSED ] || { [ $code = 1 ] && [[ $why == *"no end after"* ]]; }; }; then
    echo "$1" >> "$logs/again"
    rm "$log"
    return
  fi
  if [ $verdict = MISSED ] && may_go_unseen "$fault"; then verdict=unseen; fi
  [ -z "$why" ] || echo "$fault: $why" >&2
  line="$fault,$verdict,$(awk '/cases failed/ { sum += $3 } END { printf "%d", sum }' "$log")"
  for operation in $operations; do
    line="$line,$(awk -v name="$operation" '$1 == name && $3 ~ /^[0-9]+$/ { sum += $3; seen = 1 } END { if (seen) printf "%d", sum }' "$log")"
  done
  echo "$line" | tee -a "$logs/lines"
}

logs=$(mktemp -d) || exit 2
touch "$logs/lines" "$logs/again"
[ -s "$done" ] || echo "fault,verdict,cases,$(echo "$operations" | tr ' ' ',')"
read -r -a gpus <<< "${ON_GPUS:-0}"
started=0
running=0
beside=${JOBS:-1}
# Those that take longest first.
mapfile -t libraries < <(printf '%s\n' "$build"/gpu/planted/libplanted-*.so |
  awk '{ print (/libplanted-edit-warp-/ ? 1 : 2) "\t" $0 }' | sort -s -n -k1,1 | cut -f2-)
for library in "${libraries[@]}"; do
  [ -e "$library" ] || continue
  grep -q "^$(basename "$library" .so | sed 's/^libplanted-//')," "$done" && continue
  CUDA_VISIBLE_DEVICES=${gpus[started % ${#gpus[@]}]} check "$library" &
  started=$((started + 1))
  running=$((running + 1))
  [ $running -lt "$beside" ] || { wait -n; running=$((running - 1)); }
done
wait
beside=1
unset OMP_NUM_THREADS
export CUDA_VISIBLE_DEVICES=${gpus[0]}
while read -r library; do check "$library"; done < "$logs/again"
! cat "$logs/lines" "$done" | grep -q -E ',(MISSED|NOT-RUN),'
status=$?
rm -r "$logs"
exit $status
