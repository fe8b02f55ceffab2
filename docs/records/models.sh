#!/usr/bin/env bash
# What do the rankers cost in a pretrained model? One command on a machine with one GPU: evaluate, compare, lay out a record.
#
# Usage: models.sh MODEL OUT [TEXT..]   MODEL: a folder, a .gguf file, its parts in order as A+B, or a name that fetch knows
#
# TEXT: files or folders, by default `debian`. OUT gets evaluated/, text.log, and record/: at most 8 files of 16 MiB each.
# The same command goes on where it was interrupted. Nothing is downloaded, and the package needs no compiled part.
#
# Variables: PYTHON, with torch, transformers, safetensors, tokenizers and, for a .gguf, gguf and accelerate; SECONDS_LIMIT,
# after which no window is begun [450]; LENGTHS, WINDOWS and EXAMPLES, by commas [4096,8000; 36,18; 24,16]; MORE, further
# options of eval; JOB: `residual` writes the four tables of that command into record/ instead, at one length, and
# `planned` evaluates the planned contrasts alone.
set -euo pipefail
root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
(($# >= 2)) || {
  echo "models.sh: $# words; allowed are MODEL OUT [TEXT..]" >&2
  exit 2
}
model=$1 out=$2
shift 2
texts=("${@:-debian}")
mkdir -p -- "$out"
if [[ $model == *+* ]]; then  # parts of one file
  IFS=+ read -ra parts <<< "$model"
  model=$out/model.gguf
  [[ -s $model ]] || cat -- "${parts[@]}" > "$model"
fi
read -ra more <<< "${MORE:-}"

# The package without its compiled core, which the evaluation does not use.
models() {
  TQDM_DISABLE=1 "${PYTHON:-python3}" -u -c '
import runpy, sys, types
package = types.ModuleType("socketlab")
package.__path__ = [sys.argv.pop(1) + "/python/socketlab"]
sys.modules["socketlab"] = package
runpy.run_module("socketlab.models", run_name="__main__", alter_sys=True)' "$root" "$@"
}

if [[ ${JOB:-} == residual ]]; then
  models residual "$model" --text "${texts[@]}" --length "${LENGTHS:-4096}" --windows "${WINDOWS:-36}" \
    --examples "${EXAMPLES:-24}" --seconds "${SECONDS_LIMIT:-450}" --out "$out/record" "${more[@]}"
  exit
fi

deadline=$((SECONDS + ${SECONDS_LIMIT:-450}))
failed=0
# step OPTION..: one evaluation into the same folder, as long as there is time.
step() {
  local left=$((deadline - SECONDS)) asked
  asked=(--text "${texts[@]}" --lengths "${LENGTHS:-4096,8000}" --windows "${WINDOWS:-36,18}" --out "$out/evaluated")
  if ((left < 20)); then
    echo "models.sh: no time left for $*" >&2
    return 0
  fi
  models eval "$model" "${asked[@]}" --seconds "$left" "${more[@]}" "$@" 2>&1 |
    { grep --line-buffered -vE 'Warning|return forward_call|^$' || true; } | tee -a "$out/text.log" || failed=1
}

# The planned contrasts and one needle first, so that an interrupted run has them; then every ranker at 33x and the planned
# ones at other sparsities; then the first layers dense.
planned=socket,socket-value,socket-unscaled,hamming,oracle-top-k,cosine-oracle,quest,group-signed-160,group-signed-320
planned+=,oracle-top-k-value,oracle-distance
step --rankers "$planned" --sparsities 33,10 --head-windows 0 --tasks needle --examples "${EXAMPLES:-24,16}" \
  --task-rankers socket,socket-value,socket-unscaled,hard-lsh,oracle-top-k,quest,group-signed-320
if [[ ${JOB:-} != planned ]]; then
  step --rankers all --sparsities 33,5,20,50 --further "$planned" --head-windows 2
  step --rankers socket,socket-value --sparsities 33 --dense-layers 1,2,4 --head-windows 0
fi
models compare "$out/evaluated" | tee "$out/table.txt" || failed=1

rm -rf "$out/record"
mkdir -p "$out/record"
for name in losses common contrasts positions head_means head_kinds texts; do
  [[ ! -s $out/evaluated/$name.csv ]] || cp "$out/evaluated/$name.csv" "$out/record"
done
cp "$out/evaluated/run.json" "$out/record"
tar -C "$out" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - evaluated/cells.csv text.log |
  gzip -9n > "$out/record/cells.tar.gz"
echo "$out/record: $(cat "$out/record"/* | wc -c) bytes"
exit "$failed"
