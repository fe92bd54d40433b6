#!/bin/sh
# Makes what the members of a fleet know each other by: a secret, an authority of their own, and a certificate for
# gateway1, gateway2 and gateway3, good for a year.
# usage: ./secrets.sh [DIRECTORY]     into ./secrets by default, which may not be there yet
set -eu

directory=${1:-secrets}
mkdir "$directory"
cd "$directory"
# The authority's key stays with whoever makes this. The rest is read by the containers' user.
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 -subj "/CN=fleet example" \
  -addext keyUsage=critical,keyCertSign,cRLSign -keyout ca.key -out ca.pem 2>/dev/null
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=member" -keyout member.key \
  -out member.csr 2>/dev/null
echo "subjectAltName=DNS:gateway1,DNS:gateway2,DNS:gateway3" >member.txt
openssl x509 -req -in member.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 -extfile member.txt -out member.pem \
  2>/dev/null
rm member.csr member.txt
openssl rand -base64 32 >fleet.secret
chmod 644 fleet.secret ca.pem member.pem member.key
