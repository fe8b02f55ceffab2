#!/bin/bash
# How far above the true 95% quantile of each error do the bounds lie, and how often are they missed, at production sizes?
#
# Usage: bound_ratios.sh SOCKETLAB FOLDER [KEYS FRESH_TABLES]..   (default: 4096 400000 32768 60000)
#
# For every size four families of keys, P = 8 and 10, tau = 0.3 and 0.5, L = 60, 2,000 draws. FOLDER gets a folder for
# each audit, and bound_ratios.csv with all of their rows; an audit that is there already is not made again.
set -euo pipefail
socketlab=$1
folder=$2
shift 2
sizes=("$@")
if ((${#sizes[@]} == 0)); then sizes=(4096 400000 32768 60000); fi

for ((i = 0; i < ${#sizes[@]}; i += 2)); do
  for family in gaussian needle clustered clustered-values; do
    out=$folder/$family-${sizes[i]}
    if [[ ! -e $out/bound_ratios.csv ]]; then
      "$socketlab" audit --part bounds --family "$family" --keys "${sizes[i]}" --planes 8,10 --temperatures 0.3,0.5 \
        --bound-draws 2000 --fresh-tables "${sizes[i + 1]}" --seed 1 --out "$out" > "$folder/$family-${sizes[i]}.txt"
    fi
  done
done
awk 'FNR > 1 || NR == 1' "$folder"/*/bound_ratios.csv > "$folder/bound_ratios.csv"
