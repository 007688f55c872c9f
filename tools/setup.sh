# Installing and building, shared by ./convoy and ./test. Sourced by bash, never run: it defines
# functions that take $root (the repository) and $me (the name in front of each line) from the
# script that sources it. Everything it says goes to stderr, so that a verb's stdout stays clean.
# CONVOY_NO_INSTALL=1 keeps it from calling apt-get.

say() { echo "$me: $*" >&2; }

# The packages of the given lists, without comments.
packages_in() { sed -e 's/#.*//' "$@" | tr -s ' \t\n' ' '; }

# The given packages that are not installed, one per line. One dpkg-query for all of them; it fails
# where it does not know one, and prints the others all the same.
missing_packages() {
  local installed
  installed=$( (dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null || true) |
    sed -n 's/^[ih]i *//p')
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
}

# Installs what is missing from the given lists. Where it may not (no root, no sudo) or apt-get
# fails, it prints the one line to type and goes on: the build tells whether it matters.
install_packages() {
  command -v dpkg-query apt-get >/dev/null || return 0
  local missing as_root=() log="$root/build/install.log"
  mapfile -t missing < <(missing_packages $(packages_in "$@"))
  [[ ${#missing[@]} -gt 0 ]] || return 0

  local line="apt-get install --no-install-recommends ${missing[*]}"
  if [[ ${CONVOY_NO_INSTALL:-0} != 0 ]]; then
    say "missing Debian packages; to install them: sudo $line"
    return 0
  elif [[ $EUID -ne 0 ]]; then
    if ! sudo -n true 2>/dev/null; then
      say "missing Debian packages, and no right to install them; ask for: sudo $line"
      return 0
    fi
    as_root=(sudo -n)
  fi

  say "installing Debian packages: ${missing[*]}"
  # A fresh image has no package lists and an old one has stale ones. Where the update fails
  # (no network), the packages may still be in apt's cache.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
  if ! { "${apt[@]}" update || say "apt-get update failed; using the package lists there are"
         "${apt[@]}" install --no-install-recommends "${missing[@]}"; } </dev/null >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    say "apt-get failed (all of it: $log); by hand: sudo $line"
  fi
}

# Configures the preset in $1 where that is needed (or cmake arguments follow), then builds the
# targets in $targets. Ninja re-reads CMake's files and the list of sources by itself.
build_preset() {
  local preset=$1 dir="$root/build/$1" fresh=()
  shift
  if [[ -f $dir/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$dir/CMakeCache.txt"; then
    say "the repository was moved here; configuring anew"
    fresh=(--fresh)
  fi
  if [[ ! -f $dir/build.ninja || $# -gt 0 || ${#fresh[@]} -gt 0 ]]; then
    say "configuring $preset"
    (cd "$root" && cmake "${fresh[@]}" --preset "$preset" "$@") </dev/null >"$dir.log" 2>&1 || {
      cat "$dir.log" >&2
      say "cmake failed; try: rm -rf $dir, and install: $(packages_in "$root/tools/packages.txt")"
      return 1
    }
  fi
  (cd "$dir" && ninja -j "$(nproc)" "${targets[@]}") </dev/null >&2 || {
    say "the build failed; the first error above says why"
    return 1
  }
}

# Runs a command alone among all that build in this repository. The lock goes with the subshell:
# the program that is started afterwards does not hold it.
alone() {
  mkdir -p "$root/build"
  (
    if command -v flock >/dev/null; then
      exec 9>"$root/build/.lock"
      flock -n 9 || { say "another build is under way; waiting for it"; flock 9; }
    fi
    "$@" 9>&-
  )
}
