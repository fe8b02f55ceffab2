#!/usr/bin/env bash
# Formatter, direction of includes, clang-tidy, ruff and shellcheck; no finding, or exit code 1; so too if a check cannot run.
# Usage: ./lint.sh [--all] [--base REV] [--only CHECK]..
#   --all          clang-tidy over every source; else over those that changed, some eight to a core at most
#   --base REV     changed since REV; default: where origin's branch left, or HEAD~1
#   --only CHECK   formatter, includes, ruff, shellcheck or clang-tidy alone; may be given again
# shellcheck disable=SC2329  # the checks are called by their names
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")"
tools=build/lint/bin
checks=()
all=""
base=""

refuse() {
  echo "lint.sh: $1" >&2
  exit 2
}

# Those that git tracks or would track, and that exist, each ended by a zero byte.
files() {
  git ls-files -zco --exclude-standard -- "$@" | while IFS= read -rd '' file; do
    [ ! -f "$file" ] || printf '%s\0' "$file"
  done
}

formatter() { files '*.cpp' '*.hpp' '*.cu' '*.cuh' '*.h' | xargs -0r "$tools/clang-format" --dry-run --Werror; }
includes() { files | python3 -B tools/includes.py; }
ruff() {
  files '*.py' | xargs -0r "$tools/ruff" check --output-format concise --quiet &&
    files '*.py' | xargs -0r "$tools/ruff" format --check --quiet
}
shellcheck() { files '*.sh' .ci/run | xargs -0r "$tools/shellcheck" --external-sources --format gcc; }

# The .cpp files that changed, those in work first, and those beside a changed header.
changed() {
  local since=$base
  [ -n "$since" ] || since=$(git merge-base HEAD origin/HEAD 2> /dev/null | grep -vx "$(git rev-parse HEAD)" || echo HEAD~1)
  git rev-parse -q --verify "$since^{commit}" > /dev/null || refuse "--base $since: allowed is a commit of this clone"
  {
    git diff --name-only HEAD
    git ls-files -o --exclude-standard
    git diff --name-only "$since"
  } | sed -n 's/\.[ch]pp$/.cpp/p' | awk '!seen[$0]++'
}

# Each source is compiled alone here, with GCC's library but without what only GCC knows.
clang-tidy() {
  local compiler=${CXX:-c++} commands=build/lint/commands sources known found
  cmake -S . -B "$commands" -DSKT_PIECES=OFF -DCMAKE_CXX_COMPILER_LAUNCHER= -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON > "$commands.log" 2>&1 || { cat "$commands.log" >&2; return 2; }
  sed -Ei 's/ -m(move|store)-max=[0-9]+| -march=native| -Winvalid-pch//g' "$commands/compile_commands.json"
  known=$(sed -n "s|^ *\"file\": \"$PWD/\(.*\.cpp\)\",\{0,1\}$|\1|p" "$commands/compile_commands.json" | sort -u)
  sources=$known
  if [ -z "$all" ]; then
    sources=$(changed) || exit 2
    sources=$(grep -Fx "$known" <<< "$sources" | head -n $((8 * $(nproc))) || true)
  fi
  # What clang says of the headers of others, as of GCC's omp.h, is not ours to mend, but for a header that it does not find.
  found=$(printf '%s' "$sources" | xargs -rd '\n' -n 1 -P "$(nproc)" "$tools/clang-tidy" --quiet -p "$commands" \
    "--extra-arg-before=--gcc-install-dir=$(dirname "$("$compiler" -print-libgcc-file-name)")" \
    "--extra-arg=-idirafter$("$compiler" -print-file-name=include)" 2>&1 |
    grep -E "^($PWD/|[^/]).*:[0-9]+:.* (warning|error): |file not found|^[Ee]rror: |^Error while trying" | sed "s|$PWD/||g" | sort -u || true)
  [ -z "$found" ] || { echo "$found"; return 1; }
}

while [ $# -gt 0 ]; do
  case "$1" in
    --all) all=yes ;;
    --base) base=${2:?"--base: a revision is missing"} && shift ;;
    --only)
      case "${2-}" in
        formatter | includes | ruff | shellcheck | clang-tidy) checks+=("$2") && shift ;;
        *) refuse "--only ${2-}: allowed are formatter, includes, ruff, shellcheck, clang-tidy" ;;
      esac ;;
    -h | --help) sed -n 2,6p "$0" && exit ;;
    *) refuse "$1: allowed are --all, --base REV, --only CHECK" ;;
  esac
  shift
done

if ! cmp -s tools/requirements.txt build/lint/requirements.txt; then
  python3 -c 'import ensurepip' 2> /dev/null || refuse "this Python cannot make virtual environments: install python3-venv"
  python3 -m venv --clear build/lint
  "$tools/pip" install --quiet --disable-pip-version-check -r tools/requirements.txt
  cp tools/requirements.txt build/lint/requirements.txt
fi

code=0
for check in "${checks[@]:-formatter includes ruff shellcheck clang-tidy}"; do
  for name in $check; do
    if "$name"; then echo "$name: no finding"; else echo "$name: findings" && code=1; fi
  done
done
exit "$code"
