// What the load generator was told.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { watched_at_most = 16, usage_status = 64 };

typedef struct {
  int port, holds, stays;
  uint64_t connections, depth, bytes, requests, keys;
  double warm_up, seconds;
  int watched[watched_at_most], watched_count;
} options;

static inline void add_process(options *told, const char *word) {
  if (told->watched_count == watched_at_most) exit(usage_status);
  int process = atoi(word);
  told->watched[told->watched_count++] = process == 0 ? getpid() : process;
}

static inline int take_flag(options *told, const char *flag) {
  if (strcmp(flag, "--hold") == 0) return told->holds = 1;
  if (strcmp(flag, "--stay") == 0) return told->stays = 1;
  return 0;
}

static inline int take_value(options *told, const char *name, const char *value) {
  if (strcmp(name, "--connections") == 0) told->connections = strtoull(value, NULL, 10);
  else if (strcmp(name, "--depth") == 0) told->depth = strtoull(value, NULL, 10);
  else if (strcmp(name, "--bytes") == 0) told->bytes = strtoull(value, NULL, 10);
  else if (strcmp(name, "--requests") == 0) told->requests = strtoull(value, NULL, 10);
  else if (strcmp(name, "--keys") == 0) told->keys = strtoull(value, NULL, 10);
  else if (strcmp(name, "--warm-up") == 0) told->warm_up = atof(value);
  else if (strcmp(name, "--seconds") == 0) told->seconds = atof(value);
  else if (strcmp(name, "--watch") == 0) add_process(told, value);
  else return 0;
  return 1;
}

static inline options read_options(int count, char **words) {
  options told = {.connections = 1, .depth = 1, .bytes = 150, .seconds = 1};
  if (count < 2 || (told.port = atoi(words[1])) <= 0) exit(usage_status);
  for (int i = 2; i < count; i++) {
    if (take_flag(&told, words[i])) continue;
    if (i + 1 == count || !take_value(&told, words[i], words[i + 1])) {
      fprintf(stderr, "load: what is %s?\n", words[i]);
      exit(usage_status);
    }
    i++;
  }
  if (told.connections == 0 || told.depth == 0) exit(usage_status);
  return told;
}
