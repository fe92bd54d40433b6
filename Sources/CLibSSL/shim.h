#pragma once
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
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

/// Public keys of these three kinds, whoever they are for.
enum clibssl_kind { CLIBSSL_ED25519, CLIBSSL_P256, CLIBSSL_RSA };

static inline EVP_PKEY *clibssl_key_of(const char *name, OSSL_PARAM *parts) {
  EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, name, NULL);
  EVP_PKEY *key = NULL;
  if (maker == NULL || EVP_PKEY_fromdata_init(maker) != 1 ||
      EVP_PKEY_fromdata(maker, &key, EVP_PKEY_PUBLIC_KEY, parts) != 1)
    key = NULL;
  EVP_PKEY_CTX_free(maker);
  return key;
}

/// A part of a key; OpenSSL only reads it.
static inline OSSL_PARAM clibssl_part(const char *name, unsigned int kind, const void *bytes, size_t count) {
  OSSL_PARAM part = {name, kind, (void *)bytes, count, OSSL_PARAM_UNMODIFIED};
  return part;
}

/// Null: it is none. One of P-256 is a point in its uncompressed form.
static inline EVP_PKEY *clibssl_make_key(enum clibssl_kind kind, const unsigned char *bytes, size_t count) {
  OSSL_PARAM parts[3];
  size_t at = 0;
  if (kind == CLIBSSL_P256)
    parts[at++] = clibssl_part(OSSL_PKEY_PARAM_GROUP_NAME, OSSL_PARAM_UTF8_STRING, "P-256", 5);
  parts[at++] = clibssl_part(OSSL_PKEY_PARAM_PUB_KEY, OSSL_PARAM_OCTET_STRING, bytes, count);
  parts[at] = clibssl_part(NULL, 0, NULL, 0);
  return clibssl_key_of(kind == CLIBSSL_P256 ? "EC" : "ED25519", parts);
}

/// The same of RSA. Both numbers are in the order of this machine's bytes.
static inline EVP_PKEY *clibssl_make_rsa_key(const unsigned char *modulus, size_t count, const unsigned char *exponent,
                                             size_t exponent_count) {
  OSSL_PARAM parts[3] = {
      clibssl_part(OSSL_PKEY_PARAM_RSA_N, OSSL_PARAM_UNSIGNED_INTEGER, modulus, count),
      clibssl_part(OSSL_PKEY_PARAM_RSA_E, OSSL_PARAM_UNSIGNED_INTEGER, exponent, exponent_count),
      clibssl_part(NULL, 0, NULL, 0),
  };
  return clibssl_key_of("RSA", parts);
}

/// Whether a key is one that nobody has chosen to be weak: a point is on its curve, a modulus is no prime.
static inline int clibssl_is_sound(EVP_PKEY *key) {
  EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
  int is_sound = check != NULL && EVP_PKEY_public_check(check) == 1;
  EVP_PKEY_CTX_free(check);
  return is_sound;
}

/// 1: the signature is the key's. With Ed25519 there is no digest to choose.
static inline int clibssl_verify(EVP_PKEY *key, int takes_digest, const unsigned char *signature, size_t length,
                                 const unsigned char *bytes, size_t count) {
  EVP_MD_CTX *check = EVP_MD_CTX_new();
  int is_right = check != NULL &&
                 EVP_DigestVerifyInit(check, NULL, takes_digest ? EVP_sha256() : NULL, NULL, key) == 1 &&
                 EVP_DigestVerify(check, signature, length, bytes, count) == 1;
  EVP_MD_CTX_free(check);
  return is_right;
}

/// A signature of two numbers (RFC 7518, section 3.4) as OpenSSL takes it. It is written to `der`, which has room for 72
/// bytes; returns how many it has, 0: out of memory.
static inline int clibssl_ecdsa_der(const unsigned char *numbers, unsigned char *der) {
  ECDSA_SIG *signature = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(numbers, 32, NULL), *s = BN_bin2bn(numbers + 32, 32, NULL);
  int length = 0;
  if (signature != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(signature, r, s) == 1) {
    r = s = NULL;
    length = i2d_ECDSA_SIG(signature, &der);
  }
  BN_free(r);
  BN_free(s);
  ECDSA_SIG_free(signature);
  return length < 0 ? 0 : length;
}
