#!/usr/bin/env bash
# From a fresh Debian 12 or Ubuntu 24.04 machine to results/report.html.
# Usage: ./reproduce.sh [options of `socketlab reproduce`, e.g. --profile standard]
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")"
source ./setup.sh

install_missing
configure_and_build --target socketlab
exec ./build/socketlab reproduce --out results "$@"
