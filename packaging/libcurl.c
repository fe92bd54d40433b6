/* Stands in for libcurl in a program that is to run where there may be none: it is looked for when it is asked for the
   first time, and without it every function here fails as libcurl's own would. What it lacks, the linker tells. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdarg.h>

/* Result, name, parameters, arguments, and what is answered without libcurl. */
#define FUNCTIONS(each)                                                                                               \
  each(CURLcode, curl_global_init, (long flags), (flags), CURLE_FAILED_INIT)                                          \
  each(curl_version_info_data *, curl_version_info, (CURLversion age), (age), NULL)                                   \
  each(CURL *, curl_easy_init, (void), (), NULL)                                                                      \
  each(CURLcode, curl_easy_pause, (CURL * easy, int mask), (easy, mask), CURLE_FAILED_INIT)                           \
  each(const char *, curl_easy_strerror, (CURLcode code), (code), "no libcurl")                                       \
  each(CURLM *, curl_multi_init, (void), (), NULL)                                                                    \
  each(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL * easy), (multi, easy), CURLM_BAD_HANDLE)               \
  each(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL * easy), (multi, easy), CURLM_BAD_HANDLE)            \
  each(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi), CURLM_BAD_HANDLE)                                     \
  each(CURLMcode, curl_multi_socket_action, (CURLM * multi, curl_socket_t socket, int events, int *running),          \
       (multi, socket, events, running), CURLM_BAD_HANDLE)                                                            \
  each(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left), NULL)                              \
  each(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *line), (list, line), NULL)

#define FUNCTIONS_WITHOUT_RESULT(each)                                                                                \
  each(curl_easy_cleanup, (CURL * easy), (easy))                                                                      \
  each(curl_easy_reset, (CURL * easy), (easy))                                                                        \
  each(curl_slist_free_all, (struct curl_slist * list), (list))

/* The third argument is a number or a pointer, of one size on every machine that Swift is for. */
#define FUNCTIONS_OF_AN_OPTION(each)                                                                                  \
  each(CURLcode, curl_easy_setopt, CURL *, CURLoption, CURLE_FAILED_INIT)                                             \
  each(CURLcode, curl_easy_getinfo, CURL *, CURLINFO, CURLE_FAILED_INIT)                                              \
  each(CURLMcode, curl_multi_setopt, CURLM *, CURLMoption, CURLM_BAD_HANDLE)

_Static_assert(sizeof(long) == sizeof(void *) && sizeof(curl_off_t) == sizeof(void *), "arguments of one size");

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define SLOT_OF_AN_OPTION(result, name, handle, option, otherwise) result (*name)(handle, option, ...);
#define OTHER_SLOTS FUNCTIONS_OF_AN_OPTION(SLOT_OF_AN_OPTION)
#define FILL_OTHER_SLOTS FUNCTIONS_OF_AN_OPTION(FILL)
#define LIBRARY_FILE "libcurl.so.4"
#include "stand-in.h"

#define PASS_ON_OPTION(result, name, handle_type, option_type, otherwise)                                             \
  result name(handle_type handle, option_type option, ...) {                                                          \
    if (!is_there()) return otherwise;                                                                                \
    va_list arguments;                                                                                                \
    va_start(arguments, option);                                                                                      \
    void *argument = va_arg(arguments, void *);                                                                       \
    va_end(arguments);                                                                                                \
    return library.name(handle, option, argument);                                                                    \
  }

FUNCTIONS_OF_AN_OPTION(PASS_ON_OPTION)
