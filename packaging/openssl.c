/* Stands in for OpenSSL in a program that is to run where there may be none: it is looked for when it is asked for the
   first time, and without it every function here fails as OpenSSL's own would. What it lacks, the linker tells. */
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* Result, name, parameters, arguments, and what is answered without OpenSSL. */
#define FUNCTIONS(each)                                                                                               \
  each(unsigned long, OpenSSL_version_num, (void), (), 0)                                                             \
  each(const char *, OpenSSL_version, (int kind), (kind), NULL)                                                       \
  each(int, OPENSSL_sk_num, (const OPENSSL_STACK *stack), (stack), -1)                                                \
  each(void *, OPENSSL_sk_value, (const OPENSSL_STACK *stack, int index), (stack, index), NULL)                       \
  each(const unsigned char *, ASN1_STRING_get0_data, (const ASN1_STRING *text), (text), NULL)                         \
  each(int, ASN1_STRING_length, (const ASN1_STRING *text), (text), 0)                                                 \
  each(int, BIO_free, (BIO * bio), (bio), 0)                                                                          \
  each(void *, BIO_get_data, (BIO * bio), (bio), NULL)                                                                \
  each(int, BIO_get_new_index, (void), (), -1)                                                                        \
  each(BIO_METHOD *, BIO_meth_new, (int type, const char *name), (type, name), NULL)                                  \
  each(int, BIO_meth_set_ctrl, (BIO_METHOD * method, long (*ctrl)(BIO *, int, long, void *)), (method, ctrl), 0)      \
  each(int, BIO_meth_set_read, (BIO_METHOD * method, int (*read)(BIO *, char *, int)), (method, read), 0)             \
  each(int, BIO_meth_set_write, (BIO_METHOD * method, int (*write)(BIO *, const char *, int)), (method, write), 0)    \
  each(BIO *, BIO_new, (const BIO_METHOD *method), (method), NULL)                                                    \
  each(BIO *, BIO_new_mem_buf, (const void *bytes, int count), (bytes, count), NULL)                                  \
  each(int, BIO_read, (BIO * bio, void *room, int count), (bio, room, count), -1)                                     \
  each(const BIO_METHOD *, BIO_s_mem, (void), (), NULL)                                                               \
  each(BIGNUM *, BN_bin2bn, (const unsigned char *bytes, int count, BIGNUM *number), (bytes, count, number), NULL)    \
  each(int, CRYPTO_memcmp, (const void *one, const void *other, size_t count), (one, other, count), 1)                \
  each(ECDSA_SIG *, ECDSA_SIG_new, (void), (), NULL)                                                                  \
  each(int, ECDSA_SIG_set0, (ECDSA_SIG * signature, BIGNUM * r, BIGNUM * s), (signature, r, s), 0)                    \
  each(unsigned long, ERR_peek_error, (void), (), 0)                                                                  \
  each(unsigned long, ERR_peek_last_error, (void), (), 0)                                                             \
  each(const char *, ERR_reason_error_string, (unsigned long code), (code), NULL)                                     \
  each(int, EVP_Digest,                                                                                               \
       (const void *bytes, size_t count, unsigned char *digest, unsigned int *length, const EVP_MD *kind,             \
        ENGINE *engine),                                                                                              \
       (bytes, count, digest, length, kind, engine), 0)                                                               \
  each(int, EVP_DigestVerify,                                                                                         \
       (EVP_MD_CTX * check, const unsigned char *signature, size_t length, const unsigned char *bytes, size_t count), \
       (check, signature, length, bytes, count), -1)                                                                  \
  each(int, EVP_DigestVerifyInit,                                                                                     \
       (EVP_MD_CTX * check, EVP_PKEY_CTX * *terms, const EVP_MD *kind, ENGINE *engine, EVP_PKEY *key),                \
       (check, terms, kind, engine, key), 0)                                                                          \
  each(EVP_MD_CTX *, EVP_MD_CTX_new, (void), (), NULL)                                                                \
  each(EVP_PKEY_CTX *, EVP_PKEY_CTX_new_from_name, (OSSL_LIB_CTX * all, const char *name, const char *wishes),        \
       (all, name, wishes), NULL)                                                                                     \
  each(EVP_PKEY_CTX *, EVP_PKEY_CTX_new_from_pkey, (OSSL_LIB_CTX * all, EVP_PKEY * key, const char *wishes),          \
       (all, key, wishes), NULL)                                                                                      \
  each(int, EVP_PKEY_fromdata, (EVP_PKEY_CTX * maker, EVP_PKEY * *key, int kind, OSSL_PARAM parts[]),                 \
       (maker, key, kind, parts), 0)                                                                                  \
  each(int, EVP_PKEY_fromdata_init, (EVP_PKEY_CTX * maker), (maker), 0)                                               \
  each(int, EVP_PKEY_public_check, (EVP_PKEY_CTX * check), (check), 0)                                                \
  each(const EVP_MD *, EVP_sha1, (void), (), NULL)                                                                    \
  each(const EVP_MD *, EVP_sha256, (void), (), NULL)                                                                  \
  each(unsigned char *, HMAC,                                                                                          \
       (const EVP_MD *kind, const void *key, int length, const unsigned char *bytes, size_t count,                    \
        unsigned char *code, unsigned int *made),                                                                     \
       (kind, key, length, bytes, count, code, made), NULL)                                                           \
  each(EVP_PKEY *, PEM_read_bio_PrivateKey, (BIO * bio, EVP_PKEY * *key, pem_password_cb * password, void *context),  \
       (bio, key, password, context), NULL)                                                                           \
  each(X509 *, PEM_read_bio_X509, (BIO * bio, X509 * *certificate, pem_password_cb * password, void *context),        \
       (bio, certificate, password, context), NULL)                                                                   \
  each(int, X509_NAME_print_ex, (BIO * out, const X509_NAME *name, int indent, unsigned long form),                   \
       (out, name, indent, form), -1)                                                                                 \
  each(int, X509_STORE_CTX_init, (X509_STORE_CTX * check, X509_STORE * store, X509 * certificate, STACK_OF(X509) * chain), \
       (check, store, certificate, chain), 0)                                                                         \
  each(X509_STORE_CTX *, X509_STORE_CTX_new, (void), (), NULL)                                                        \
  each(int, X509_STORE_CTX_set_default, (X509_STORE_CTX * check, const char *name), (check, name), 0)                 \
  each(int, X509_STORE_add_cert, (X509_STORE * store, X509 * certificate), (store, certificate), 0)                   \
  each(int, X509_VERIFY_PARAM_set1_ip_asc, (X509_VERIFY_PARAM * terms, const char *address), (terms, address), 0)     \
  each(int, X509_check_host, (X509 * certificate, const char *name, size_t count, unsigned int flags, char **peer),   \
       (certificate, name, count, flags, peer), -1)                                                                   \
  each(int, X509_digest, (const X509 *certificate, const EVP_MD *kind, unsigned char *digest, unsigned int *count),   \
       (certificate, kind, digest, count), 0)                                                                         \
  each(void *, X509_get_ext_d2i, (const X509 *certificate, int kind, int *critical, int *index),                      \
       (certificate, kind, critical, index), NULL)                                                                    \
  each(X509_NAME *, X509_get_subject_name, (const X509 *certificate), (certificate), NULL)                            \
  each(int, X509_verify_cert, (X509_STORE_CTX * check), (check), 0)                                                   \
  each(const char *, X509_verify_cert_error_string, (long result), (result), NULL)                                    \
  each(long, SSL_CTX_callback_ctrl, (SSL_CTX * context, int command, void (*callback)(void)),                         \
       (context, command, callback), 0)                                                                               \
  each(int, SSL_CTX_check_private_key, (const SSL_CTX *context), (context), 0)                                        \
  each(long, SSL_CTX_ctrl, (SSL_CTX * context, int command, long number, void *argument),                             \
       (context, command, number, argument), 0)                                                                       \
  each(int, SSL_CTX_add_client_CA, (SSL_CTX * context, X509 * certificate), (context, certificate), 0)                \
  each(X509 *, SSL_CTX_get0_certificate, (const SSL_CTX *context), (context), NULL)                                   \
  each(X509_STORE *, SSL_CTX_get_cert_store, (const SSL_CTX *context), (context), NULL)                               \
  each(int, SSL_CTX_get_verify_mode, (const SSL_CTX *context), (context), 0)                                          \
  each(SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *method), (method), NULL)                                            \
  each(int, SSL_CTX_set_cipher_list, (SSL_CTX * context, const char *names), (context, names), 0)                     \
  each(int, SSL_CTX_set_default_verify_paths, (SSL_CTX * context), (context), 0)                                      \
  each(int, SSL_CTX_set_num_tickets, (SSL_CTX * context, size_t count), (context, count), 0)                          \
  each(uint64_t, SSL_CTX_set_options, (SSL_CTX * context, uint64_t options), (context, options), 0)                   \
  each(int, SSL_CTX_use_PrivateKey, (SSL_CTX * context, EVP_PKEY * key), (context, key), 0)                           \
  each(int, SSL_CTX_use_certificate, (SSL_CTX * context, X509 * certificate), (context, certificate), 0)              \
  each(long, SSL_ctrl, (SSL * session, int command, long number, void *argument),                                     \
       (session, command, number, argument), 0)                                                                       \
  each(int, SSL_do_handshake, (SSL * session), (session), -1)                                                         \
  each(X509_VERIFY_PARAM *, SSL_get0_param, (SSL * session), (session), NULL)                                         \
  each(X509 *, SSL_get0_peer_certificate, (const SSL *session), (session), NULL)                                      \
  each(int, SSL_get_error, (const SSL *session, int status), (session, status), SSL_ERROR_SSL)                        \
  each(STACK_OF(X509) *, SSL_get_peer_cert_chain, (const SSL *session), (session), NULL)                              \
  each(const char *, SSL_get_servername, (const SSL *session, int kind), (session, kind), NULL)                       \
  each(long, SSL_get_verify_result, (const SSL *session), (session), X509_V_ERR_UNSPECIFIED)                          \
  each(const char *, SSL_get_version, (const SSL *session), (session), "")                                            \
  each(int, SSL_has_pending, (const SSL *session), (session), 0)                                                      \
  each(int, SSL_is_server, (const SSL *session), (session), 0)                                                        \
  each(int, SSL_key_update, (SSL * session, int kind), (session, kind), 0)                                            \
  each(SSL *, SSL_new, (SSL_CTX * context), (context), NULL)                                                          \
  each(int, SSL_read_ex, (SSL * session, void *room, size_t most, size_t *count), (session, room, most, count), 0)    \
  each(const char *, SSL_rstate_string, (const SSL *session), (session), "unknown")                                   \
  each(int, SSL_set1_host, (SSL * session, const char *name), (session, name), 0)                                     \
  each(SSL_CTX *, SSL_set_SSL_CTX, (SSL * session, SSL_CTX * context), (session, context), NULL)                      \
  each(int, SSL_shutdown, (SSL * session), (session), -1)                                                             \
  each(int, SSL_write_ex, (SSL * session, const void *bytes, size_t most, size_t *count),                             \
       (session, bytes, most, count), 0)                                                                              \
  each(const SSL_METHOD *, TLS_client_method, (void), (), NULL)                                                       \
  each(const SSL_METHOD *, TLS_server_method, (void), (), NULL)                                                       \
  each(int, i2d_ECDSA_SIG, (const ECDSA_SIG *signature, unsigned char **der), (signature, der), -1)

#define FUNCTIONS_WITHOUT_RESULT(each)                                                                                \
  each(BIO_clear_flags, (BIO * bio, int flags), (bio, flags))                                                         \
  each(BIO_set_data, (BIO * bio, void *data), (bio, data))                                                            \
  each(BIO_set_flags, (BIO * bio, int flags), (bio, flags))                                                           \
  each(BIO_set_init, (BIO * bio, int is_ready), (bio, is_ready))                                                      \
  each(BN_free, (BIGNUM * number), (number))                                                                          \
  each(ECDSA_SIG_free, (ECDSA_SIG * signature), (signature))                                                          \
  each(ERR_clear_error, (void), ())                                                                                   \
  each(EVP_MD_CTX_free, (EVP_MD_CTX * check), (check))                                                                \
  each(EVP_PKEY_CTX_free, (EVP_PKEY_CTX * context), (context))                                                        \
  each(EVP_PKEY_free, (EVP_PKEY * key), (key))                                                                        \
  each(GENERAL_NAMES_free, (GENERAL_NAMES * names), (names))                                                          \
  each(X509_STORE_CTX_free, (X509_STORE_CTX * check), (check))                                                        \
  each(X509_free, (X509 * certificate), (certificate))                                                                \
  each(SSL_CTX_free, (SSL_CTX * context), (context))                                                                  \
  each(SSL_CTX_set_alpn_select_cb, (SSL_CTX * context, SSL_CTX_alpn_select_cb_func choose, void *argument),           \
       (context, choose, argument))                                                                                   \
  each(SSL_CTX_set_verify, (SSL_CTX * context, int mode, SSL_verify_cb check), (context, mode, check))                \
  each(SSL_free, (SSL * session), (session))                                                                          \
  each(SSL_get0_alpn_selected, (const SSL *session, const unsigned char **name, unsigned int *count),                 \
       (session, name, count))                                                                                        \
  each(SSL_set_accept_state, (SSL * session), (session))                                                              \
  each(SSL_set_bio, (SSL * session, BIO * reading, BIO * writing), (session, reading, writing))                       \
  each(SSL_set_connect_state, (SSL * session), (session))                                                             \
  each(SSL_set_hostflags, (SSL * session, unsigned int flags), (session, flags))

#define LIBRARY_FILE "libssl.so.3"
#include "stand-in.h"
