#!/usr/bin/env bash
# Tries scripts/build-information in a small repository, and in none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
for place in repository none repository/inside; do
  mkdir -p "$directory/$place/scripts" "$directory/$place/Sources"
  cp scripts/build-information "$directory/$place/scripts/"
  cp -r Sources/CBuildInformation "$directory/$place/Sources/"
  rm -f "$directory/$place/Sources/CBuildInformation/generated.h"
done
# Whatever repository the directory of temporary files is in.
export GIT_CEILING_DIRECTORIES=$directory

expect() {
  if [ "$2" = "$3" ]; then return; fi
  echo "error: $1: $2 instead of $3"
  exit 1
}

git_there() { git -C "$directory/repository" -c user.name=test -c user.email=test@localhost "$@"; }
written() { sed -n 's/^#define LASTWORD_REVISION "\(.*\)"$/\1/p' "$directory/$1/Sources/CBuildInformation/generated.h"; }
told() { "$directory/$1/scripts/build-information" "${@:2}"; }
source_time() { stat --format %y "$directory/repository/Sources/CBuildInformation/build_information.c"; }

git_there init --quiet
cp .gitignore "$directory/repository/"
echo /inside >>"$directory/repository/.gitignore"
git_there add .
git_there commit --quiet --message one
first=$(git_there rev-parse --short=12 HEAD)

told repository
expect "a commit" "$(written repository)" "$first"
before=$(source_time)
told repository
expect "nothing new" "$(source_time)" "$before"
expect "what is generated is not part of the commit" "$(git_there status --porcelain)" ""
echo >>"$directory/repository/scripts/build-information"
told repository
expect "a change" "$(written repository)" "$first-dirty"
if [ "$(source_time)" = "$before" ]; then expect "the source" "as old as before" "touched"; fi
told repository v1.2.3
expect "a revision" "$(written repository)" v1.2.3

told none
if [ -e "$directory/none/Sources/CBuildInformation/generated.h" ]; then expect "without git" "a file" "none"; fi
told none 0f1e2d3c
expect "a revision without git" "$(written none)" 0f1e2d3c
told none
expect "what was written before" "$(written none)" 0f1e2d3c
status=0
told none 'a"b' 2>/dev/null || status=$?
expect "a revision that is none" "$status" 64
expect "what was written before" "$(written none)" 0f1e2d3c

# A program that is there already.
compiler=$(command -v clang || command -v cc)
echo '#include <stdio.h>
#include "build_information.h"
int main(void) { return puts(lastword_revision()) < 0; }' >"$directory/main.c"
(cd "$directory/repository/Sources/CBuildInformation" &&
  "$compiler" -O2 -Iinclude -o "$directory/program" "$directory/main.c" build_information.c)
expect "as it was compiled" "$("$directory/program")" v1.2.3
told repository --into "$directory/program" 0123456789ab-dirty
expect "as it was told" "$("$directory/program")" 0123456789ab-dirty
told repository --into "$directory/program" v2
expect "as it was told again" "$("$directory/program")" v2
status=0
told repository --into "$directory/program" "$(printf '%064d' 0)" 2>/dev/null || status=$?
expect "a revision that is too long" "$status $("$directory/program")" "64 v2"

told repository/inside
if [ -e "$directory/repository/inside/Sources/CBuildInformation/generated.h" ]; then
  expect "in somebody else's repository" "a file" "none"
fi
echo "detail: build information"
