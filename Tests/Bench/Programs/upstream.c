// The upstream of every measurement: answers each line with its params, cheaply, and trusts what it reads.
// usage: upstream     prints the port that it listens on
// `hold` is counted and never answered, `held` answered with that count. Params must be a line's last member.
#include "sockets.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { buffer_bytes = 1 << 20, events_at_once = 256 };

#define OPENING "{\"jsonrpc\":\"2.0\",\"id\":"
#define METHOD ",\"method\":\""
#define TASK ",\"task\":{"
#define PARAMS ",\"params\":"
#define RESULT ",\"result\":"

typedef struct {
  int descriptor;
  // What came of a line that is not whole, and what the socket did not take.
  rest begun, unsent;
} peer;

static int poll;
static unsigned long held;
static char input[buffer_bytes], output[buffer_bytes];

static char *append(char *at, const char *bytes, size_t count) {
  memcpy(at, bytes, count);
  return at + count;
}

// They follow the method, or the task that follows the method.
static const char *find_params(const char *name, const char *end) {
  const char *next = memchr(name, '"', (size_t)(end - name));
  if (next != NULL && memcmp(next + 1, TASK, sizeof TASK - 1) == 0)
    next = memchr(next, '}', (size_t)(end - next));
  if (next == NULL || memcmp(next + 1, PARAMS, sizeof PARAMS - 1) != 0) {
    fprintf(stderr, "upstream: where are the params of %.*s?\n", (int)(end - name), name);
    exit(1);
  }
  return next + sizeof PARAMS;
}

// An answer is never longer than its request, so the output has room for those of a whole input.
static char *answer(const char *line, const char *end, char *at) {
  const size_t opening = sizeof OPENING - 1, method = sizeof METHOD - 1;
  if ((size_t)(end - line) < opening || memcmp(line, OPENING, opening) != 0) return at;
  const char *id = line + opening, *id_end = id;
  while (*id_end != ',') id_end++;
  const char *name = id_end + method;
  if (memcmp(name, "hold\"", 5) == 0) {
    held++;
    return at;
  }
  at = append(at, line, (size_t)(id_end - line));
  at = append(at, RESULT, sizeof RESULT - 1);
  if (memcmp(name, "held\"", 5) == 0) return at + sprintf(at, "%lu}\n", held);
  const char *value = find_params(name, end);
  return append(at, value, (size_t)(end + 1 - value));
}

// Nothing is read from a peer before it has taken its answers.
static void wait_for_room(peer *one, const char *bytes, size_t count) {
  keep(&one->unsent, bytes, count);
  watch(poll, one->descriptor, one, EPOLLOUT);
}

static void send_unsent(peer *one) {
  size_t sent = send_some(one->descriptor, one->unsent.bytes, one->unsent.count);
  one->unsent.count -= sent;
  memmove(one->unsent.bytes, one->unsent.bytes + sent, one->unsent.count);
  if (one->unsent.count == 0) watch(poll, one->descriptor, one, EPOLLIN);
}

static void leave(peer *one) {
  close(one->descriptor);
  free(one->begun.bytes);
  free(one->unsent.bytes);
  free(one);
}

static void serve(peer *one) {
  size_t count = take_back(&one->begun, input);
  ssize_t received = recv(one->descriptor, input + count, buffer_bytes - count, 0);
  if (received < 0 && errno == EAGAIN) {
    keep(&one->begun, input, count);
    return;
  }
  if (received <= 0) return leave(one);
  char *line = input, *end, *out = output, *limit = input + count + received;
  while ((end = memchr(line, '\n', (size_t)(limit - line))) != NULL) {
    out = answer(line, end, out);
    line = end + 1;
  }
  keep(&one->begun, line, (size_t)(limit - line));
  if (out == output) return;
  size_t sent = send_some(one->descriptor, output, (size_t)(out - output));
  if (sent < (size_t)(out - output)) wait_for_room(one, output + sent, (size_t)(out - output) - sent);
}

static void welcome(int listener) {
  int descriptor;
  while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    peer *one = calloc(1, sizeof *one);
    one->descriptor = descriptor;
    without_delay(descriptor);
    add(poll, descriptor, one, EPOLLIN);
  }
}

int main(void) {
  struct epoll_event events[events_at_once];
  int listener = listen_anywhere();
  poll = epoll_create1(0);
  add(poll, listener, NULL, EPOLLIN);
  printf("%d\n", port_of(listener));
  fflush(stdout);
  for (;;) {
    int count = epoll_wait(poll, events, events_at_once, -1);
    for (int i = 0; i < count; i++) {
      peer *one = events[i].data.ptr;
      if (one == NULL) welcome(listener);
      else if (events[i].events & EPOLLOUT) send_unsent(one);
      else serve(one);
    }
  }
}
