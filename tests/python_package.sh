#!/usr/bin/env bash
# Builds the Python package in a virtual environment of its own, which is kept, and runs its tests; 77 where Python or pip cannot, and says why.
# Usage: tests/python_package.sh FOLDER COMMAND [OPTION..]   FOLDER: for the environment and the objects; COMMAND: the
# program socketlab; OPTION: of pytest
# The libraries of the command's own build are taken, so that little is compiled; where it has sanitizers, or COMMAND lies
# in no build, all is, with -O1: what it computes is the same, and the time is half. Objects are kept between runs.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
folder=$1 command=$2
tests=$PWD/tests/python_tests.sh

if ! python3 -c 'import ensurepip' 2>/dev/null; then
  echo "tests/python_package.sh: this Python cannot make virtual environments: install python3-venv"
  exit 77
fi
if ! python3 -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; then
  echo "tests/python_package.sh: this Python has no headers: install python3-dev"
  exit 77
fi
mkdir -p "$folder"
folder=$(cd -P -- "$folder" && pwd)
[ -x "$folder/environment/bin/python" ] || python3 -m venv --clear "$folder/environment"
pip() { "$folder/environment/bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
if ! pip install --retries 1 --timeout 20 scikit-build-core nanobind numpy pytest matplotlib mypy 2>"$folder/pip.log"; then
  echo "tests/python_package.sh: pip could not fetch scikit-build-core, nanobind, numpy, pytest, matplotlib and mypy: $(tail -n 1 "$folder/pip.log")"
  exit 77
fi
export CMAKE_BUILD_PARALLEL_LEVEL; CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
options=(--config-settings=build-dir="$folder/objects")
options+=(--config-settings=cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O1)
built=$(cd -P -- "$(dirname -- "$command")" && pwd)
if [ -f "$built/CMakeCache.txt" ] && ! grep -q '^SKT_SANITIZE:BOOL=ON' "$built/CMakeCache.txt"; then
  options+=(--config-settings=cmake.define.SKT_PYTHON_FROM="$built")
fi
if command -v ccache >/dev/null; then
  options+=(--config-settings=cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
PATH=$folder/environment/bin:$PATH pip install --no-build-isolation --no-deps "${options[@]}" .

# Tests of socketlab.models need PyTorch: that of python3, behind the environment's own packages. Where it has none and
# SOCKETLAB_MODELS=1 asks for it, as ./test.sh --all does, it is installed: the wheel for the CPU from PyTorch's own index,
# or else that of PyPI, which does not load without CUDA's libraries (6 GB in all). Where neither can be had the tests of
# socketlab.models are skipped, and models.log says why.
theirs=$("$folder/environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/models_of_python3.pth
log=$folder/models.log
rm -f "$theirs"
install_models() {
  local needed free install=("$folder/environment/bin/python" -m pip --disable-pip-version-check --quiet install)
  mapfile -t needed < <("$folder/environment/bin/python" -c '
import importlib.metadata
for line in importlib.metadata.requires("socketlab"):
    if "models" in line.partition(";")[2]:
        print(line.partition(";")[0])')
  timeout 600 "${install[@]}" --retries 0 --timeout 20 --index-url https://download.pytorch.org/whl/cpu "${needed[@]:0:1}" \
    2>"$log" || {
    free=$(df --output=avail -BG "$folder" | tail -n 1)
    ((${free//[!0-9]/} >= 15)) || { echo "$folder: ${free// /} free; PyTorch takes 6 GB, and pip as much for a time" >"$log"; return 1; }
  }
  timeout 1200 "${install[@]}" "${needed[@]}" 2>"$log" || {
    echo "pip could not install ${needed[*]} within 20 minutes: $(tail -n 1 "$log")" >"$log"
    rm -rf "${theirs%/*}/torch"  # half of it would be an error in its place
    return 1
  }
}
if ! python3 -c '
import importlib.util, pathlib
for name in ("torch", "transformers"):
    print(pathlib.Path(importlib.util.find_spec(name).origin).parents[1])' >"$theirs" 2>/dev/null; then
  rm -f "$theirs"
  echo "python3 has no PyTorch with transformers, and SOCKETLAB_MODELS is not 1" >"$log"
  [ "${SOCKETLAB_MODELS:-}" != 1 ] || install_models || true
fi
exec "$tests" "$folder" "$command" "${@:3}"
