#!/usr/bin/env bash
# Builds, checks how the code reads (lint.sh) and tests; ends with the summary of ctest.
# Usage: ./test.sh [--all]   --all: also what is slow or needs more tools, and all kernels (CONTRIBUTING.md)
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")"
source ./setup.sh

packages+=(python3-venv)  # lint.sh and the Python package: their tools, in environments of their own
packages+=(python3-dev)   # the Python package: the headers of the interpreter
case "$*" in
  "")
    install_missing
    configure_and_build --target test_programs
    ./lint.sh
    exec ctest --preset release --no-label-summary -j "$(nproc)" -LE slow -E '_NOT_BUILT'
    ;;
  --all)
    packages+=(clang libclang-rt-dev)  # libFuzzer: the tests feed broken files to the readers
    packages+=(python3-sphinx python3-myst-parser furo)  # the documentation site
    install_missing
    # shellcheck disable=SC2119  # without a target: everything
    configure_and_build
    ./lint.sh
    rm -rf build/python/environment  # the package's: made anew
    export SOCKETLAB_MODELS="${SOCKETLAB_MODELS-1}"  # PyTorch for the tests of socketlab.models
    exec ctest --preset release --no-label-summary -j "$(nproc)"
    ;;
  *)
    echo "test.sh: $*: allowed are --all or nothing" >&2
    exit 2
    ;;
esac
