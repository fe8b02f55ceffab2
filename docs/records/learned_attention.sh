#!/usr/bin/env bash
# What do the rankers cost on keys that a model learned? One command on a machine with a GPU: train, keep a few heads,
# evaluate, repeat a part, and lay out what a repository would keep.
#
# Usage: learned_attention.sh OUT SEED [TRAIN_SECONDS [EVALUATE_SECONDS]]   (350 s each; the steps between come on top)
#
# OUT gets trained/, evaluated/, again/, heads.safetensors, a log of each step, and record/: at most 8 files of 16 MiB
# in all. OUT/../corpus is prepared once for all seeds beside each other, so OUT is to lie on its file system. A script
# that was interrupted goes on where it stopped; a training begins anew unless it was finished.
#
# Variables: PYTHON, a Python with PyTorch, tokenizers, safetensors and numpy; TRAIN_OPTIONS, CAPTURE_OPTIONS and
# EVALUATE_OPTIONS, more options of the programs; SOCKETLAB_GPU_LIBRARY, the CUDA library, which is then compared with
# PyTorch.
#
# Exit code 1: a step failed, or a repeated mean lies outside its interval; its log says which. The record is made even
# so, of what is there. 2: bad usage.
set -euo pipefail
root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
most_bytes=$((16 * 1024 * 1024))

refuse() {
  echo "learned_attention.sh: $1" >&2
  exit 2
}
[[ $# -ge 2 && $# -le 4 ]] || refuse "$# words; allowed are OUT SEED [TRAIN_SECONDS [EVALUATE_SECONDS]]"
for number in "${@:2}"; do
  [[ $number =~ ^[0-9]{1,6}$ ]] || refuse "$number: allowed are a seed and seconds up to 999999"
done
mkdir -p -- "$1" || refuse "$1: cannot be made; allowed is a folder or a new name"
out=$(cd -P -- "$1" && pwd)
seed=$2
train_seconds=${3:-350}
evaluate_seconds=${4:-350}
python=${PYTHON:-python3}
corpus=$(dirname -- "$out")/corpus
trained=$out/trained
evaluated=$out/evaluated
read -ra train_options <<< "${TRAIN_OPTIONS:-}"
read -ra capture_options <<< "${CAPTURE_OPTIONS:-}"
read -ra evaluate_options <<< "${EVALUATE_OPTIONS:-}"
export PYTHONPATH=$root/python
if [[ -e $out/seed && $(< "$out/seed") != "$seed" ]]; then
  refuse "$out: holds seed $(< "$out/seed"); allowed are that seed, or a new folder"
fi
echo "$seed" > "$out/seed"
failed=()

# step NAME: the function of this name, once, its words in OUT/NAME.log. Not in a condition, where set -e has no effect.
step() {
  local name=$1 code
  [[ ! -e $out/$name.done ]] || return 0
  echo "$name, $(date +%T)"
  set +e
  (
    set -e
    "$name"
  ) >> "$out/$name.log" 2>&1
  code=$?
  set -e
  if ((code == 0)); then
    touch "$out/$name.done"
  else
    failed+=("$name")
    echo "learned_attention.sh: $name failed: $(tail -n 1 "$out/$name.log")" >&2
  fi
}

learned() { "$python" -u -m "learned_attention.$1" "${@:2}"; }

# One at a time where several seeds begin together.
prepare() {
  mkdir -p "$corpus" "$trained"
  flock "$corpus/lock" "$python" -u -m learned_attention.train --folder "$corpus" "${train_options[@]}" --prepare
  ln -f "$corpus"/{train.bin,validation.bin,tokenizer.json,corpus.json} "$trained"
}

train() {
  if ! grep -qs '"finished": true' "$trained/run.json"; then
    learned train --folder "$trained" --seconds "$train_seconds" --seed "$seed" --final-examples 24 \
      --final-tokens 262144 "${train_options[@]}"
  fi
}

capture() {
  [[ -z ${SOCKETLAB_GPU_LIBRARY:-} ]] || capture_options+=(--cuda-check)
  learned capture --model "$trained" --seed "$seed" --out "$out/heads.safetensors" "${capture_options[@]}"
  learned value_norms "$out/heads.safetensors" "$out/value_norms.csv" --seed "$seed"
}

evaluate() {
  learned evaluate --model "$trained" --seed "$seed" --seconds "$evaluate_seconds" --out "$evaluated" \
    "${evaluate_options[@]}"
}

contrasts() {
  learned contrasts "$evaluated"
  learned claims "$evaluated"
}

again() {
  learned evaluate --model "$trained" --seed "$seed" --seconds "$evaluate_seconds" --out "$out/again" \
    "${evaluate_options[@]}" --first-table
}

repeated() { learned repeat "$evaluated" "$out/again"; }

# Small tables as they are; the large ones and three logs in one archive, the same bytes from the same files.
record() {
  local kept=$out/record tables=$out/tables path bytes
  rm -rf "$kept" "$tables"
  mkdir -p "$kept" "$tables"
  for path in "$trained"/{run.json,training.csv,validation.csv} "$evaluated"/{losses,accuracies,claims}.csv \
    "$out/heads.safetensors"; do
    [[ ! -e $path ]] || cp "$path" "$kept"
  done
  awk 'FNR > 1 || NR == 1' "$evaluated"/evaluation-*-of-*.csv > "$tables/evaluation.csv"
  cp "$evaluated"/evaluation-*-of-*.json "$tables"
  for path in "$evaluated"/{ablations,agreement,correlations,heads}.csv "$out/value_norms.csv"; do
    [[ ! -e $path ]] || cp "$path" "$tables"
  done
  for path in "$out"/{capture,evaluate,repeated}.log; do  # without the place where they were made
    [[ ! -e $path ]] || sed "s|$out/||g" "$path" > "$tables/$(basename "$path")"
  done
  tar -C "$out" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - tables |
    gzip -9n > "$kept/tables.tar.gz"
  bytes=$(cat "$kept"/* | wc -c)
  echo "$kept: $bytes bytes"
  ((bytes <= most_bytes)) || {
    echo "$kept: more than $most_bytes bytes"
    return 1
  }
}

# Without a model there is nothing to do; what comes then is tried whatever failed before.
step prepare
((${#failed[@]} > 0)) || step train
((${#failed[@]} > 0)) || for name in capture evaluate contrasts record again repeated; do step "$name"; done
# Once more, with what the repetition said.
rm -f "$out/record.done"
[[ ! -e $out/train.done ]] || step record
if ((${#failed[@]} > 0)); then
  echo "learned_attention.sh: failed: ${failed[*]}" >&2
  exit 1
fi
echo "$out/record is complete"
