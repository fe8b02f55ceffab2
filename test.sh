#!/usr/bin/env bash
# Builds everything, checks how the code reads (lint.sh) and runs the whole test suite; ends with the summary of ctest.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")"
source ./setup.sh

packages+=(clang libclang-rt-dev)  # libFuzzer: the tests feed broken files to the readers
packages+=(python3-venv)           # lint.sh: its tools, in an environment of their own
install_missing
# shellcheck disable=SC2119  # without a target: everything
configure_and_build
./lint.sh
exec ctest --preset release -j "$(nproc)"
