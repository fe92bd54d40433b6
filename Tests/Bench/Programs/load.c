// Keeps connections × depth requests open, checks and times every answer, and prints a line of JSON about it.
// usage: load PORT [--connections N] [--depth N] [--bytes N] [--warm-up SECONDS] [--seconds SECONDS]
//             [--requests N] [--keys N] [--hold] [--stay] [--watch PID]...
//   --requests N  so many requests in all, instead of a time
//   --keys N      each request draws one of so many keys, which all connections share, and its policy is concurrent;
//                 else each connection has keys of its own
//   --hold        opens requests that are never answered
//   --stay        leaves the connections open until its input ends
//   --watch PID   says what that process used of its core while it was measured; 0 is this one
#include "sockets.h"
#include "histogram.h"
#include "messages.h"
#include "usage.h"
#include "options.h"

enum { buffer_bytes = 1 << 20, events_at_once = 256, held_at_once = 512, silence_seconds = 60 };

static const uint64_t first_id = 1000000000, id_rounds = 1000;

typedef struct {
  int descriptor;
  uint64_t first_key, open;
  rest begun, unsent;
  // By slot: the id that is awaited (0: none), and when it was asked for.
  uint64_t *awaited, *asked_at;
} connection;

static options told;
static messages text;
static histogram times;
static connection *connections;
static int poll, is_measuring;
static uint64_t asked, answered, measured, drawn = 1;
static char input[buffer_bytes], output[2 * buffer_bytes];

static uint64_t nanoseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void give_up(const char *why, const char *bytes, size_t count) {
  fprintf(stderr, "load: %s: %.*s\n", why, (int)(count < 300 ? count : 300), bytes);
  exit(1);
}

// By xorshift64: each run draws the same.
static uint64_t draw_key(void) {
  drawn ^= drawn << 13;
  drawn ^= drawn >> 7;
  drawn ^= drawn << 17;
  return drawn % told.keys;
}

static char *ask(connection *one, uint64_t slot, uint64_t id, uint64_t now, char *at) {
  if (told.requests > 0 && asked == told.requests) return at;
  asked++;
  one->open++;
  one->awaited[slot] = id;
  one->asked_at[slot] = now;
  return write_request(&text, at, id, told.keys > 0 ? draw_key() : one->first_key + slot);
}

static void send_out(connection *one, const char *end) {
  size_t count = (size_t)(end - output), sent = count > 0 ? send_some(one->descriptor, output, count) : 0;
  if (sent == count) return;
  keep(&one->unsent, output + sent, count - sent);
  watch(poll, one->descriptor, one, EPOLLOUT);
}

static void send_unsent(connection *one) {
  size_t sent = send_some(one->descriptor, one->unsent.bytes, one->unsent.count);
  one->unsent.count -= sent;
  memmove(one->unsent.bytes, one->unsent.bytes + sent, one->unsent.count);
  if (one->unsent.count == 0) watch(poll, one->descriptor, one, EPOLLIN);
}

// The request that takes its place has the same slot, another id, and the same key: that lane is free again.
static char *take_answer(connection *one, const char *at, uint64_t now, char *out) {
  if (!is_answer(&text, at)) give_up("no such answer was expected", at, text.answer_bytes);
  uint64_t id = read_digits(at + sizeof OPENING - 1), number = id - first_id, slot = number % told.depth;
  if (one->awaited[slot] != id) give_up("nobody asked for this", at, text.answer_bytes);
  if (!is_measuring && !is_whole_answer(&text, at)) give_up("the result differs", at, text.answer_bytes);
  if (is_measuring) {
    record(&times, now - one->asked_at[slot]);
    measured++;
  }
  answered++;
  one->open--;
  one->awaited[slot] = 0;
  uint64_t next = (number + told.depth) % (told.depth * id_rounds);
  return ask(one, slot, first_id + next, now, out);
}

static void hear(connection *one) {
  size_t count = take_back(&one->begun, input);
  ssize_t received = recv(one->descriptor, input + count, buffer_bytes - count, MSG_DONTWAIT);
  if (received < 0 && errno == EAGAIN) received = 0;
  else if (received <= 0) give_up("the connection was closed", "", 0);
  uint64_t now = nanoseconds_now();
  const char *at = input, *end = input + count + received;
  char *out = output;
  for (; (size_t)(end - at) >= text.answer_bytes; at += text.answer_bytes)
    out = take_answer(one, at, now, out);
  // An error is another length: its end is seen here, or by the next look.
  if (end > at && end[-1] == '\n') give_up("no such answer was expected", at, (size_t)(end - at));
  keep(&one->begun, at, (size_t)(end - at));
  send_out(one, out);
}

static int run_until(double end) {
  struct epoll_event events[events_at_once];
  while (told.requests == 0 || answered < told.requests) {
    int count = epoll_wait(poll, events, events_at_once, silence_seconds * 1000);
    if (count == 0) give_up("nothing is answered any more", "", 0);
    for (int i = 0; i < count; i++) {
      connection *one = events[i].data.ptr;
      if (events[i].events & EPOLLOUT) send_unsent(one);
      else hear(one);
    }
    if (end > 0 && seconds_now(CLOCK_MONOTONIC) >= end) return 1;
  }
  return 0;
}

static void open_connections(int port) {
  connections = calloc(told.connections, sizeof *connections);
  poll = epoll_create1(0);
  for (uint64_t i = 0; i < told.connections; i++) {
    connection *one = &connections[i];
    one->descriptor = connect_to(port);
    one->first_key = i * told.depth;
    one->awaited = calloc(told.depth, 2 * sizeof(uint64_t));
    one->asked_at = one->awaited + told.depth;
    add(poll, one->descriptor, one, EPOLLIN);
  }
}

static void begin(void) {
  for (uint64_t i = 0; i < told.connections; i++) {
    char *out = output;
    for (uint64_t slot = 0; slot < told.depth; slot++)
      out = ask(&connections[i], slot, first_id + slot, nanoseconds_now(), out);
    send_out(&connections[i], out);
  }
}

// Blocking: whoever reads must take them all, and nothing comes back.
static void hold(void) {
  for (uint64_t i = 0; i < told.connections; i++)
    for (uint64_t slot = 0; slot < told.depth;) {
      char *out = output;
      for (int n = 0; n < held_at_once && slot < told.depth; n++, slot++)
        out = ask(&connections[i], slot, first_id + slot, 0, out);
      for (char *at = output; at < out;) {
        ssize_t sent = send(connections[i].descriptor, at, (size_t)(out - at), MSG_NOSIGNAL);
        require(sent > 0, "send");
        at += sent;
      }
    }
}

static void print_usage(const process_time *before) {
  for (int i = 0; i < told.watched_count; i++) {
    process_time now = process_time_of(told.watched[i]);
    double ran = now.ran - before[i].ran, waited = now.waited - before[i].waited;
    printf("%s{\"ran\":%.6f,\"waited\":%.6f}", i ? "," : "", ran, waited);
  }
}

static void measure(void) {
  process_time watched[watched_at_most];
  for (int i = 0; i < told.watched_count; i++) watched[i] = process_time_of(told.watched[i]);
  double begun = seconds_now(CLOCK_MONOTONIC);
  is_measuring = 1;
  run_until(told.requests > 0 ? 0 : begun + told.seconds);
  printf("{\"requests\":%lu,\"seconds\":%.6f,\"p50\":%.3f,\"p99\":%.3f,\"watched\":[", measured,
         seconds_now(CLOCK_MONOTONIC) - begun, quantile_microseconds(&times, .5),
         quantile_microseconds(&times, .99));
  print_usage(watched);
  printf("]}\n");
}

int main(int count, char **words) {
  told = read_options(count, words);
  prepare(&text, told.bytes, told.holds ? "hold" : "find", told.holds ? 'h' : 'k',
          told.keys > 0 ? "concurrent" : "cancel", told.holds ? 3600000 : 0);
  if (told.depth * text.request_bytes > sizeof output && !told.holds) give_up("that is too deep", "", 0);
  open_connections(told.port);
  if (told.holds) {
    hold();
    printf("{\"requests\":%lu}\n", asked);
  } else {
    begin();
    if (told.warm_up > 0) run_until(seconds_now(CLOCK_MONOTONIC) + told.warm_up);
    measure();
  }
  fflush(stdout);
  while (told.stays && read(STDIN_FILENO, input, sizeof input) > 0) continue;
  return 0;
}
