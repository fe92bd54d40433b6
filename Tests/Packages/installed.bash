#!/usr/bin/env bash
# In a minimal Debian: runs the tarball, then installs the Debian package, uses what it brings, and purges it.
# Status 77: this machine cannot make one, and the last line says why.
# usage: Tests/Packages/installed.bash DIRECTORY      where the packages are
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly skipped_status=77 release=bookworm looks=100

skip() {
  echo "detail: $*"
  exit "$skipped_status"
}

# Mounts, and the network, are of a namespace, so none outlives this script however it ends.
if [ "${1:-}" != --unshared ]; then
  if [ "$(id -u)" -ne 0 ]; then skip "only root can make a minimal Debian"; fi
  for tool in debootstrap unshare chroot ip systemctl man; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
  unshare --mount --net true 2>/dev/null || skip "mounting is not allowed here"
  debian=$(mktemp -d)
  trap 'rm -rf --one-file-system "$debian" "$debian.log"' EXIT
  unshare --mount --propagation private -- bash "$0" --unshared "$debian" "$1"
  exit
fi
debian=$2 directory=$3
# shellcheck source-path=SCRIPTDIR source=debian.sh
. Tests/Packages/debian.sh

say() { printf '\n== %s, after %s s\n' "$*" "$SECONDS"; }

fail() {
  echo "error: $*"
  exit 1
}

is_there() { [ -e "$debian$1" ] || fail "there is no $1"; }
is_gone() { if [ -e "$debian$1" ] || [ -L "$debian$1" ]; then fail "$1 is still there"; fi; }

# Everything of its name but the packages themselves, and what the system notes of packages that once were there.
remains() {
  find "$debian" -xdev \( -path "$debian/srv" -o -path "$debian/var/log" -o -path "$debian/proc" \
    -o -path "$debian/dev" \) -prune -o -name '*lastword*' -print
  grep -H lastword "$debian"/etc/{passwd,group,shadow,gshadow} || true
}

# As the unit starts it, in a network where its port is free.
serve_as_service() {
  # shellcheck disable=SC2016 # the shell in there expands its own
  unshare --net -- bash -euc '
    ip link set lo up
    chroot --userspec lastword:lastword "$1" env -i LASTWORD_CONFIG=/etc/lastword/lastword.toml \
      /usr/bin/lastword serve --config /etc/lastword/lastword.toml &
    service=$!
    trap "kill -9 $service 2>/dev/null || true" EXIT
    healthy() { chroot "$1" env -i LASTWORD_CONFIG=/etc/lastword/lastword.toml /usr/bin/lastword health; }
    for ((look = 1; look < $2; look++)); do if healthy "$1" >/dev/null 2>&1; then break; fi; sleep 0.1; done
    healthy "$1"
    kill -TERM "$service"
    wait "$service"' bash "$debian" "$looks"
}

# The paths in it are of this system, not of that.
verify_unit() {
  local copy=$debian.units
  mkdir "$copy"
  sed "s#^ExecStart=/#ExecStart=$debian/#" "$debian/usr/lib/systemd/system/lastword.service" >"$copy/lastword.service"
  systemd-analyze verify --man=no "$copy/lastword.service"
  rm -r "$copy"
}

# A listener with TLS, and what it names.
make_secure_configuration() {
  examples/tls/certificates.sh "$debian/srv/tls" >/dev/null
  printf '%s\n' '[[listen]]' 'address = "127.0.0.1:0"' \
    'tls = { certificate = "/srv/tls/server.pem", key = "/srv/tls/server.key" }' >"$debian/srv/tls/lastword.toml"
}

say "A minimal Debian without what the program was built with"
make_debian "$release"
mount_system
cp "$directory"/* "$debian/srv/"
if inside sh -c 'ls /usr/lib/*/libuv.so* /usr/lib/*/libcurl.so* /usr/lib/*/libssl.so*' 2>/dev/null; then
  fail "it has libuv, libcurl or OpenSSL"
fi

say "The tarball, unpacked in an empty directory"
mkdir "$debian/srv/empty"
tar --extract --file "$debian"/srv/*.tar.gz --directory "$debian/srv/empty" --strip-components 1
inside /srv/empty/bin/lastword --version
inside /srv/empty/bin/lastword config check /srv/empty/share/doc/lastword/lastword.toml
inside /srv/empty/bin/lastword simulate --seeds 20 2>/dev/null | tail -n 1
python3 Tests/Packages/http_upstream.py refused chroot "$debian" /srv/empty/bin/lastword
make_secure_configuration
inside /srv/empty/bin/lastword config check /srv/tls/lastword.toml 2>"$debian.log" && fail "it has TLS without OpenSSL"
grep -q 'this machine has no OpenSSL 3' "$debian.log" || fail "it does not say what TLS lacks: $(cat "$debian.log")"

say "The Debian package"
inside apt-get -qq update
inside sh -c 'DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends /srv/*.deb' \
  >"$debian.log" 2>&1 || { cat "$debian.log" && fail "it cannot be installed"; }
inside dpkg --verify lastword
inside lastword --version
inside lastword config check /etc/lastword/lastword.toml
[ "$(MANPATH=$debian/usr/share/man man --where lastword)" = "$debian/usr/share/man/man1/lastword.1.gz" ] ||
  fail "man does not find its page"
for file in bash-completion/completions/lastword zsh/vendor-completions/_lastword \
  fish/vendor_completions.d/lastword.fish doc/lastword/{copyright,changelog.gz,changelog.Debian.gz,lastword.toml}; do
  is_there "/usr/share/$file"
done
python3 Tests/Packages/http_upstream.py answered chroot "$debian" /usr/bin/lastword

say "The tarball's program finds libcurl and OpenSSL once they are there"
python3 Tests/Packages/http_upstream.py answered chroot "$debian" /srv/empty/bin/lastword
for program in /usr/bin/lastword /srv/empty/bin/lastword; do
  inside "$program" config check /srv/tls/lastword.toml || fail "$program has no TLS"
done

say "Its service"
is_gone /etc/systemd/system/multi-user.target.wants/lastword.service
verify_unit
inside id lastword
serve_as_service
systemctl --root "$debian" enable lastword.service
[ -L "$debian/etc/systemd/system/multi-user.target.wants/lastword.service" ] || fail "it cannot be enabled"

say "Installed again, removed, and purged"
echo '# mine' >>"$debian/etc/lastword/lastword.toml"
inside sh -c 'dpkg --force-confold --install /srv/*.deb' >/dev/null
[ "$(tail -n 1 "$debian/etc/lastword/lastword.toml")" = "# mine" ] || fail "a configuration that was changed is lost"
inside dpkg --remove lastword
is_there /etc/lastword/lastword.toml
is_gone /usr/bin/lastword
inside dpkg --purge lastword
[ -z "$(remains)" ] || fail "after purging there is still: $(remains)"
