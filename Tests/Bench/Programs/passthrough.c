// The yardstick: passes bytes on as fast as libuv lets it, with an upstream connection for each client.
// usage: passthrough UPSTREAM-PORT     prints the port that it listens on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { backlog_connections = 1024, read_bytes = 64 * 1024 };

typedef struct side side;
struct side {
  uv_tcp_t tcp;
  side *peer;
  int is_closed, has_ended;
};

typedef struct {
  uv_write_t request;
  side *from;
  char bytes[];
} rest;

static uv_loop_t *loop;
static struct sockaddr_in upstream;
// Bytes stay in it no longer than the callback that they were read for.
static char shared[read_bytes];

static void check(int status) {
  if (status >= 0) return;
  fprintf(stderr, "%s\n", uv_strerror(status));
  exit(1);
}

static void closed(uv_handle_t *handle) {
  side *one = handle->data;
  one->is_closed = 1;
  if (!one->peer->is_closed) return;
  free(one->peer);
  free(one);
}

static void close_both(side *one) {
  side *both[] = {one, one->peer};
  for (int i = 0; i < 2; i++)
    if (!uv_is_closing((uv_handle_t *)&both[i]->tcp)) uv_close((uv_handle_t *)&both[i]->tcp, closed);
}

static void give(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)handle, (void)suggested;
  *buffer = uv_buf_init(shared, read_bytes);
}

static void pass(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer);

static void passed(uv_write_t *request, int status) {
  side *from = ((rest *)request)->from;
  free(request);
  if (status < 0) close_both(from);
  if (!uv_is_closing((uv_handle_t *)&from->tcp)) uv_read_start((uv_stream_t *)&from->tcp, give, pass);
}

// What the socket did not take is kept, and nothing more read before it is gone.
static void pass_later(side *from, const char *bytes, size_t count) {
  rest *kept = malloc(sizeof *kept + count);
  uv_buf_t buffer = uv_buf_init(kept->bytes, (unsigned)count);
  memcpy(kept->bytes, bytes, count);
  kept->from = from;
  uv_read_stop((uv_stream_t *)&from->tcp);
  check(uv_write(&kept->request, (uv_stream_t *)&from->peer->tcp, &buffer, 1, passed));
}

static void shut(uv_shutdown_t *request, int status) {
  side *one = request->data;
  free(request);
  if (status < 0 || one->peer->has_ended) close_both(one);
}

static void end(side *from) {
  uv_shutdown_t *request = malloc(sizeof *request);
  request->data = from;
  from->has_ended = 1;
  if (uv_shutdown(request, (uv_stream_t *)&from->peer->tcp, shut) == 0) return;
  free(request);
  close_both(from);
}

static void pass(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  side *from = stream->data;
  if (count == 0) return;
  if (count == UV_EOF) return end(from);
  if (count < 0) return close_both(from);
  uv_buf_t whole = uv_buf_init(buffer->base, (unsigned)count);
  int written = uv_try_write((uv_stream_t *)&from->peer->tcp, &whole, 1);
  if (written == count) return;
  if (written < 0 && written != UV_EAGAIN) return close_both(from);
  size_t done = written < 0 ? 0 : (size_t)written;
  pass_later(from, buffer->base + done, (size_t)count - done);
}

static void connected(uv_connect_t *request, int status) {
  side *there = request->handle->data;
  free(request);
  if (status < 0) return close_both(there);
  uv_read_start((uv_stream_t *)&there->tcp, give, pass);
  uv_read_start((uv_stream_t *)&there->peer->tcp, give, pass);
}

static side *new_side(void) {
  side *one = calloc(1, sizeof *one);
  check(uv_tcp_init(loop, &one->tcp));
  one->tcp.data = one;
  return one;
}

static void accepted(uv_stream_t *listener, int status) {
  check(status);
  side *here = new_side(), *there = new_side();
  here->peer = there;
  there->peer = here;
  check(uv_accept(listener, (uv_stream_t *)&here->tcp));
  uv_tcp_nodelay(&here->tcp, 1);
  uv_tcp_nodelay(&there->tcp, 1);
  check(uv_tcp_connect(malloc(sizeof(uv_connect_t)), &there->tcp, (struct sockaddr *)&upstream, connected));
}

static void stop(uv_signal_t *handle, int number) {
  (void)handle, (void)number;
  uv_stop(loop);
}

int main(int count, char **words) {
  uv_tcp_t listener;
  uv_signal_t told;
  struct sockaddr_in address;
  int length = sizeof address;
  if (count != 2) return 64;
  loop = uv_default_loop();
  signal(SIGPIPE, SIG_IGN);
  check(uv_ip4_addr("127.0.0.1", atoi(words[1]), &upstream));
  check(uv_ip4_addr("127.0.0.1", 0, &address));
  check(uv_tcp_init(loop, &listener));
  check(uv_tcp_bind(&listener, (struct sockaddr *)&address, 0));
  check(uv_listen((uv_stream_t *)&listener, backlog_connections, accepted));
  check(uv_signal_init(loop, &told));
  check(uv_signal_start(&told, stop, SIGTERM));
  check(uv_tcp_getsockname(&listener, (struct sockaddr *)&address, &length));
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return uv_run(loop, UV_RUN_DEFAULT) < 0;
}
