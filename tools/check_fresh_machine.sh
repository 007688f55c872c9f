#!/usr/bin/env bash
# Tests the way from a clone to a running program on a new Debian 12: makes one with debootstrap (only bash, git
# and apt) in a scratch folder, clones HEAD into it and runs ./convoy and ./test there.
#
#   sudo tools/check_fresh_machine.sh [--keep] [--quick] [COMMAND ...]
#
# --keep keeps the folder; --quick skips ./test; COMMAND (default: ./convoy --version) is run
# after the install, e.g. ./convoy train. Needs root, debootstrap, and the network. Mirror,
# keys and proxies are this machine's, read from /etc/apt when it runs.
set -euo pipefail

keep=no quick=no
while [[ ${1:-} == --* ]]; do
  case $1 in
    --keep) keep=yes ;;
    --quick) quick=yes ;;
    *) echo "check_fresh_machine: unknown option $1; try: --keep, --quick" >&2; exit 2 ;;
  esac
  shift
done
command=("${@:-./convoy}")
[[ $# -gt 0 ]] || command=(./convoy --version)
[[ $EUID -eq 0 ]] || { echo "check_fresh_machine: needs root; try: sudo" >&2; exit 1; }
command -v debootstrap >/dev/null ||
  { echo "check_fresh_machine: no debootstrap; try: apt-get install debootstrap" >&2; exit 1; }

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/convoy-fresh.XXXXXX")
system=$scratch/system
# Mounts are made in a separate namespace (below), so $system contains nothing of this machine here.
trap '[[ $keep == yes ]] && echo "kept: $scratch" || rm -rf --one-file-system "$scratch"' EXIT

say() { echo "== $* ($SECONDS s)"; }

# The first mirror in apt's configuration, in either of its two formats.
mirror=$(find /etc/apt/sources.list /etc/apt/sources.list.d -name '*.sources' -o -name '*.list' 2>/dev/null |
  xargs -r sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb +(\[[^]]*\] +)?([^ ]+).*/\2/p' | head -n 1) || true
[[ -n $mirror ]] || { echo "check_fresh_machine: no mirror in /etc/apt" >&2; exit 1; }

say "a fresh Debian 12"
debootstrap --variant=minbase --include=git,ca-certificates bookworm "$system" "$mirror" >"$scratch/debootstrap.log" 2>&1 ||
  { tail -n 20 "$scratch/debootstrap.log" >&2; exit 1; }
# Copies how this machine reaches its mirror; the package lists stay empty, as in an image.
rm -rf "$system"/etc/apt/sources.list "$system"/var/lib/apt/lists/*
for part in sources.list sources.list.d apt.conf.d auth.conf.d trusted.gpg.d trusted.gpg keyrings; do
  if [[ -e /etc/apt/$part ]]; then cp -rL "/etc/apt/$part" "$system/etc/apt/"; fi
done
cp -L /etc/resolv.conf /etc/hosts "$system/etc/"
cp -rL /usr/share/keyrings/. "$system/usr/share/keyrings/"
cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"
rm -f "$system"/etc/apt/apt.conf.d/{20packagekit,50appstream}  # hooks that call programs not installed

git clone --quiet --no-hardlinks "file://$root" "$system/srv/convoy"
chroot "$system" useradd --create-home --home-dir /srv/guest guest
chroot "$system" chown -R guest: /srv/convoy

# Runs a command in the repository of the new system: as root, or as its user `guest`.
inside() {
  local user=$1
  shift
  unshare --mount --fork --pid --kill-child bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys"
    exec chroot --userspec="$2" "$1" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      HOME="$3" LANG=C.UTF-8 CI=true ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
      bash -c "cd /srv/convoy && exec \"\$@\"" bash "${@:4}"' \
    bash "$system" "$user" "$([[ $user == guest ]] && echo /srv/guest || echo /root)" "$@" </dev/null
}
fail() { echo "FAILED: $*" >&2; exit 1; }

say "a user without rights gets the one line to ask for"
said=$(inside guest ./convoy --version 2>&1) && fail "it built without a compiler"
grep -q 'sudo apt-get install --no-install-recommends .*cmake' <<<"$said" || fail "$said"

say "root: ./convoy --version"
chroot "$system" chown -R root: /srv/convoy
inside root ./convoy --version || fail "./convoy --version"

say "again: nothing to do"
milliseconds=$(inside root bash -c 'start=$(date +%s%N); CONVOY_NO_INSTALL=1 ./convoy --version >/dev/null 2>said
  echo $((($(date +%s%N) - start) / 1000000)); test ! -s said && rm said') || fail "it said something"
echo "$milliseconds ms"
[[ $milliseconds -lt 300 ]] || fail "more than 300 ms"

say "${command[*]}"
inside root "${command[@]}" || fail "${command[*]}"

if [[ $quick == no ]]; then
  say "./test"
  inside root ./test || fail "./test"
fi
say "the fresh machine works"
