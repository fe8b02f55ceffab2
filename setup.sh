# shellcheck shell=bash
# What ./reproduce.sh and ./test.sh share: install what is missing, configure, build. Sourced, not run.
# The caller has set `set -euo pipefail` and stands in the root of the repository.

packages=(git cmake ninja-build g++ libeigen3-dev libboost-dev catch2 nlohmann-json3-dev
          libfmt-dev librandom123-dev libnlopt-cxx-dev python3-numpy
          python3-matplotlib python3-jinja2)

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

say_what_to_install() {
  echo "Install these (names as in Debian 12), then run again:" >&2
  echo "  ${packages[*]}" >&2
}

install_missing() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    if have_tools; then return; fi
    echo "This system has no apt-get, and nothing was installed." >&2
    say_what_to_install
    exit 2
  fi
  local missing=() package
  for package in "${packages[@]}"; do is_installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
      echo "Missing packages, and no right to install them. Run as root, then run this again:" >&2
      echo "  apt-get install -y ${missing[*]}" >&2
      exit 2
    fi
    as_root=(sudo -n)
  fi
  echo "Installing: ${missing[*]}"
  "${as_root[@]}" apt-get update -q
  # Packages that not every release has; which is known only now that the lists are fresh.
  local wanted=()
  for package in "${missing[@]}"; do
    case "$package" in
      libclang-rt-dev) [ -n "$(apt-cache show "$package" 2>/dev/null)" ] || continue ;;
    esac
    wanted+=("$package")
  done
  [ ${#wanted[@]} -eq 0 ] ||
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${wanted[@]}"
}

# Where there is no apt-get the reader installs by hand; a missing library then shows when CMake configures.
have_tools() {
  local tool
  for tool in git cmake ninja c++ python3; do command -v "$tool" >/dev/null || return 1; done
}

# One compiler process of this project takes up to 1.5 GiB, so memory bounds the number of jobs as well.
build_jobs() {
  local by_memory cores
  cores=$(nproc)
  by_memory=$(awk '/^MemAvailable/ { print int($2 / 1572864) }' /proc/meminfo)
  [ "${by_memory:-1}" -ge 1 ] || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# A build folder that was configured at another path (a moved or copied clone) is configured afresh.
configure_and_build() {
  local fresh=()
  if [ -f build/CMakeCache.txt ] &&
     ! { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" build/CMakeCache.txt &&
         grep -qxF "CMAKE_GENERATOR:INTERNAL=Ninja" build/CMakeCache.txt; }; then
    fresh=(--fresh)
  fi
  if ! cmake --preset release "${fresh[@]}"; then
    command -v apt-get >/dev/null || say_what_to_install
    exit 2
  fi
  cmake --build --preset release -j "$(build_jobs)" "$@"
}
