#!/usr/bin/env bash
# A typeahead on lastword: the newest query has the last word. Needs jq and flock.
#
#     bash typeahead.sh HOST:PORT KEY
#     LASTWORD_TOKEN=… LASTWORD_CA=ca.pem bash typeahead.sh tls:HOST:PORT KEY      which takes the openssl command
#
# Bash waits for one thing at a time: whatever happens becomes a line in one pipe, and the loop at the end reads that.
set -uo pipefail
trap '' PIPE # A connection that is gone is heard of by reading.

place=${1#tls:}
readonly host=${place%:*} port=${place##*:} key=$2 token=${LASTWORD_TOKEN-}
if [ "$place" = "$1" ]; then secure=false; else secure=true; fi
readonly secure superseded=-32080 shutting_down=-32085 unauthenticated=-32087 cancelled=-32800 not_allowed_status=77
readonly first_pause_ms=50 last_pause_ms=2000 connect_seconds=5 line_limit=$((4 << 20))

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
socket=''    # What is written to; empty without a connection.
online=false # Whoever answers is trusted, and knows who this is.
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
  # One that is cut off is too long.
  while IFS= read -r -n "$line_limit" line && [ ${#line} -lt "$line_limit" ]; do
    tell "message $(jq -Rr "$as_words" <<<"$line")"
  done
  tell "lost $1"
}

tell_later() {
  # A connection is not to wait for this.
  if [ -n "$socket" ]; then exec {socket}>&-; fi
  sleep "$1"
  tell "$2"
}

plan_to_connect() {
  local ms=$((pause_ms / 2 + RANDOM % (pause_ms / 2 + 1)))
  pause_ms=$((2 * pause_ms < last_pause_ms ? 2 * pause_ms : last_pause_ms))
  tell_later "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))" connect >/dev/null 2>&1 &
}

connect() {
  connection=$((connection + 1))
  if $secure; then
    connect_tls
  elif { exec {socket}<>"/dev/tcp/$host/$port"; } 2>/dev/null; then
    { exec {socket}>&- && listen "$connection"; } <&"$socket" >/dev/null 2>&1 &
    listener=$!
    tell_later "$connect_seconds" "late $connection" >/dev/null 2>&1 &
    introduce
  else
    socket=''
    plan_to_connect
  fi
}

# openssl says what it finds on standard error, which becomes lines of ours. The certificate has to be for that host, and
# from an authority in LASTWORD_CA, or else one that the system trusts.
connect_tls() {
  local options=(-connect "$host:$port" -brief -nocommands -verify_return_error) name=-verify_hostname
  # Addresses are no names: there is no SNI with them either.
  if [[ $host =~ ^[0-9.]+$|: ]]; then
    name=-verify_ip
    options+=(-noservername)
  else
    options+=(-servername "$host")
  fi
  if [ -n "${LASTWORD_CA-}" ]; then options+=(-CAfile "$LASTWORD_CA" -no-CApath -no-CAstore); fi
  # It ends with what it reads.
  exec {socket}> >({ openssl s_client "${options[@]}" "$name" "$host" 2> >(report "$connection") | listen "$connection"; } \
    >/dev/null 2>&1)
  listener=''
  tell_later "$connect_seconds" "late $connection" >/dev/null 2>&1 &
}

report() {
  local line
  while IFS= read -r line; do
    case $line in
    'verify error:'*) tell "refused certificate: ${line#verify error:}" ;;
    'CONNECTION ESTABLISHED') tell "secured $1" ;;
    esac
  done
}

# Says who this is, if there is something to say of it, and nothing else before that is answered. The token stands on no
# command line.
introduce() {
  if [ -z "$token" ]; then
    begin
  else
    send "$(LASTWORD_TOKEN=$token jq -cn \
      '{jsonrpc: "2.0", id: 0, method: "lastword.authenticate", params: {token: env.LASTWORD_TOKEN}}')"
  fi
}

begin() {
  online=true
  say online
  ask
}

lose() {
  if [ -n "$listener" ]; then
    kill "$listener" 2>/dev/null
    wait "$listener" 2>/dev/null
  fi
  exec {socket}>&-
  socket='' newest=''
  if $online; then say offline; fi
  online=false
  plan_to_connect
}

# Whoever answers is not to be trusted, or does not know who this is: trying again is of no use.
refused() {
  say "refused $1"
  exit "$not_allowed_status"
}

send() { printf '%s\n' "$1" >&"$socket"; } 2>/dev/null

# Sends what is open, for the first time or again.
ask() {
  if ! $open || ! $online; then return; fi
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
  if $online; then pause_ms=$first_pause_ms; fi
  # Behind what is no message nothing is to be trusted.
  if [ -n "$id" ] && ! $online; then
    case $code in
    none) begin ;;
    "$unauthenticated") refused "$code $text" ;;
    *) if [ -n "$socket" ]; then lose; fi ;;
    esac
  elif [ -z "$id" ] || [ "$code" = "$shutting_down" ]; then
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
leave() {
  local jobs
  if [ -n "$socket" ]; then exec {socket}>&-; fi
  mapfile -t jobs < <(jobs -p)
  if [ ${#jobs[@]} -gt 0 ]; then
    kill "${jobs[@]}" 2>/dev/null
    wait "${jobs[@]}" 2>/dev/null
  fi
}
trap leave EXIT
read_commands <&"$input" >/dev/null &
tell connect
while IFS= read -r -u "$events" event; do
  case $event in
  'command '*) held+=("${event#command }") ;;
  'message '*) hear "${event#message }" ;;
  connect) connect ;;
  'refused '*) refused "${event#refused }" ;;
  "secured $connection") if [ -n "$socket" ]; then introduce; fi ;;
  "late $connection") if [ -n "$socket" ] && ! $online; then lose; fi ;;
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
