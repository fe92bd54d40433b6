#!/usr/bin/env bash
# Drives examples/clients/bash/lastword.sh as Tests/Clients/minimal.py says.
# usage: driver.sh DIRECTORY HOST PORT
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../examples/clients/bash/lastword.sh
. "$1/lastword.sh"
declare -A ids=()

outcome() {
  local status=0 code
  lastword_wait "$1" || status=$?
  if [ "$status" -eq 0 ]; then
    printf 'result %s\n' "$(jq -r .q <<<"$lastword_answer")"
  elif [ "$status" -eq 69 ]; then
    echo lost
  else
    code=$(jq .code <<<"$lastword_answer")
    if [ "$status" -ne 1 ]; then code+=" unwanted"; fi
    if lastword_may_have_run; then code+=" may-have-run"; fi
    echo "error $code"
  fi
}

if [ -n "${LASTWORD_CA-}" ]; then
  lastword_connect_tls "$2" "$3" "$LASTWORD_CA"
else
  lastword_connect "$2" "$3"
fi
if [ -n "${LASTWORD_TOKEN-}" ] && ! lastword_authenticate; then
  echo "error: $lastword_answer" >&2
  exit 1
fi
while read -r command name rest; do
  case $command in
  ask)
    read -r key ms q <<<"$rest"
    lastword_send sleep "$(jq -cn --argjson ms "$ms" --arg q "$q" '{$ms, $q}')" "$(jq -cn --arg key "$key" '{$key}')"
    ids[$name]=$lastword_id
    ;;
  call)
    lastword_send "$rest"
    ids[$name]=$lastword_id
    ;;
  cancel) lastword_cancel "${ids[$name]}" ;;
  # Not in a shell of its own: what it reads stays.
  wait)
    printf '%s ' "$name"
    outcome "${ids[$name]}"
    ;;
  esac
done
lastword_close
