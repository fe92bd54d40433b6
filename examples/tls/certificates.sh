#!/bin/sh
# Makes an authority for trying TLS out, a certificate for this machine and one for a client.
# usage: examples/tls/certificates.sh [DIRECTORY [DAYS]]
#        into ./certificates and good for 30 days by default; nothing that is there is replaced
set -eu
umask 077

directory=${1:-certificates}
days=${2:-30}
mkdir -p "$directory"
cd "$directory"

# FILE SUBJECT EXTENSIONS
give() {
  if [ -e "$1.pem" ]; then return; fi
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr" \
    2>/dev/null
  printf '%s\n' "$3" >"$1.txt"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days "$days" -extfile "$1.txt" -out "$1.pem" \
    2>/dev/null
  rm "$1.csr" "$1.txt"
}

if [ ! -e ca.pem ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days "$days" -subj "/CN=lastword example" \
    -addext keyUsage=critical,keyCertSign,cRLSign -keyout ca.key -out ca.pem 2>/dev/null
fi
give server /CN=localhost "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1"
give client /CN=alice "subjectAltName=DNS:alice.example"
printf '%s\n' "$PWD/ca.pem" "$PWD/server.pem" "$PWD/server.key" "$PWD/client.pem" "$PWD/client.key"
