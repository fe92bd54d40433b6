#pragma once
#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075700
#error "libcurl 7.87 or newer is needed: older ones wait for name lookups that nobody wants any more"
#endif

// libcurl's setters and getters are variadic, which Swift cannot call: one here for each type of argument.

static inline CURLcode clibcurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode clibcurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

/// libcurl copies the text.
static inline CURLcode clibcurl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

/// libcurl keeps the pointer: of contexts, the error text and the list of headers.
static inline CURLcode clibcurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

/// `option`: reading, writing or header.
static inline CURLcode clibcurl_set_transfer(CURL *easy, CURLoption option, curl_write_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode clibcurl_set_prerequest(CURL *easy, curl_prereq_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode clibcurl_set_lookup(CURL *easy, curl_resolver_start_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, callback);
}

static inline CURLcode clibcurl_set_opening(CURL *easy, curl_opensocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode clibcurl_set_closing(CURL *easy, curl_closesocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline void *clibcurl_context(CURL *easy) {
  void *context = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context);
  return context;
}

/// What the system said when a connection could not be made, as `errno` has it; 0: nothing.
static inline long clibcurl_connect_error(CURL *easy) {
  long number = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
  return number;
}

/* As the answer's header has it, valid until the transfer ends or is used again; NULL: it has none. */
static inline const char *clibcurl_content_type(CURL *easy) {
  char *type = NULL;
  curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
  return type;
}

static inline long clibcurl_status(CURL *easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/* Of the connection that a transfer has used, before it is removed; CURL_SOCKET_BAD: that is not kept. */
static inline curl_socket_t clibcurl_socket(CURL *easy) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket);
  return socket;
}

/* Whether the answer came by HTTP/1. */
static inline int clibcurl_spoke_http1(CURL *easy) {
  long version = CURL_HTTP_VERSION_NONE;
  curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
  return version == CURL_HTTP_VERSION_1_0 || version == CURL_HTTP_VERSION_1_1;
}

/* Of our end of the connection; valid until the transfer is used again. */
static inline const char *clibcurl_local_address(CURL *easy) {
  char *address = NULL;
  curl_easy_getinfo(easy, CURLINFO_LOCAL_IP, &address);
  return address;
}

static inline long clibcurl_local_port(CURL *easy) {
  long port = 0;
  curl_easy_getinfo(easy, CURLINFO_LOCAL_PORT, &port);
  return port;
}

/* The same of the server's end. */
static inline const char *clibcurl_server_address(CURL *easy) {
  char *address = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &address);
  return address;
}

static inline long clibcurl_server_port(CURL *easy) {
  long port = 0;
  curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &port);
  return port;
}

/// The argument that Swift needs for it is a macro.
static inline const curl_version_info_data *clibcurl_version(void) {
  return curl_version_info(CURLVERSION_NOW);
}

static inline CURLMcode clibcurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode clibcurl_multi_set_sockets(CURLM *multi, curl_socket_callback callback, void *context) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

static inline CURLMcode clibcurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback callback, void *context) {
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}
