#!/usr/bin/env bash
# The records that need many cores: small changes of the sources, equal bytes of all ways to run, seeds, processes.
#
# Usage: many_cores.sh WORK STEP..    the steps: build, mutation, bytes, processes, seeds
#
# WORK keeps the builds and what each step has done; a step that was interrupted goes on. `build` comes first. Each step
# takes all cores, or as many as CORES says. A machine without a network names a folder of wheels by PIP_FIND_LINKS and
# sets PIP_NO_INDEX=1; a Random123 that is not installed is named by CMAKE_INCLUDE_PATH. Without a .git every file of the
# folder counts as a source. `seeds` takes the LAST seed (3000): the first 200 with the planted lies, the others without.
set -euo pipefail
root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
[ $# -ge 2 ] || { sed -n 2,9p "$0" >&2; exit 2; }
mkdir -p "$1"
work=$(cd -P -- "$1" && pwd)
shift
cores=${CORES:-$(nproc)}
socketlab=$work/mpi/socketlab
launcher=(mpirun --bind-to none)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI counts cores, and a core may run two threads. Waiting ranks never yield, as where there are enough.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_mpi_yield_when_idle=0

build() {
  cmake -G Ninja -S "$root" -B "$work/mpi" -DCMAKE_BUILD_TYPE=Release -DSKT_MPI=ON -DSKT_GPU=OFF -DSKT_FUZZ=OFF
  ninja -C "$work/mpi" socketlab
}

mutation() {
  [ -x "$work/tools/bin/python" ] || python3 -m venv "$work/tools"
  "$work/tools/bin/pip" install --quiet universalmutator==1.14.1
  "$work/tools/bin/python" "$root/tools/mutation.py" "$work/mutation.csv" "$work/mutation" --workers "$cores" \
    --seed 1 --of sim=60 --of estimators=120 --of proofs_check=120 --of experiments=110
}

bytes() {
  python3 "$root/tests/experiments/parts/ways_to_run.py" "$socketlab" --whole "${launcher[@]}" 2>&1 |
    tee "$work/same_bytes.txt"
}

# What one process takes is added up from eight slices of the run, side by side, and merging them. Beside them the same run
# by 16 processes, again and again while there is a slice, so that both see the same machine. 48 cores at least.
processes() {
  rm -rf "$work"/{reproduce,faults}-{1,16} "$work/processes.err"
  echo "command,run,seconds" > "$work/processes.csv"
  of_processes reproduce reproduce --profile standard --python "$(command -v python3)" &
  of_processes faults verify --profile standard --all-faults &
  wait -n && wait -n
}

of_processes() {
  local name=$1 i slices=()
  shift
  local run=("$socketlab" "$@" --seed 1 --threads 1)
  for i in 1 2 3 4 5 6 7 8; do
    timed_run "$name,slice $i of 8" "${run[@]}" --slice "$i/8" --out "$work/$name-1" &
    slices+=("$!")
  done
  while kill -0 "${slices[@]}" 2> /dev/null; do
    timed_run "$name,16 processes" "${launcher[@]}" -n 16 "${run[@]}" --force --out "$work/$name-16"
  done
  for i in "${slices[@]}"; do wait "$i"; done
  timed_run "$name,merge" "${run[@]}" --merge --out "$work/$name-1"
  for i in "$work/$name-1"/*.{csv,jsonl}; do
    [ ! -e "$i" ] || cmp "$i" "$work/$name-16/$(basename "$i")"
  done
}

# timed_run WORDS COMMAND..
timed_run() {
  local words=$1 start=$EPOCHREALTIME
  shift
  "$@" > /dev/null 2>> "$work/processes.err"
  awk "BEGIN { printf \"%s,%.1f\n\", \"$words\", $EPOCHREALTIME - $start }" >> "$work/processes.csv"
}

seeds() {
  local alarms=("$root/docs/records/false_alarms.py" "$socketlab" "$work/false_alarms.csv")
  python3 "${alarms[@]}" 200 "$cores"
  python3 "${alarms[@]}" "201-${LAST:-3000}" "$cores" --no-lies
}

for step in "$@"; do
  case "$step" in
    build | mutation | bytes | processes | seeds) "$step" ;;
    *) echo "many_cores.sh: step $step: allowed are build, mutation, bytes, processes, seeds" >&2; exit 2 ;;
  esac
done
