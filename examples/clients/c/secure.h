// What TLS takes beside OpenSSL 1.1.1 or 3: whom to trust, and for whom a certificate has to be.
#ifndef SECURE_H
#define SECURE_H

#include <openssl/err.h>
#include <openssl/ssl.h>

// A session for a client, over a socket, which stays the caller's; the handshake is still to be done. The certificate has
// to be for that host, a name or an address, and from an authority in the PEM file ca, or else, if ca is NULL, from one that
// the system trusts. NULL if that file cannot be read. It has the process ignore SIGPIPE: OpenSSL writes without a thought.
SSL *secure_over(int socket, const char *host, const char *ca);
// Why the other end is not whom it should be; NULL if it is, or if that is not known.
const char *secure_mistrust(SSL *session);

#endif
