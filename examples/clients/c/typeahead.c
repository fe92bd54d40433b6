// A typeahead on lastword: the newest query has the last word. POSIX sockets, and json-c.
//
//     cc -o typeahead typeahead.c $(pkg-config --cflags --libs json-c)
//     ./typeahead HOST:PORT KEY
//
// With secure.c and OpenSSL it speaks TLS, too:
//
//     cc -DLASTWORD_TLS -o typeahead typeahead.c secure.c $(pkg-config --cflags --libs json-c openssl)
//     LASTWORD_TOKEN=… LASTWORD_CA=ca.pem ./typeahead tls:HOST:PORT KEY
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifdef LASTWORD_TLS
#include "secure.h"
#else
typedef struct session SSL; // There is none.
#endif

enum { SUPERSEDED = -32080, SHUTTING_DOWN = -32085, UNAUTHENTICATED = -32087, CANCELLED = -32800 };
enum { NOT_ALLOWED_STATUS = 77 };
enum { FIRST_PAUSE_MS = 50, LAST_PAUSE_MS = 2000, CONNECT_MS = 5000, LINE_LIMIT_BYTES = 4 << 20, READ_BYTES = 4096 };

// What was read of a stream and is not a whole line yet.
struct buffer {
  char *bytes;
  size_t count, capacity;
};

// SECURING: its handshake is not over. GREETING: who this is was said, and not answered.
enum link { CLOSED, CONNECTING, SECURING, GREETING, ONLINE };

// One connection that comes back, and the search box: what it shows is the answer to what stands in it.
struct box {
  struct addrinfo *addresses, *address;  // of the gateway, and the one of them whose turn it is
  const char *host, *key, *token;
  bool is_secure;
  enum link link;
  int socket;   // -1 while CLOSED
  SSL *session; // NULL without TLS
  struct buffer input;
  long long pause_ms;
  long long next_ms;  // when to connect, or to give up connecting
  char *query;              // NULL if nothing is open
  int64_t newest, last_id;  // newest: the open request's id, 0 if it was not sent on this connection
};

static void die(const char *what) {
  perror(what);
  exit(1);
}

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

// Whoever answers is not to be trusted, or does not know who this is: trying again is of no use.
static void refused(const char *why) {
  printf("refused %s\n", why);
  exit(NOT_ALLOWED_STATUS);
}

// ---- TLS ----

#ifdef LASTWORD_TLS

static ssize_t read_some(SSL *session, int descriptor, char *bytes, size_t count) {
  if (!session) return read(descriptor, bytes, count);
  int result = SSL_read(session, bytes, (int)count);
  if (result > 0) return result;
  errno = SSL_get_error(session, result) == SSL_ERROR_WANT_READ ? EAGAIN : EPROTO;
  return -1;
}

static ssize_t write_some(SSL *session, int descriptor, const char *bytes, size_t count) {
  return session ? SSL_write(session, bytes, (int)count) : send(descriptor, bytes, count, MSG_NOSIGNAL);
}

static bool has_more(SSL *session) { return session && SSL_pending(session); }

// POLLIN or POLLOUT, whichever the handshake waits for; 0 when it is over, -1 if it fails.
static int greet(SSL *session) {
  int result = SSL_do_handshake(session);
  int reason = result == 1 ? SSL_ERROR_NONE : SSL_get_error(session, result);
  if (reason == SSL_ERROR_NONE) return 0;
  return reason == SSL_ERROR_WANT_READ ? POLLIN : reason == SSL_ERROR_WANT_WRITE ? POLLOUT : -1;
}

static const char *mistrust(SSL *session) { return secure_mistrust(session); }
static void end_session(SSL *session) { SSL_free(session); }

// If LASTWORD_CA names no authority, those count whom the system trusts.
static SSL *begin_session(int socket, const char *host) {
  SSL *session = secure_over(socket, host, getenv("LASTWORD_CA"));
  if (!session) refused("certificate: that of the authority cannot be read");
  return session;
}

#else

static ssize_t read_some(SSL *session, int descriptor, char *bytes, size_t count) {
  (void)session;
  return read(descriptor, bytes, count);
}

static ssize_t write_some(SSL *session, int descriptor, const char *bytes, size_t count) {
  (void)session;
  return send(descriptor, bytes, count, MSG_NOSIGNAL);
}

static bool has_more(SSL *session) { return session != NULL; }
static int greet(SSL *session) { return session ? -1 : 0; }
static const char *mistrust(SSL *session) { return session ? "" : NULL; }
static void end_session(SSL *session) { (void)session; }

static SSL *begin_session(int socket, const char *host) {
  (void)socket, (void)host;
  refused("certificate: this was built without TLS");
  return NULL;
}

#endif

// ---- Lines ----

// Reads once: 1 if something came, 0 at the end, -1 if nothing can be read now.
static int fill(struct buffer *buffer, int descriptor, SSL *session) {
  if (buffer->count > LINE_LIMIT_BYTES) return 0;
  if (buffer->capacity - buffer->count < READ_BYTES) {
    buffer->capacity = 2 * buffer->capacity + READ_BYTES;
    if (!(buffer->bytes = realloc(buffer->bytes, buffer->capacity))) die("realloc");
  }
  ssize_t count = read_some(session, descriptor, buffer->bytes + buffer->count, READ_BYTES);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? -1 : 0;
  buffer->count += (size_t)count;
  return count > 0;
}

// The next whole line without its end, to be freed; NULL if there is none.
static char *next_line(struct buffer *buffer) {
  char *end = buffer->count ? memchr(buffer->bytes, '\n', buffer->count) : NULL;
  if (!end) return NULL;
  size_t length = (size_t)(end - buffer->bytes);
  char *line = strndup(buffer->bytes, length);
  if (!line) die("strndup");
  buffer->count -= length + 1;
  memmove(buffer->bytes, end + 1, buffer->count);
  return line;
}

// ---- The connection ----

static void lose(struct box *box) {
  bool has_another = box->link == CONNECTING && box->address->ai_next;
  if (box->link == ONLINE) puts("offline");
  end_session(box->session);
  box->session = NULL;
  if (box->socket >= 0) close(box->socket);
  box->socket = -1;
  box->link = CLOSED;
  box->input.count = 0;
  box->newest = 0;
  box->next_ms = now_ms();
  box->address = has_another ? box->address->ai_next : box->addresses;
  if (has_another) return;
  box->next_ms += box->pause_ms / 2 + random() % (box->pause_ms / 2 + 1);
  box->pause_ms = 2 * box->pause_ms < LAST_PAUSE_MS ? 2 * box->pause_ms : LAST_PAUSE_MS;
}

static void start_connecting(struct box *box) {
  struct addrinfo *to = box->address;
  box->link = CONNECTING;
  box->next_ms = now_ms() + CONNECT_MS;
  box->socket = socket(to->ai_family, to->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, to->ai_protocol);
  if (box->socket < 0) return lose(box);
  setsockopt(box->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  if (connect(box->socket, to->ai_addr, to->ai_addrlen) < 0 && errno != EINPROGRESS) lose(box);
}

// Sends a message, which it frees. What the kernel does not take at once is more than a typist can type.
static void send_message(struct box *box, struct json_object *message) {
  json_object_object_add(message, "jsonrpc", json_object_new_string("2.0"));
  char *line;
  int length = asprintf(&line, "%s\n", json_object_to_json_string_ext(message, JSON_C_TO_STRING_PLAIN));
  if (length < 0) die("asprintf");
  json_object_put(message);
  // Half a line is worse than none. That the connection is gone is heard by poll.
  if (write_some(box->session, box->socket, line, (size_t)length) != length) shutdown(box->socket, SHUT_RDWR);
  free(line);
}

static struct json_object *request(const char *method, struct json_object *params) {
  struct json_object *message = json_object_new_object();
  json_object_object_add(message, "method", json_object_new_string(method));
  json_object_object_add(message, "params", params);
  return message;
}

// ---- The search box ----

static void settle(struct box *box) {
  free(box->query);
  box->query = NULL;
  box->newest = 0;
  puts("spinner off");
}

// Sends what is open, for the first time or again.
static void ask(struct box *box) {
  if (!box->query || box->link != ONLINE) return;
  struct json_object *params = json_object_new_object(), *task = json_object_new_object();
  json_object_object_add(params, "ms", json_object_new_int(1000 - 50 * (int)strlen(box->query)));
  json_object_object_add(params, "q", json_object_new_string(box->query));
  json_object_object_add(task, "key", json_object_new_string(box->key));
  json_object_object_add(task, "policy", json_object_new_string("cancel"));
  struct json_object *message = request("sleep", params);
  json_object_object_add(message, "task", task);
  json_object_object_add(message, "id", json_object_new_int64(box->newest = ++box->last_id));
  send_message(box, message);
}

// The older request is left alone: the gateway supersedes it.
static void type(struct box *box, const char *text) {
  if (!box->query) puts("spinner on");
  free(box->query);
  if (!(box->query = strdup(text))) die("strdup");
  ask(box);
}

static void clear(struct box *box) {
  if (!box->query) return;
  if (box->newest) {
    struct json_object *params = json_object_new_object();
    json_object_object_add(params, "id", json_object_new_int64(box->newest));
    send_message(box, request("$/cancelRequest", params));
  }
  settle(box);
}

// Empty if it is no text, or not there.
static const char *text_member(struct json_object *object, const char *name) {
  struct json_object *member = json_object_object_get(object, name);
  return json_object_is_type(member, json_type_string) ? json_object_get_string(member) : "";
}

// 0 if it is no whole number, or not there.
static int64_t number_member(struct json_object *object, const char *name) {
  struct json_object *member = json_object_object_get(object, name);
  return json_object_is_type(member, json_type_int) ? json_object_get_int64(member) : 0;
}

static void answered(struct box *box, struct json_object *result, struct json_object *error) {
  int64_t code = number_member(error, "code");
  settle(box);
  if (!error) {
    printf("shown %s\n", text_member(result, "q"));
  } else if (code != SUPERSEDED && code != CANCELLED) {
    printf("failed %lld %s\n", (long long)code, text_member(error, "message"));
  }
}

static void online(struct box *box) {
  box->link = ONLINE;
  puts("online");
  ask(box);
}

// Who this is comes before anything else, if there is something to say of it.
static void introduce(struct box *box) {
  if (!box->token || !*box->token) return online(box);
  struct json_object *params = json_object_new_object();
  json_object_object_add(params, "token", json_object_new_string(box->token));
  struct json_object *message = request("lastword.authenticate", params);
  json_object_object_add(message, "id", json_object_new_int(0));
  box->link = GREETING;
  send_message(box, message);
}

// Whether it was answered that this is somebody.
static bool welcomed(struct box *box, struct json_object *error) {
  if (number_member(error, "code") == UNAUTHENTICATED) {
    char *why;
    if (asprintf(&why, "%d %s", UNAUTHENTICATED, text_member(error, "message")) < 0) die("asprintf");
    refused(why);
  }
  if (!error) online(box);
  return !error;
}

// False if the connection is of no use any more.
static bool hear(struct box *box, const char *line) {
  struct json_object *message = json_tokener_parse(line);
  bool useful = json_object_is_type(message, json_type_object);
  if (useful && box->link == GREETING) {
    useful = welcomed(box, json_object_object_get(message, "error"));
  } else if (useful) {
    box->pause_ms = FIRST_PAUSE_MS;
    struct json_object *error = json_object_object_get(message, "error");
    useful = number_member(error, "code") != SHUTTING_DOWN;
    bool newest = box->newest && number_member(message, "id") == box->newest;
    if (useful && newest) answered(box, json_object_object_get(message, "result"), error);
  }
  json_object_put(message);
  return useful;
}

static void receive(struct box *box) {
  int more;
  do {
    more = fill(&box->input, box->socket, box->session);
    for (char *line; more && (line = next_line(&box->input)); free(line)) {
      if (!hear(box, line)) more = 0;
    }
  } while (more && has_more(box->session));
  if (!more) lose(box);
}

static void secure(struct box *box) {
  int waits = greet(box->session);
  if (waits < 0 && mistrust(box->session)) {
    char *why;
    if (asprintf(&why, "certificate: %s", mistrust(box->session)) < 0) die("asprintf");
    refused(why);
  }
  if (waits < 0) return lose(box);
  if (waits == 0) introduce(box);
}

static void connected(struct box *box) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(box->socket, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error) return lose(box);
  if (!box->is_secure) return introduce(box);
  box->session = begin_session(box->socket, box->host);
  box->link = SECURING;
  secure(box);
}

// ---- The program ----

// True if it is the last one.
static bool obey(struct box *box, char *line, bool *waiting) {
  if (!strncmp(line, "type ", 5)) type(box, line + 5);
  else if (!strcmp(line, "clear")) clear(box);
  else if (!strcmp(line, "wait")) *waiting = true;
  return !strcmp(line, "quit");
}

static void run(struct box *box) {
  struct buffer commands = {0};
  bool waiting = false, ended = false;
  for (;;) {
    if (waiting && !box->query) waiting = puts("idle") < 0;
    char *line = waiting ? NULL : next_line(&commands);
    if (line) {
      bool last = obey(box, line, &waiting);
      free(line);
      if (last) break;
      continue;
    }
    if (ended && !waiting) break;
    if (box->link == CLOSED && now_ms() >= box->next_ms) start_connecting(box);
    bool is_coming = box->link == CONNECTING || box->link == SECURING || box->link == GREETING;
    if (is_coming && now_ms() >= box->next_ms) lose(box);
    long long pause = box->next_ms - now_ms();
    // A negative descriptor is not looked at.
    struct pollfd streams[] = {
        {waiting || ended ? -1 : STDIN_FILENO, POLLIN, 0},
        {box->socket, box->link == CONNECTING ? POLLOUT : POLLIN, 0},
    };
    if (poll(streams, 2, box->link == ONLINE ? -1 : pause > 0 ? (int)pause : 0) < 0 && errno != EINTR) die("poll");
    if (streams[1].revents) (box->link == CONNECTING ? connected : box->link == SECURING ? secure : receive)(box);
    if (streams[0].revents) ended = fill(&commands, STDIN_FILENO, NULL) == 0;
  }
  clear(box);
  free(commands.bytes);
}

int main(int count, char **words) {
  char *colon = count == 3 ? strrchr(words[1], ':') : NULL;
  if (!colon) return fprintf(stderr, "usage: typeahead HOST:PORT KEY\n"), 64;
  *colon = '\0';
  bool is_secure = !strncmp(words[1], "tls:", 4);
  struct box box = {.host = words[1] + (is_secure ? 4 : 0), .key = words[2], .token = getenv("LASTWORD_TOKEN"),
                    .is_secure = is_secure, .socket = -1, .pause_ms = FIRST_PAUSE_MS};
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  int wrong = getaddrinfo(box.host, colon + 1, &hints, &box.addresses);
  if (wrong) return fprintf(stderr, "%s: %s\n", box.host, gai_strerror(wrong)), 69;
  box.address = box.addresses;
  setvbuf(stdout, NULL, _IOLBF, 0);
  srandom((unsigned)(time(NULL) ^ getpid()));
  run(&box);
  end_session(box.session);
  if (box.socket >= 0) close(box.socket);
  freeaddrinfo(box.addresses);
  free(box.input.bytes);
  return 0;
}
