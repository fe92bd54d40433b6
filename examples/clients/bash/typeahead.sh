#!/usr/bin/env bash
# A typeahead on lastword: the newest query has the last word. Needs jq and flock.
#
#     bash typeahead.sh HOST:PORT KEY
#
# Bash waits for one thing at a time: whatever happens becomes a line in one pipe, and the loop at the end reads that.
set -uo pipefail
trap '' PIPE # A connection that is gone is heard of by reading.

readonly host=${1%:*} port=${1##*:} key=$2
readonly superseded=-32080 shutting_down=-32085 cancelled=-32800
readonly first_pause_ms=50 last_pause_ms=2000 line_limit=$((4 << 20))

# An id, an error's code or `none`, and what there is to show; what an error lacks is 0, or empty. What is no message
# becomes an empty line.
readonly as_words='fromjson? | objects | [
    (.id | tojson),
    (if .error == null then "none" else (.error | objects | .code | numbers) // 0 | tojson end),
    (if .error == null then .result | objects | .q else .error | objects | .message | strings end)
      // "" | tostring | gsub("\n"; " ")
  ] | join(" ")'

exec {events}<> <(:) {input}<&0
connection=0 # Their number so far.
socket=''    # Its descriptor; empty without a connection.
listener=''
pause_ms=$first_pause_ms
last_id=0
newest='' # The id of what is open, if it was sent on this connection.
open=false query='' waiting=false
held=() # Commands behind a `wait`.

say() { printf '%s\n' "$*"; }

# A pipe takes a long line in pieces: one writer at a time. The lock goes with the descriptor, at the function's end.
tell() {
  local lock
  exec {lock}<"/proc/$BASHPID/fd/$events"
  flock "$lock"
  say "$*" >&"$events"
  exec {lock}<&-
}

read_commands() {
  local line
  while IFS= read -r line; do tell "command $line"; done
  tell "command quit"
}

listen() {
  local line
  exec {socket}>&-
  # One that is cut off is too long.
  while IFS= read -r -n "$line_limit" line && [ ${#line} -lt "$line_limit" ]; do
    tell "message $(jq -Rr "$as_words" <<<"$line")"
  done
  tell "lost $1"
}

tell_later() {
  sleep "$1"
  tell "$2"
}

plan_to_connect() {
  local ms=$((pause_ms / 2 + RANDOM % (pause_ms / 2 + 1)))
  pause_ms=$((2 * pause_ms < last_pause_ms ? 2 * pause_ms : last_pause_ms))
  tell_later "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))" connect >/dev/null 2>&1 &
}

connect() {
  if ! { exec {socket}<>"/dev/tcp/$host/$port"; } 2>/dev/null; then
    socket=''
    plan_to_connect
    return
  fi
  connection=$((connection + 1))
  listen "$connection" <&"$socket" >/dev/null 2>&1 &
  listener=$!
  say online
  ask
}

lose() {
  kill "$listener" 2>/dev/null
  wait "$listener" 2>/dev/null
  exec {socket}>&-
  socket='' newest=''
  say offline
  plan_to_connect
}

send() { printf '%s\n' "$1" >&"$socket"; } 2>/dev/null

# Sends what is open, for the first time or again.
ask() {
  if ! $open || [ -z "$socket" ]; then return; fi
  last_id=$((last_id + 1))
  newest=$last_id
  send "$(jq -cn --argjson id "$newest" --argjson ms $((1000 - 50 * ${#query})) --arg q "$query" --arg key "$key" \
    '{jsonrpc: "2.0", $id, method: "sleep", params: {$ms, $q}, task: {$key, policy: "cancel"}}')"
}

# The older request is left alone: the gateway supersedes it.
type_text() {
  if ! $open; then say "spinner on"; fi
  open=true query=$1
  ask
}

clear_query() {
  if ! $open; then return; fi
  if [ -n "$newest" ]; then
    send '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":'"$newest"'}}'
  fi
  settle
}

settle() {
  open=false newest=''
  say "spinner off"
}

hear() {
  local id code text
  IFS=' ' read -r id code text <<<"$1"
  # Without the white space that `read` takes off the end.
  text=${1#"$id $code "}
  pause_ms=$first_pause_ms
  # Behind what is no message nothing is to be trusted.
  if [ -z "$id" ] || [ "$code" = "$shutting_down" ]; then
    if [ -n "$socket" ]; then lose; fi
  elif [ -n "$newest" ] && [ "$id" = "$newest" ]; then
    settle
    case $code in
    none) say "shown $text" ;;
    "$superseded" | "$cancelled") ;;
    *) say "failed $code $text" ;;
    esac
  fi
}

obey() {
  case $1 in
  'type '*) type_text "${1#type }" ;;
  clear) clear_query ;;
  wait) waiting=true ;;
  quit)
    clear_query
    exit
    ;;
  esac
}

# What still listens or sleeps would keep the output open.
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null' EXIT
read_commands <&"$input" >/dev/null &
tell connect
while IFS= read -r -u "$events" event; do
  case $event in
  'command '*) held+=("${event#command }") ;;
  'message '*) hear "${event#message }" ;;
  connect) connect ;;
  "lost $connection") if [ -n "$socket" ]; then lose; fi ;;
  esac
  while :; do
    if $waiting && ! $open; then
      say idle
      waiting=false
    fi
    if $waiting || [ ${#held[@]} -eq 0 ]; then break; fi
    command=${held[0]}
    held=("${held[@]:1}")
    obey "$command"
  done
done
