// See lastword.h.
#define _GNU_SOURCE
#include "lastword.h"

#include <inttypes.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef LASTWORD_TLS
#include "secure.h"
#endif

struct lastword {
  int socket;
  void *session;            // of TLS; NULL without
  FILE *input;              // NULL when the connection has ended
  struct json_object *open; // the answer to each open request by its id, null until it comes
  int64_t last_id;
};

struct name {
  char text[24];
};

static struct name name_of(int64_t id) {
  struct name name;
  snprintf(name.text, sizeof name.text, "%" PRId64, id);
  return name;
}

static int connected(const char *host, const char *port) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *addresses;
  int found = -1;
  if (getaddrinfo(host, port, &hints, &addresses)) return -1;
  for (struct addrinfo *to = addresses; to && found < 0; to = to->ai_next) {
    found = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC, to->ai_protocol);
    if (found < 0 || !connect(found, to->ai_addr, to->ai_addrlen)) continue;
    close(found);
    found = -1;
  }
  freeaddrinfo(addresses);
  return found;
}

static struct lastword *gateway_over(int socket, void *session, FILE *input) {
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  struct lastword *gateway = calloc(1, sizeof *gateway);
  if (!gateway || !input) abort();
  *gateway = (struct lastword){socket, session, input, json_object_new_object(), 0};
  return gateway;
}

struct lastword *lastword_connect(const char *host, const char *port) {
  int socket = connected(host, port);
  return socket < 0 ? NULL : gateway_over(socket, NULL, fdopen(socket, "r"));
}

#ifdef LASTWORD_TLS
static ssize_t read_secure(void *session, char *bytes, size_t count) {
  size_t got;
  return SSL_read_ex(session, bytes, count, &got) ? (ssize_t)got : 0;
}

static int close_secure(void *session) {
  int socket = SSL_get_fd(session);
  SSL_shutdown(session);
  SSL_free(session);
  return close(socket);
}

static bool write_secure(SSL *session, const char *bytes, size_t count) {
  for (size_t sent; count; bytes += sent, count -= sent) {
    if (!SSL_write_ex(session, bytes, count, &sent)) return false;
  }
  return true;
}

struct lastword *lastword_connect_tls(const char *host, const char *port, const char *ca, const char **why) {
  *why = "nobody is there";
  int socket = connected(host, port);
  if (socket < 0) return NULL;
  *why = "the authority cannot be read";
  SSL *session = secure_over(socket, host, ca);
  if (session && SSL_connect(session) == 1) {
    cookie_io_functions_t functions = {.read = read_secure, .close = close_secure};
    return gateway_over(socket, session, fopencookie(session, "r", functions));
  }
  if (session) *why = secure_mistrust(session) ? secure_mistrust(session) : "the handshake failed";
  SSL_free(session);
  close(socket);
  return NULL;
}
#endif

static void lose(struct lastword *gateway) {
  if (gateway->input) fclose(gateway->input);
  gateway->input = NULL;
}

void lastword_close(struct lastword *gateway) {
  lose(gateway);
  json_object_put(gateway->open);
  free(gateway);
}

// Frees the message. Whoever waits hears that the connection is gone.
static void send_message(struct lastword *gateway, struct json_object *message) {
  size_t length;
  const char *line = json_object_to_json_string_length(message, JSON_C_TO_STRING_PLAIN, &length);
#ifdef LASTWORD_TLS
  if (gateway->input && gateway->session) {
    bool is_sent = write_secure(gateway->session, line, length) && write_secure(gateway->session, "\n", 1);
    if (!is_sent) shutdown(gateway->socket, SHUT_RDWR);
    json_object_put(message);
    return;
  }
#endif
  struct iovec parts[] = {{(void *)line, length}, {"\n", 1}};
  struct msghdr whole = {.msg_iov = parts, .msg_iovlen = 2};
  if (gateway->input && sendmsg(gateway->socket, &whole, MSG_NOSIGNAL) != (ssize_t)length + 1) {
    shutdown(gateway->socket, SHUT_RDWR);
  }
  json_object_put(message);
}

static struct json_object *message_of(const char *method, struct json_object *params) {
  struct json_object *message = json_object_new_object();
  json_object_object_add(message, "jsonrpc", json_object_new_string("2.0"));
  json_object_object_add(message, "method", json_object_new_string(method));
  if (params) json_object_object_add(message, "params", params);
  return message;
}

int64_t lastword_send(struct lastword *gateway, const char *method, struct json_object *params, struct json_object *task) {
  int64_t id = ++gateway->last_id;
  struct json_object *message = message_of(method, params);
  json_object_object_add(message, "id", json_object_new_int64(id));
  if (task) json_object_object_add(message, "task", task);
  json_object_object_add(gateway->open, name_of(id).text, NULL);
  send_message(gateway, message);
  return id;
}

int64_t lastword_authenticate(struct lastword *gateway, const char *token) {
  struct json_object *params = json_object_new_object();
  json_object_object_add(params, "token", json_object_new_string(token));
  struct json_object *answer = lastword_wait(gateway, lastword_send(gateway, "lastword.authenticate", params, NULL));
  int64_t code = answer ? lastword_code(answer) : -1;
  json_object_put(answer);
  return code;
}

void lastword_cancel(struct lastword *gateway, int64_t id) {
  struct json_object *params = json_object_new_object();
  json_object_object_add(params, "id", json_object_new_int64(id));
  json_object_object_del(gateway->open, name_of(id).text);
  send_message(gateway, message_of("$/cancelRequest", params));
}

// False at the end, and behind what is no message.
static bool receive(struct lastword *gateway) {
  char *line = NULL;
  size_t capacity = 0;
  struct json_object *message = NULL;
  if (getline(&line, &capacity, gateway->input) > 0) message = json_tokener_parse(line);
  free(line);
  if (!json_object_is_type(message, json_type_object)) return json_object_put(message), false;
  struct name id = name_of(json_object_get_int64(json_object_object_get(message, "id")));
  // Nobody waits for others, such as one that was cancelled.
  struct json_object *answer;
  bool is_awaited = json_object_object_get_ex(gateway->open, id.text, &answer) && !answer;
  if (is_awaited) json_object_object_add(gateway->open, id.text, message);
  else json_object_put(message);
  return true;
}

struct json_object *lastword_wait(struct lastword *gateway, int64_t id) {
  struct name name = name_of(id);
  struct json_object *answer;
  while (!(answer = json_object_object_get(gateway->open, name.text)) && gateway->input) {
    if (!receive(gateway)) lose(gateway);
  }
  json_object_get(answer);
  json_object_object_del(gateway->open, name.text);
  return answer;
}

int64_t lastword_code(struct json_object *answer) {
  return json_object_get_int64(json_object_object_get(json_object_object_get(answer, "error"), "code"));
}

bool lastword_is_unwanted(struct json_object *answer) {
  return lastword_code(answer) == -32080 || lastword_code(answer) == -32800;
}

bool lastword_may_have_run(struct json_object *answer) {
  struct json_object *data = json_object_object_get(json_object_object_get(answer, "error"), "data");
  bool has_members = json_object_is_type(data, json_type_object);
  const char *upstream = has_members ? json_object_get_string(json_object_object_get(data, "upstream")) : NULL;
  return upstream && (!strcmp(upstream, "cancelSent") || !strcmp(upstream, "mayHaveCompleted"));
}
