#!/usr/bin/env bash
# Which planted faults does gpu-check catch? One line to a library of BUILD/gpu/planted, as CSV: fault, whether
# it was caught, cases run, and failed cases by operation (empty: not run). JOBS libraries at a time.
# Exit 1 if a fault passes or a library without one fails.
#   JOBS=8 gpu/planted/kill_matrix.sh BUILD [SEED] > kill_matrix.csv
build=$1
seed=${2:-1}
operations="hash-keys build-index value-norms soft-buckets score-buckets score-packed score-signed bad-codes select-keys published-list sparse-attention decode-step pipeline refusals far-addresses far-packed far-attention far-index"

# Host threads of several at a time would only wait for one another.
[ "${JOBS:-1}" = 1 ] || export OMP_NUM_THREADS=1

check() {
  fault=$(basename "$1" .so | sed 's/^libplanted-//')
  options="--grid quick"
  case "$fault" in  # the quick grid needs no 2^31 elements
    int32-wrap) options="--grid full --only far-addresses" ;;
    edit-int32-wrap-of-*) options="--grid full --only far-${fault#edit-int32-wrap-of-}" ;;
  esac
  log=$(timeout 300 "$build"/socketlab gpu-check --candidate "$1" $options --seed "$seed" 2>&1)
  case "$fault,$?" in
    none-*,0) verdict=passed ;;
    none-*) verdict=FALSE-ALARM ;;
    *,1) verdict=caught ;;
    *,0) verdict=MISSED ;;
    *) verdict=NOT-RUN ;;
  esac
  line="$fault,$verdict,$(echo "$log" | sed -n 's/.* of \([0-9]*\) cases failed/\1/p')"
  for operation in $operations; do
    line="$line,$(echo "$log" | awk -v name="$operation" '$1 == name && $3 ~ /^[0-9]+$/ { print $3 }')"
  done
  echo "$line"
}

lines=$(mktemp -d) || exit 2
running=0
for library in "$build"/gpu/planted/libplanted-*.so; do
  check "$library" > "$lines/$(basename "$library")" &
  running=$((running + 1))
  [ $running -lt "${JOBS:-1}" ] || { wait -n; running=$((running - 1)); }
done
wait
echo "fault,verdict,cases,$(echo "$operations" | tr ' ' ',')"
cat "$lines"/*
! grep -q -E ',(MISSED|FALSE-ALARM|NOT-RUN),' "$lines"/*
status=$?
rm -r "$lines"
exit $status
