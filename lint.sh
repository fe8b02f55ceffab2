#!/usr/bin/env bash
# Formatter, direction of includes, clang-tidy, ruff and shellcheck; no finding, or exit code 1.
# Usage: ./lint.sh [--all] [--base REV] [--only CHECK]   (tools/lint.py --help)
# clang-tidy needs a configured build folder: ./test.sh or `cmake --preset release` makes it.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")"

environment=build/lint
if ! cmp -s tools/requirements.txt "$environment/requirements.txt"; then
  if ! python3 -c 'import ensurepip' 2>/dev/null; then
    echo "lint.sh: this Python cannot make virtual environments: install python3-venv" >&2
    exit 2
  fi
  python3 -m venv --clear "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check -r tools/requirements.txt
  cp tools/requirements.txt "$environment/requirements.txt"
fi
exec python3 -B tools/lint.py --tools "$environment/bin" "$@"
