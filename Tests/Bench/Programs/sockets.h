// Sockets as the upstream and the load generator use them: on the loopback, non-blocking, watched by epoll.
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { backlog_connections = 4096 };

// Bytes that wait for the next call; empty without memory of its own.
typedef struct {
  char *bytes;
  size_t count;
} rest;

static inline void require(int condition, const char *what) {
  if (condition) return;
  perror(what);
  exit(1);
}

static inline void keep(rest *one, const char *bytes, size_t count) {
  one->count = count;
  if (count == 0) return;
  one->bytes = realloc(one->bytes, count);
  memcpy(one->bytes, bytes, count);
}

static inline size_t take_back(rest *one, char *into) {
  size_t count = one->count;
  if (count > 0) memcpy(into, one->bytes, count);
  one->count = 0;
  return count;
}

// A connection that broke takes nothing any more: reading from it says so.
static inline size_t send_some(int descriptor, const char *bytes, size_t count) {
  ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
  return sent < 0 ? (errno == EAGAIN ? 0 : count) : (size_t)sent;
}

static inline void add(int poll, int descriptor, void *owner, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = owner};
  require(epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

static inline void watch(int poll, int descriptor, void *owner, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = owner};
  require(epoll_ctl(poll, EPOLL_CTL_MOD, descriptor, &event) == 0, "epoll_ctl");
}

static inline void without_delay(int descriptor) {
  int yes = 1;
  require(setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0, "TCP_NODELAY");
}

static inline struct sockaddr_in loopback(int port) {
  return (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static inline int listen_anywhere(void) {
  struct sockaddr_in address = loopback(0);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  require(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "bind");
  require(listen(listener, backlog_connections) == 0, "listen");
  return listener;
}

static inline int port_of(int listener) {
  struct sockaddr_in address;
  socklen_t length = sizeof address;
  require(getsockname(listener, (struct sockaddr *)&address, &length) == 0, "getsockname");
  return ntohs(address.sin_port);
}

static inline int connect_to(int port) {
  struct sockaddr_in address = loopback(port);
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  require(connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0, "connect");
  without_delay(descriptor);
  return descriptor;
}
