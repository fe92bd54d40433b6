# shellcheck shell=bash
# What scripts/typeahead, scripts/minimal-clients and scripts/upstreams share, in the root of the repository: programs in
# many languages, each in a directory with its name, each built by a function build_LANGUAGE, which leaves in `words` what
# starts it.
LASTWORD_BINARY=${LASTWORD_BINARY:-.build/release/lastword}
export LASTWORD_BINARY

stop() {
  printf 'error: %s\n' "$@" >&2
  exit 69
}

if ! [ -x "$LASTWORD_BINARY" ]; then stop "there is no program $LASTWORD_BINARY"; fi
swift_directory=$(scripts/prepare clients)
export PATH="$swift_directory:$PATH"
directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT
export GOCACHE=$directory/go-cache
words=()

# DIRECTORY NAME: a program of Rust with TLS, whose crates Debian has.
build_crate() {
  mkdir "$1/.cargo"
  printf '%s\n' '[source.crates-io]' 'replace-with = "debian"' '[source.debian]' \
    'directory = "/usr/share/cargo/registry"' >"$1/.cargo/config.toml"
  printf '%s\n' '[package]' "name = \"$2\"" 'version = "0.0.0"' 'edition = "2021"' '[[bin]]' "name = \"$2\"" \
    "path = \"$2.rs\"" '[features]' 'default = ["tls"]' 'tls = ["native-tls"]' '[dependencies]' \
    'native-tls = { version = "0.2", optional = true }' >"$1/Cargo.toml"
  (cd "$1" && RUSTFLAGS='-D warnings' cargo build --quiet --offline)
}

build() {
  local builder=build_$2
  if ! declare -F "$builder" >/dev/null; then stop "nothing here builds $1/$2"; fi
  echo "== $2"
  "$builder"
}

# PROGRAMS CHECK FAULTS [LANGUAGE...]: all languages, and that the check finds faults, or those that are named.
hold_against() {
  local programs=$1 check=$2 faults=$3 failed=() languages detail language
  shift 3
  languages=("$@")
  if [ $# -eq 0 ]; then
    # What is for pages scripts/browser holds.
    mapfile -t languages < <(find "$programs" -mindepth 1 -maxdepth 1 -type d ! -name browser -printf '%f\n' | sort)
  fi
  for language in "${languages[@]}"; do
    # Not behind a condition, where a command of it that fails would not count.
    build "$programs" "$language"
    python3 "$check" "${words[@]}" || failed+=("$language")
  done
  if [ ${#failed[@]} -gt 0 ]; then
    echo "error: not as $programs/README.md says: ${failed[*]}"
    exit 1
  fi
  detail="${#languages[@]} languages"
  if [ $# -eq 0 ]; then
    echo "== deliberate faults"
    detail+=", $(python3 "$faults") deliberate faults found"
  fi
  echo "detail: $detail"
}
