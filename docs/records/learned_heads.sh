#!/usr/bin/env bash
# What do the theorem and the bounds say on the heads of a pretrained model that come with the program?
#
# Usage: learned_heads.sh SOCKETLAB FOLDER
#
# Of every query head the last query, which sees all 4,096 keys, at P = 8 and 10, tau = 0.3 and 0.5, L = 60, M = 409.
# FOLDER gets audit.csv and audit_bounds.csv (the printed bound beside the exact errors), bound_ratios.csv (our bounds
# beside the true quantile), sweep.csv (along the tables, at P = 10, tau = 0.5) and certificate.csv (what is
# measured, against dense attention too). A run that is there already is not made again.
# Some nine minutes of one core; python3 needs PyTorch and safetensors.
set -euo pipefail
[ $# -eq 2 ] || { sed -n 2,10p "$0" >&2; exit 2; }
root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
heads=$root/experiments/families/learned_heads.safetensors
socketlab=$1
folder=$2
last=63
mkdir -p "$folder"

# Once: the folder of a run has its name, and what it printed stands beside it.
run() {
  local out=$folder/$1
  shift
  if [ ! -e "$out/provenance.json" ]; then "$socketlab" "$@" --seed 1 --out "$out" > "$out.txt"; fi
}

# The last query of each head, [heads, 1, dim], as a file of its own.
python3 -c '
import sys, safetensors.torch as file
file.save_file({"q": file.load_file(sys.argv[1])["q"][:, -1:].contiguous()}, sys.argv[2])' "$heads" "$folder/last.safetensors"

for head in 0 1 2 3 4 5 6 7 8; do
  run "audit-$head" audit --families "learned-$head-$last" --learned "$heads" --planes 8,10 --temperatures 0.3,0.5 \
    --trials 16
  run "sweep-$head" sweep --axis tables --values 16,60,240 --families "learned-$head-$last" --learned "$heads" \
    --planes 10 --temperature 0.5 --trials 30
done
for planes in 8 10; do
  for temperature in 0.3 0.5; do
    run "certify-$planes-$temperature" certify --queries "$folder/last.safetensors" --keys "$heads" --values "$heads" \
      --planes "$planes" --temperature "$temperature" --pairs none
  done
done

for table in audit audit_bounds bound_ratios; do
  awk 'FNR > 1 || NR == 1' "$folder"/audit-?/"$table.csv" > "$folder/$table.csv"
done
awk 'FNR > 1 || NR == 1' "$folder"/sweep-?/sweep.csv > "$folder/sweep.csv"
awk -F, 'NR == 1 || $11 == "measured"' "$folder"/certify-*/certificate.csv \
  > "$folder/certificate.csv"
