// See secure.h.
#include "secure.h"

#include <arpa/inet.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdbool.h>

static bool expect(SSL *session, const char *host) {
  unsigned char address[16];
  if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host);
  }
  return SSL_set_tlsext_host_name(session, host) && SSL_set1_host(session, host);
}

SSL *secure_over(int socket, const char *host, const char *ca) {
  signal(SIGPIPE, SIG_IGN);
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  if (!context) return NULL;
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  // What one call writes may be a part, and what is left of it may have moved when it is written.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  bool trusts = ca ? SSL_CTX_load_verify_locations(context, ca, NULL) : SSL_CTX_set_default_verify_paths(context);
  SSL *session = trusts ? SSL_new(context) : NULL;
  SSL_CTX_free(context);
  if (session && expect(session, host) && SSL_set_fd(session, socket)) return SSL_set_connect_state(session), session;
  SSL_free(session);
  return NULL;
}

const char *secure_mistrust(SSL *session) {
  long result = SSL_get_verify_result(session);
  return result == X509_V_OK ? NULL : X509_verify_cert_error_string(result);
}
