// A typeahead on lastword: the newest query has the last word. POSIX sockets, and json-c.
//
//     cc -o typeahead typeahead.c $(pkg-config --cflags --libs json-c)
//     ./typeahead HOST:PORT KEY
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

enum { SUPERSEDED = -32080, SHUTTING_DOWN = -32085, CANCELLED = -32800 };
enum { FIRST_PAUSE_MS = 50, LAST_PAUSE_MS = 2000, CONNECT_MS = 5000, LINE_LIMIT_BYTES = 4 << 20, READ_BYTES = 4096 };

// What was read of a stream and is not a whole line yet.
struct buffer {
  char *bytes;
  size_t count, capacity;
};

enum link { CLOSED, CONNECTING, ONLINE };

// One connection that comes back, and the search box: what it shows is the answer to what stands in it.
struct box {
  struct addrinfo *addresses, *address;  // of the gateway, and the one of them whose turn it is
  const char *key;
  enum link link;
  int socket; // -1 while CLOSED
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

// ---- Lines ----

// Reads once: 1 if something came, 0 at the end, -1 if nothing can be read now.
static int fill(struct buffer *buffer, int descriptor) {
  if (buffer->count > LINE_LIMIT_BYTES) return 0;
  if (buffer->capacity - buffer->count < READ_BYTES) {
    buffer->capacity = 2 * buffer->capacity + READ_BYTES;
    if (!(buffer->bytes = realloc(buffer->bytes, buffer->capacity))) die("realloc");
  }
  ssize_t count = read(descriptor, buffer->bytes + buffer->count, READ_BYTES);
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
  if (send(box->socket, line, (size_t)length, MSG_NOSIGNAL) != length) shutdown(box->socket, SHUT_RDWR);
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

// False if the connection is of no use any more.
static bool hear(struct box *box, const char *line) {
  struct json_object *message = json_tokener_parse(line);
  bool useful = json_object_is_type(message, json_type_object);
  if (useful) {
    struct json_object *error = json_object_object_get(message, "error");
    useful = number_member(error, "code") != SHUTTING_DOWN;
    bool newest = box->newest && number_member(message, "id") == box->newest;
    if (useful && newest) answered(box, json_object_object_get(message, "result"), error);
  }
  json_object_put(message);
  return useful;
}

static void receive(struct box *box) {
  int more = fill(&box->input, box->socket);
  for (char *line; more && (line = next_line(&box->input)); free(line)) {
    box->pause_ms = FIRST_PAUSE_MS;
    if (!hear(box, line)) more = 0;
  }
  if (!more) lose(box);
}

static void connected(struct box *box) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(box->socket, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error) return lose(box);
  box->link = ONLINE;
  puts("online");
  ask(box);
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
    if (box->link == CONNECTING && now_ms() >= box->next_ms) lose(box);
    long long pause = box->next_ms - now_ms();
    // A negative descriptor is not looked at.
    struct pollfd streams[] = {
        {waiting || ended ? -1 : STDIN_FILENO, POLLIN, 0},
        {box->socket, box->link == CONNECTING ? POLLOUT : POLLIN, 0},
    };
    if (poll(streams, 2, box->link == ONLINE ? -1 : pause > 0 ? (int)pause : 0) < 0 && errno != EINTR) die("poll");
    if (streams[1].revents) (box->link == CONNECTING ? connected : receive)(box);
    if (streams[0].revents) ended = fill(&commands, STDIN_FILENO) == 0;
  }
  clear(box);
  free(commands.bytes);
}

int main(int count, char **words) {
  char *colon = count == 3 ? strrchr(words[1], ':') : NULL;
  if (!colon) return fprintf(stderr, "usage: typeahead HOST:PORT KEY\n"), 64;
  *colon = '\0';
  struct box box = {.key = words[2], .socket = -1, .pause_ms = FIRST_PAUSE_MS};
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  int wrong = getaddrinfo(words[1], colon + 1, &hints, &box.addresses);
  if (wrong) return fprintf(stderr, "%s: %s\n", words[1], gai_strerror(wrong)), 69;
  box.address = box.addresses;
  setvbuf(stdout, NULL, _IOLBF, 0);
  srandom((unsigned)(time(NULL) ^ getpid()));
  run(&box);
  if (box.socket >= 0) close(box.socket);
  freeaddrinfo(box.addresses);
  free(box.input.bytes);
  return 0;
}
