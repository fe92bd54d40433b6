# shellcheck shell=bash
# A minimal client of lastword, to be sourced. Bash 5 and jq 1.6; one connection.
#
#     lastword_connect 127.0.0.1 5278
#     lastword_send search '{"q":"swift"}' '{"key":"search:tab-1","policy":"cancel"}'
#     if lastword_wait "$lastword_id"; then jq .q <<<"$lastword_answer"; fi
#
# Under TLS, which takes the openssl command, and to a gateway that asks who comes, whose token stands in LASTWORD_TOKEN:
#
#     lastword_connect_tls gateway.example 5280 ca.pem
#     lastword_authenticate

declare -A lastword_open=() # A line for each open request by its id, empty until its answer comes.
lastword_socket='' lastword_output='' lastword_id=0 lastword_answer=''

# HOST PORT. Fails if nobody is there.
lastword_connect() {
  lastword_socket='' lastword_open=()
  { exec {lastword_socket}<>"/dev/tcp/$1/$2"; } 2>/dev/null || return
  lastword_output=$lastword_socket
}

# HOST PORT [CA]. The certificate has to be for that host, and from an authority in the file CA, or else one that the
# system trusts: what openssl says of another goes to standard error, and the connection has ended for those who wait.
lastword_connect_tls() {
  local options=(-connect "$1:$2" -quiet -no_ign_eof -nocommands -verify_return_error -verify_quiet) name=-verify_hostname
  # Addresses are no names: there is no SNI with them either.
  if [[ $1 =~ ^[0-9.]+$|: ]]; then
    name=-verify_ip
    options+=(-noservername)
  else
    options+=(-servername "$1")
  fi
  if [ -n "${3-}" ]; then options+=(-CAfile "$3" -no-CApath -no-CAstore); fi
  lastword_socket='' lastword_open=()
  # At its end it says so; that is all that is left out of what it says.
  coproc LASTWORD_TLS { exec openssl s_client "${options[@]}" "$name" "$1" 2> >(exec grep -vx DONE >&2); }
  # These are gone with the process, at any time.
  local from=${LASTWORD_TLS[0]-} to=${LASTWORD_TLS[1]-}
  { exec {lastword_socket}<&"$from" {lastword_output}>&"$to"; } 2>/dev/null || return
  { exec {from}<&- {to}>&-; } 2>/dev/null || true
}

# Says who this is, before anything else, by the token in LASTWORD_TOKEN, which no other program's command line has. Fails
# as `lastword_wait` does if the gateway does not know it.
lastword_authenticate() {
  lastword_id=$((lastword_id + 1))
  lastword_open[$lastword_id]=''
  lastword_write "$(LASTWORD_TOKEN=$LASTWORD_TOKEN jq -cn --argjson id "$lastword_id" \
    '{jsonrpc: "2.0", $id, method: "lastword.authenticate", params: {token: env.LASTWORD_TOKEN}}')"
  lastword_wait "$lastword_id"
}

# What is open gets no answer any more.
lastword_close() {
  if [ -z "$lastword_socket" ]; then return; fi
  if [ "$lastword_output" != "$lastword_socket" ]; then exec {lastword_output}>&-; fi
  exec {lastword_socket}<&-
  lastword_socket=''
}

# METHOD [PARAMS [TASK]], these two in JSON. `lastword_id` is the id of the last one. Several may be open at once, but
# answers are read only while one is waited for: whoever sends many at once waits for them in between.
lastword_send() {
  local message
  message=$(jq -cn --argjson id $((lastword_id + 1)) --arg method "$1" --argjson params "${2:-null}" \
    --argjson task "${3:-null}" '{jsonrpc: "2.0", $id, $method, $params, $task} | with_entries(select(.value != null))') ||
    return
  lastword_id=$((lastword_id + 1))
  lastword_open[$lastword_id]=''
  lastword_write "$message"
}

# ID. Takes a request back; it is not to be waited for any more.
lastword_cancel() {
  unset "lastword_open[$1]"
  lastword_write '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":'"$1"'}}'
}

# ID. Waits for its answer, once, and leaves the result or the error in `lastword_answer`. Its status is that of
# `lastword call`: 0 for a result, 10 if it was superseded, 11 if cancelled (nothing to show to anybody, both), 69 if the
# connection has ended, 1 for any other error.
lastword_wait() {
  local line id code
  while [ -n "$lastword_socket" ] && [ -v "lastword_open[$1]" ] && [ -z "${lastword_open[$1]}" ]; do
    # Behind what is no message nothing is to be trusted.
    if IFS= read -r line <&"$lastword_socket" && id=$(jq -r 'objects | .id | tojson' <<<"$line" 2>/dev/null) &&
      [ -n "$id" ]; then
      if [ -v "lastword_open[$id]" ] && [ -z "${lastword_open[$id]}" ]; then lastword_open[$id]=$line; fi
    else
      lastword_close
    fi
  done
  line=${lastword_open[$1]:-} lastword_answer=''
  unset "lastword_open[$1]"
  if [ -z "$line" ]; then return 69; fi
  lastword_answer=$(jq -c '.error // .result' <<<"$line")
  code=$(jq -r '.error | objects | .code' <<<"$line")
  case $code in
  '') return 0 ;;
  -32080) return 10 ;;
  -32800) return 11 ;;
  *) return 1 ;;
  esac
}

# Of an error in `lastword_answer`: the gateway says that upstream got the request, and may have done the work.
lastword_may_have_run() {
  jq -e '.data | objects | .upstream | IN("cancelSent", "mayHaveCompleted")' <<<"$lastword_answer" >/dev/null
}

# A connection that is gone would end the shell with SIGPIPE; whoever waits hears of it.
lastword_write() {
  if [ -z "$lastword_socket" ]; then return; fi
  (trap '' PIPE && printf '%s\n' "$1" >&"$lastword_output") 2>/dev/null || true
}
