#!/usr/bin/env bash
# The records that need many cores: small changes of the sources, equal bytes of all ways to run, seeds, processes.
#
# Usage: many_cores.sh WORK STEP..    the steps: build, mutation, bytes, processes, seeds
#
# WORK keeps the builds and what each step has done; a step that was interrupted goes on. `build` comes first. Each step
# takes all cores, or as many as CORES says. A machine without a network names a folder of wheels by PIP_FIND_LINKS and
# sets PIP_NO_INDEX=1; a Random123 that is not installed is named by CMAKE_INCLUDE_PATH. Without a .git every file of the
# folder counts as a source.
set -euo pipefail
root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
[ $# -ge 2 ] || { sed -n 2,10p "$0" >&2; exit 2; }
mkdir -p "$1"
work=$(cd -P -- "$1" && pwd)
shift
cores=${CORES:-$(nproc)}
socketlab=$work/mpi/socketlab
launcher=(mpirun --bind-to none)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

build() {
  cmake -G Ninja -S "$root" -B "$work/mpi" -DCMAKE_BUILD_TYPE=Release -DSKT_MPI=ON -DSKT_GPU=OFF -DSKT_FUZZ=OFF
  ninja -C "$work/mpi" socketlab
}

mutation() {
  [ -x "$work/tools/bin/python" ] || python3 -m venv "$work/tools"
  "$work/tools/bin/pip" install --quiet universalmutator==1.14.1
  "$work/tools/bin/python" "$root/docs/records/mutation.py" "$work/mutation.csv" "$work/mutation" --workers "$cores" \
    --seed 1 --of sim=60 --of estimators=120 --of proofs_check=120 --of experiments=110
}

bytes() {
  python3 "$root/docs/records/same_bytes.py" "$socketlab" --jobs $((cores / 4 > 0 ? cores / 4 : 1)) -- \
    "${launcher[@]}" > "$work/same_bytes.md"
}

# Side by side, so that the machine is equally busy for both; 17 cores at least.
processes() {
  local count
  echo "processes,seconds" > "$work/processes.csv"
  for count in 1 16; do
    (
      start=$EPOCHREALTIME
      "${launcher[@]}" -n "$count" "$socketlab" reproduce --profile standard --seed 1 --threads 1 \
        --out "$work/ranks-$count" --force > "$work/ranks-$count.txt" 2>&1
      awk "BEGIN { printf \"%d,%.1f\\n\", $count, $EPOCHREALTIME - $start }" >> "$work/processes.csv"
    ) &
  done
  wait
}

seeds() { python3 "$root/docs/records/false_alarms.py" "$socketlab" "$work/false_alarms.csv" 3000 "$cores"; }

for step in "$@"; do
  case "$step" in
    build | mutation | bytes | processes | seeds) "$step" ;;
    *) echo "many_cores.sh: step $step: allowed are build, mutation, bytes, processes, seeds" >&2; exit 2 ;;
  esac
done
