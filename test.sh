#!/usr/bin/env bash
# Builds everything and runs the whole test suite; ends with the summary of ctest.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")"
source ./setup.sh

packages+=(clang libclang-rt-dev)  # libFuzzer: the tests feed broken files to the readers
install_missing
configure_and_build
exec ctest --preset release -j "$(nproc)"
