#pragma once
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#if OPENSSL_VERSION_MAJOR < 3
#error "OpenSSL 3.0 or newer is needed"
#endif

// Much of OpenSSL is macros, which Swift cannot call: one function here for each that is needed.

static inline const char *clibssl_built_version(void) { return OPENSSL_VERSION_STR; }

/// No compression, no renegotiation, one ticket for each handshake; a session's buffers are given back while nothing is
/// in them. Reading returns behind each record that brings no plaintext, so that they can be counted.
static inline void clibssl_harden(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 1);
}

static inline int clibssl_set_minimum(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int clibssl_set_groups(SSL_CTX *context, const char *names) {
  return (int)SSL_CTX_set1_groups_list(context, names);
}

/// Nobody can resume a session: each handshake is whole.
static inline void clibssl_forbid_tickets(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
}

static inline int clibssl_add_chain(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline void clibssl_set_name_choice(SSL_CTX *context, int (*choose)(SSL *, int *, void *), void *argument) {
  SSL_CTX_set_tlsext_servername_callback(context, choose);
  SSL_CTX_set_tlsext_servername_arg(context, argument);
}

static inline int clibssl_set_server_name(SSL *session, const char *name) {
  return (int)SSL_set_tlsext_host_name(session, name);
}

/// Whether the last fault of reading PEM is that there is no more of it.
static inline int clibssl_is_end_of_pem(void) {
  unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

/// As RFC 2253 writes a subject, but for what is UTF-8, which stays as it is.
static inline unsigned long clibssl_subject_form(void) { return XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB; }

static inline int clibssl_count_names(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

/// The bytes of a name of the kinds GEN_DNS, GEN_URI, GEN_EMAIL and GEN_IPADD; null: it is of another.
static inline const unsigned char *clibssl_name(const GENERAL_NAMES *names, int index, int *kind, int *length) {
  const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
  const ASN1_STRING *text = NULL;
  *kind = name->type;
  switch (name->type) {
  case GEN_DNS: text = name->d.dNSName; break;
  case GEN_URI: text = name->d.uniformResourceIdentifier; break;
  case GEN_EMAIL: text = name->d.rfc822Name; break;
  case GEN_IPADD: text = name->d.iPAddress; break;
  default: return NULL;
  }
  *length = ASN1_STRING_length(text);
  return ASN1_STRING_get0_data(text);
}
