#!/usr/bin/env bash
# Installs into a directory of its own, looks whether shells, man and systemd find what is there, and takes it away.
# LASTWORD_BINARY names the program; without it scripts/install builds one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
readonly root=$directory/root usual=$directory/root/usr/local

fail() {
  echo "error: $*"
  exit 1
}

expect() { [ "$2" = "$3" ] || fail "$1: '$2' instead of '$3'"; }
# Behind which line of text something stands.
holds() { grep -qF -- "$2" <<<"$1" || fail "no '$2' in: $1"; }
files() { (cd "$root" && find . -type f | LC_ALL=C sort); }

scripts/install --destdir "$root"
expect "files" "$(files)" "$(
  printf '%s\n' ./etc/lastword/lastword.toml ./usr/local/bin/lastword \
    ./usr/local/lib/systemd/system/lastword.service ./usr/local/share/bash-completion/completions/lastword \
    ./usr/local/share/doc/lastword/lastword.toml ./usr/local/share/fish/vendor_completions.d/lastword.fish \
    ./usr/local/share/man/man1/lastword.1 ./usr/local/share/zsh/site-functions/_lastword
)"
program=$usual/bin/lastword

echo "== the program"
"$program" --version
expect "mode" "$(stat --format %a "$program")" 755
expect "the rest's modes" "$(find "$root" -type f -not -path "$program" -printf '%m\n' | sort -u)" 644
"$program" config check "$root/etc/lastword/lastword.toml"

echo "== the manual page, as man finds it"
expect "page" "$(man --manpath "$usual/share/man" --where lastword)" "$usual/share/man/man1/lastword.1"
holds "$(MANWIDTH=80 man --manpath "$usual/share/man" lastword | col -b)" "lastword serve"
python3 Tests/Manual/manual.py "$program" "$usual/share/man/man1/lastword.1"

echo "== completions, as each shell finds them"
# shellcheck disable=SC2016 # these are for other shells
{
  holds "$(XDG_DATA_DIRS=$usual/share bash --norc -c \
    'source /usr/share/bash-completion/bash_completion; _completion_loader lastword; complete -p lastword')" _lastword
  holds "$(SITE=$usual/share/zsh/site-functions zsh -f -c \
    'fpath=("$SITE" $fpath); autoload -Uz compinit; compinit -u -D; print -r -- $_comps[lastword]')" _lastword
  # fish looks for completions only of programs that it finds.
  holds "$(HOME=$directory PATH=$usual/bin:$PATH XDG_DATA_DIRS=$usual/share fish -c 'complete -C "lastword s"')" simulate
}
mkdir "$directory/scripts"
cp "$usual/share/bash-completion/completions/lastword" "$directory/scripts/bash"
cp "$usual/share/zsh/site-functions/_lastword" "$directory/scripts/zsh"
cp "$usual/share/fish/vendor_completions.d/lastword.fish" "$directory/scripts/fish"
python3 Tests/Shells/completions.py "$program" "$directory/scripts"

echo "== a configuration that was changed"
echo '# mine' >>"$root/etc/lastword/lastword.toml"
rm "$usual/share/man/man1/lastword.1"
export LASTWORD_BINARY=$program
cp "$program" "$directory/lastword"
LASTWORD_BINARY=$directory/lastword scripts/install --destdir "$root" >/dev/null
expect "the last line" "$(tail -n 1 "$root/etc/lastword/lastword.toml")" "# mine"
[ -e "$usual/share/man/man1/lastword.1" ] || fail "the manual page did not come back"
scripts/install --destdir "$root" --uninstall
expect "what stays" "$(files)" ./etc/lastword/lastword.toml

echo "== a prefix of one's own, named from where one is"
mkdir "$directory/here"
here=$PWD
export LASTWORD_BINARY=$directory/lastword
(cd "$directory/here" && "$here/scripts/install" --prefix /opt/last-word --destdir out >/dev/null)
own=$directory/here/out/opt/last-word
holds "$(cat "$own/lib/systemd/system/lastword.service")" \
  "ExecStart=/opt/last-word/bin/lastword serve --config /opt/last-word/etc/lastword/lastword.toml"
"$own/bin/lastword" config check "$own/etc/lastword/lastword.toml"
scripts/install --prefix /opt/last-word --destdir "$directory/here/out" --uninstall >/dev/null
expect "what stays" "$(find "$directory/here" -type f)" ""

echo "== what is refused"
refused() {
  local status=0
  scripts/install "${@:2}" >/dev/null 2>&1 || status=$?
  expect "${*:2}" "$status" "$1"
}
refused 64 --prefix relative
refused 64 --prefix '/with space'
refused 64 --prefix
refused 64 --nonsense
if [ "$(id -u)" -eq 0 ] && [ -d /proc/sys ]; then refused 73 --destdir /proc/sys; fi
echo "detail: 8 files, found by man, bash, zsh, fish; build information"
