// A minimal client of lastword, to be copied. POSIX sockets, and json-c. One thread has a connection.
//
//     struct lastword *gateway = lastword_connect("127.0.0.1", "5278");
//     int64_t id = lastword_send(gateway, "search", json_tokener_parse("{\"q\":\"swift\"}"),
//                                json_tokener_parse("{\"key\":\"search:tab-1\",\"policy\":\"cancel\"}"));
//     struct json_object *answer = lastword_wait(gateway, id);
//
// Under TLS, with secure.c, OpenSSL and -DLASTWORD_TLS, and to a gateway that asks who comes:
//
//     struct lastword *gateway = lastword_connect_tls("gateway.example", "5280", "ca.pem", &why);
//     int64_t code = lastword_authenticate(gateway, getenv("LASTWORD_TOKEN"));
#ifndef LASTWORD_H
#define LASTWORD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

struct lastword;

// NULL if nobody is there; to be closed.
struct lastword *lastword_connect(const char *host, const char *port);
#ifdef LASTWORD_TLS
// The same under TLS. The certificate has to be for that host, and from an authority in the PEM file ca, or else, if ca is
// NULL, from one that the system trusts. Where NULL is given, why says what was wrong.
struct lastword *lastword_connect_tls(const char *host, const char *port, const char *ca, const char **why);
#endif
// Says who this is, before anything else. 0 if the gateway knows the token, else the code of its error, or -1 if the
// connection has ended.
int64_t lastword_authenticate(struct lastword *gateway, const char *token);
// What is open gets no answer any more.
void lastword_close(struct lastword *gateway);
// Sends a request and gives its id. It frees params and task, which may be NULL. Several may be open at once, but answers
// are read only while one is waited for: whoever sends many at once waits for them in between.
int64_t lastword_send(struct lastword *gateway, const char *method, struct json_object *params, struct json_object *task);
// Takes a request back; it must not be waited for any more.
void lastword_cancel(struct lastword *gateway, int64_t id);
// Waits for the answer to a request, once. It has a member "result" or "error", and is to be freed with json_object_put.
// NULL if the connection has ended.
struct json_object *lastword_wait(struct lastword *gateway, int64_t id);
// An error's code, 0 for a result.
int64_t lastword_code(struct json_object *answer);
// Superseded or cancelled: nothing to show to anybody.
bool lastword_is_unwanted(struct json_object *answer);
// The gateway says that upstream got the request, and may have done the work.
bool lastword_may_have_run(struct json_object *answer);

#endif
