#pragma once
#include <malloc.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <uv.h>

/// The C library shows these only to those who define a feature macro before every other header.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
extern int close_range(unsigned int first, unsigned int last, int flags);
extern char **environ;

/// A variable that no language but C may share between threads; the process never changes it.
static inline char **clibuv_environment(void) { return environ; }

/// Close at the next exec, not now.
enum { CLIBUV_CLOSE_RANGE_CLOEXEC = 1U << 2 };

/// Room for either kind of connection, so that one Swift type can own both.
typedef union {
  uv_handle_t handle;
  uv_stream_t stream;
  uv_tcp_t tcp;
  uv_pipe_t pipe;
} clibuv_connection_t;
