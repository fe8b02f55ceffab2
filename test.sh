#!/usr/bin/env bash
# Builds everything, checks how the code reads (lint.sh) and runs the whole test suite; ends with the summary of ctest.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")"
source ./setup.sh

packages+=(clang libclang-rt-dev)  # libFuzzer: the tests feed broken files to the readers
packages+=(python3-venv)           # lint.sh and the Python package: their tools, in environments of their own
packages+=(python3-dev)            # the Python package: the headers of the interpreter
packages+=(python3-sphinx python3-myst-parser furo python3-breathe doxygen)  # the documentation site
install_missing
# shellcheck disable=SC2119  # without a target: everything
configure_and_build
./lint.sh
exec ctest --preset release -j "$(nproc)"
