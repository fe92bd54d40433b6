#!/usr/bin/env bash
# Makes the packages, twice, looks at what is in them, and installs and runs each in an environment of its own.
# Status 77: all but the Debian package was tried, and the last line says why it was not.
# usage: Tests/Packages/packages.bash [--kept]      with it, of the programs that scripts/package built last
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
readonly made=$directory/made again=$directory/again

say() { printf '\n== %s, after %s s\n' "$*" "$SECONDS"; }

fail() {
  echo "error: $*"
  exit 1
}

expect() { [ "$2" = "$3" ] || fail "$1: '$2' instead of '$3'"; }

say "Made"
scripts/package "$@" "$made"
(cd "$made" && sha256sum --check --strict SHA256SUMS)
expect "files with a checksum" "$(wc -l <"$made/SHA256SUMS")" "$(find "$made" -type f -not -name SHA256SUMS | wc -l)"

say "Made again, to the same bytes"
TZ=Asia/Tokyo LC_ALL=C scripts/package --kept "$again" >/dev/null
diff --recursive "$made" "$again"

say "One number for all"
version=$("$PWD/.build-programs/system" --version | sed -n '1s/^lastword //p')
expect "the contract's version" "$(sed -n 's/^    "version": "\(.*\)",$/\1/p' proto/openrpc.json)" "$version"
expect "the container's version" "$(sed -n 's/.*image\.version="\([^"]*\)".*/\1/p' Dockerfile)" "$version"
others=$(find "$made" -name 'lastword*' -not -name "lastword[-_]${version}[-.]*")
expect "files of another version" "$others" ""

say "What lintian says of the Debian package"
lintian --allow-root --fail-on error,warning "$made"/*.deb

say "What others say of the wheel, and of the list of contents"
python=$(scripts/venv .build-package-checks Tests/Packages/requirements.txt)
tag=$(basename "$made"/*.whl .whl | sed 's/.*-py3-none-//')
shown=$("$python" -m auditwheel show "$made"/*.whl | tr '\n' ' ')
[[ $shown == *"following platform tag: \"$tag\""* ]] || fail "auditwheel finds another tag than $tag: $shown"
"$python" Tests/Packages/contents.py "$made" .build-programs/Package.resolved

say "The wheel, installed with pip, between an editor and its language server"
python3 -m venv "$directory/fresh"
readonly fresh=$directory/fresh/bin
"$fresh/pip" --disable-pip-version-check --quiet install --constraint Tests/Servers/requirements.txt \
  python-lsp-server "$made"/*.whl
expect "what pip installed" "$("$fresh/lastword" --version)" "$(.build-programs/portable --version)"
PATH=$fresh:$PATH python3 Tests/Packages/session.py lastword wrap -- pylsp
PATH=$fresh:$PATH UV_CACHE_DIR=$directory/uv python3 Tests/Packages/session.py \
  "${python%/*}/uvx" --quiet --offline --from "$made"/*.whl lastword wrap -- pylsp
say "The wheel's program, and a search box to type into"
LASTWORD_BINARY=$fresh/lastword "$fresh/python" Tests/Clients/typeahead.py "$fresh/python" \
  examples/clients/python/typeahead.py
"$fresh/pip" --disable-pip-version-check --quiet uninstall --yes lastword
expect "what pip leaves" "$(find "$directory/fresh" -name '*lastword*')" ""

say "The tarball and the Debian package, in a minimal Debian"
bash Tests/Packages/installed.bash "$made"
echo "detail: tarball, Debian package, wheel $tag; of $version"
