# Installing and building, shared by ./convoy and ./test. Sourced by bash, never run: it defines
# functions that use $root (the repository) and $me (the prefix of each line) of the
# script that sources it. All its messages go to stderr, so that a verb's stdout stays clean.
# With CONVOY_NO_INSTALL=1 it does not call apt-get.

say() { echo "$me: $*" >&2; }

# The packages of the given lists, without comments.
packages_in() { sed -e 's/#.*//' "$@" | tr -s ' \t\n' ' '; }

# The given packages that are not installed, one per line. One dpkg-query for all of them; it fails
# for unknown packages, but still prints the others.
missing_packages() {
  local installed
  installed=$( (dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null || true) |
    sed -n 's/^[ih]i *//p')
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
}

# Installs the missing packages of the given lists. If it may not (no root, no sudo) or apt-get
# fails, it prints the command to type and continues: the build shows whether a package was needed.
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
  # A new image has no package lists and an old one has outdated ones. If the update fails
  # (no network), the packages may still be in apt's cache.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
  if ! { "${apt[@]}" update || say "apt-get update failed; using the package lists there are"
         "${apt[@]}" install --no-install-recommends "${missing[@]}"; } </dev/null >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    say "apt-get failed (all of it: $log); by hand: sudo $line"
  fi
}

# Configures the preset $1 if needed (or if cmake arguments follow), then builds the targets in
# $targets. Ninja re-reads CMake's files and the list of sources by itself.
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

# Runs a command while no other process builds in this repository. The lock belongs to the subshell:
# the program that is started afterwards does not have it.
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
