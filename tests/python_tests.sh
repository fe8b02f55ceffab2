#!/usr/bin/env bash
# Runs the tests of the Python package that python_package.sh installed; 77 where it installed none.
# Usage: tests/python_tests.sh FOLDER COMMAND [models] [OPTION..]   as python_package.sh has them; models: those of
# socketlab.models alone, 77 without PyTorch
set -euo pipefail
[ -d "$1" ] || { echo "tests/python_tests.sh: no folder $1: tests/python_package.sh says why"; exit 77; }
source=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(cd -P -- "$1" && pwd)
command=$(realpath -- "$2")
cd "$folder" # not in the sources, so that what is tested is what was installed
if ! environment/bin/python -c 'import pytest, socketlab' 2>/dev/null; then
  echo "tests/python_tests.sh: no package in $folder/environment: tests/python_package.sh says why"
  exit 77
fi
tests=$source/python/tests
shift 2
if [ "${1:-}" = models ]; then
  shift
  tests+=/models
  if ! environment/bin/python -c 'import torch, transformers' 2>/dev/null; then
    echo "tests/python_tests.sh: no PyTorch, so that socketlab.models is not tested: $(tail -n 1 models.log 2>/dev/null)"
    exit 77
  fi
fi
SOCKETLAB_COMMAND=$command SOCKETLAB_SOURCE=$source \
  environment/bin/python -B -m pytest -q -p no:cacheprovider --rootdir "$source/python/tests" "$tests" "$@"
