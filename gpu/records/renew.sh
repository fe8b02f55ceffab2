#!/usr/bin/env bash
# Makes the timed records of one GPU anew, one after the other, while nothing else runs on it:
#   gpu/records/renew.sh BUILD OUT [PART..]
# BUILD holds socketlab, socketlab-gpu and gpu/libsocketlab_gpu.so. A part becomes OUT/PART_GPU.csv, GPU being the device's name as
# h200 or h100; a part whose file is there is left out, so that a run that was cut off goes on. Beside them
# OUT/clocks_GPU.csv, the clocks of every fifth of a second, and OUT/renew_GPU.csv: part, seconds, exit code.
# Parts, all but the last two by default, about five minutes on an H100 or H200; whole_model takes about five more:
#   decode dense published frontier peers index growing cached_bytes shared_heads paged_index query_rows rest whole_model ranks
# Needs a GPU and PyTorch; ranks, which takes all GPUs of the machine, the package too (docs/python.md). CUB_TOPK: the library that
# gpu/bench/peers/cub_topk.cu became; without it cub::DeviceTopK is left out. CUDA_VISIBLE_DEVICES: one of several GPUs.
# Exit 1 if a part fails: its rows stay in OUT/PART_GPU.csv.part and its complaints in OUT/PART.err.
# shellcheck disable=SC2329  # parts are called by their names
set -uo pipefail
[ $# -ge 2 ] || { sed -n 2,11p "$0" >&2; exit 2; }
nvidia-smi --list-gpus 2> /dev/null | grep -q . || { echo "renew.sh: needs a GPU, and nvidia-smi names none" >&2; exit 3; }
build=$1
out=$2
shift 2
[ -x "$build/socketlab" ] || { echo "renew.sh: $build: has no socketlab; allowed is a build for this GPU" >&2; exit 2; }
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../bench" && pwd)
library=$build/gpu/libsocketlab_gpu.so
default="decode dense published frontier peers index growing cached_bytes shared_heads paged_index query_rows rest"
# shellcheck disable=SC2086  # a word to a part
[ $# -gt 0 ] || set -- $default
device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1 | grep -o -i '[abh][0-9]\+' | tr '[:upper:]' '[:lower:]')
[ -n "$device" ] || { echo "renew.sh: the name of the GPU has no such part as H100, by which records are called" >&2; exit 2; }
mkdir -p "$out"
failed=0

clocks=clocks.sm,clocks.mem,power.draw,temperature.gpu,clocks_event_reasons.active
[ -e "$out/clocks_$device.csv" ] || echo "sm_clock,memory_clock,power,temperature_c,event_reasons" > "$out/clocks_$device.csv"
nvidia-smi ${CUDA_VISIBLE_DEVICES:+-i "$CUDA_VISIBLE_DEVICES"} --query-gpu=$clocks --format=csv,noheader -lms 200 >> "$out/clocks_$device.csv" &
watcher=$!
trap 'kill $watcher' EXIT

python() {
  local script=$here/$1
  shift
  python3 -B "$script" "$@"
}
# Several runs of one program with one line of names.
rows() { awk 'NR == 1 { names = $0 } NR == 1 || $0 != names'; }

decode() {
  "$build/socketlab" gpu-bench --grid --out "$out/grid" --force >&2 && cat "$out/grid/gpu_bench.csv"
}
dense() {
  {
    python dense_attention.py --kv-heads 32 8 && python dense_attention.py --kv-heads 32 8 --keys 36864 145408 --batch 2 4 8
  } | rows
}
published() { python published_pipeline.py "$library"; }
frontier() {
  { python frontier.py "$library" --kv-heads 32 8 && python frontier.py "$library" --kv-heads 8 --keys 294912; } | rows
}
peers() { python peers/peers.py "$library" ${CUB_TOPK:+--cub "$CUB_TOPK"}; }
index() { python index_building.py "$library" --sample-heads 8; }
growing() {  # and with each of its faults, which it must see: a run that exits with 1 and has rows
  local fault seen
  {
    python growing.py "$library" || return 1
    python growing.py "$library" --only growing --in-step --lists kv-head --signed || return 1
    for fault in late-length late-index; do
      seen=$(python growing.py "$library" --only growing --steps 500 --plant "$fault")
      [ $? = 1 ] && grep ",[1-9][0-9]*\$" <<< "$seen" > /dev/null || return 1
      echo "$seen"
    done
  } | rows
  [ "${PIPESTATUS[0]}" = 0 ]
}
cached_bytes() { python cached_bytes.py "$library"; }
shared_heads() { python shared_heads.py "$library" --keys 294912 145408 36864 18432 8192; }
paged_index() { python paged_index.py "$library"; }
query_rows() { python query_rows.py "$library"; }
rest() {
  {
    python rest.py "$library" && python rest.py "$library" --kv-heads 8 --keys 32768 --batch 1 16 &&
      python rest.py "$library" --kv-heads 8 --keys 589824
  } | rows
}
whole_model() {
  {
    python whole_model.py "$library" && python whole_model.py "$library" --batch 4 8 --keys 32768 &&
      python whole_model.py "$library" --layers 1 --keys 18432 36864 73728 102400 143360 145408
  } | rows
}
ranks() {
  local file=$out/ranks.rows
  python3 -m torch.distributed.run --nproc-per-node gpu "$here/ranks.py" --out "$file" >&2 && cat "$file" && rm "$file"
}

[ -e "$out/renew_$device.csv" ] || echo "part,seconds,exit_code" > "$out/renew_$device.csv"
for part in "$@"; do
  case " $default whole_model ranks " in
    *" $part "*) ;;
    *) echo "renew.sh: part $part: allowed are $default whole_model ranks" >&2; exit 2 ;;
  esac
  file=$out/${part}_$device.csv
  [ ! -s "$file" ] || continue
  begin=$EPOCHREALTIME
  $part > "$file.part" 2> "$out/$part.err"
  code=$?
  awk "BEGIN { printf \"%s,%.1f,%d\\n\", \"$part\", $EPOCHREALTIME - $begin, $code }" | tee -a "$out/renew_$device.csv"
  if [ $code = 0 ]; then mv "$file.part" "$file"; else failed=1; fi
done
exit $failed
