// The requests and their answers: one template for all, in which only the id and the key differ.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { digits = 10, longest_bytes = 64 * 1024 };

#define OPENING "{\"jsonrpc\":\"2.0\",\"id\":"
#define RESULT ",\"result\":"
#define QUERY "{\"query\":\""
#define FILTERS "\",\"in\":["
#define FILTER "{\"field\":\"path\",\"value\":\"Sources/Gateway/*.swift\",\"weight\":0.75,\"exact\":false},"
#define CLOSING "0]}"

typedef struct {
  char request[longest_bytes], answer[longest_bytes];
  size_t request_bytes, answer_bytes, key_offset;
} messages;

// Ten digits without a leading zero, as an id is echoed byte for byte.
static inline void write_digits(char *at, uint64_t number) {
  for (int i = digits - 1; i >= 0; i--, number /= 10) at[i] = (char)('0' + number % 10);
}

static inline uint64_t read_digits(const char *at) {
  uint64_t number = 0;
  for (int i = 0; i < digits; i++) number = number * 10 + (uint64_t)(at[i] - '0');
  return number;
}

static inline char *append(char *at, const char *bytes, size_t count) {
  memcpy(at, bytes, count);
  return at + count;
}

// Params of this length exactly: a query's text, and filters as far as they fit.
static inline void write_params(char *at, size_t count) {
  const size_t filter = sizeof FILTER - 1;
  const size_t around = sizeof QUERY - 1 + sizeof FILTERS - 1 + sizeof CLOSING - 1;
  if (count < around || count > longest_bytes) {
    fprintf(stderr, "load: no request is of that size\n");
    exit(64);
  }
  size_t filters = (count - around) / filter, padding = count - around - filters * filter;
  at = append(at, QUERY, sizeof QUERY - 1);
  for (size_t i = 0; i < padding; i++) *at++ = i % 8 == 7 ? ' ' : 'a';
  at = append(at, FILTERS, sizeof FILTERS - 1);
  for (size_t i = 0; i < filters; i++) at = append(at, FILTER, filter);
  append(at, CLOSING, sizeof CLOSING - 1);
}

// `size` is that of the request's whole line.
static inline void prepare(messages *all, size_t size, const char *method, char kind, const char *policy,
                           long timeout_ms) {
  char *at = all->request, *params;
  at += sprintf(at, OPENING "%0*d,\"method\":\"%s\",\"task\":{\"key\":\"%c:", digits, 0, method, kind);
  all->key_offset = (size_t)(at - all->request);
  at += sprintf(at, "%0*d\",\"policy\":\"%s\"", digits, 0, policy);
  if (timeout_ms > 0) at += sprintf(at, ",\"timeoutMs\":%ld", timeout_ms);
  at += sprintf(at, "},\"params\":");
  params = at;
  size_t before = (size_t)(at - all->request), count = size > before + 2 ? size - before - 2 : 0;
  write_params(params, count);
  memcpy(params + count, "}\n", 2);
  all->request_bytes = size;
  at = all->answer;
  at += sprintf(at, OPENING "%0*d" RESULT, digits, 0);
  memcpy(at, params, count + 2);
  all->answer_bytes = (size_t)(at - all->answer) + count + 2;
}

static inline char *write_request(const messages *all, char *at, uint64_t id, uint64_t key) {
  memcpy(at, all->request, all->request_bytes);
  write_digits(at + sizeof OPENING - 1, id);
  write_digits(at + all->key_offset, key);
  return at + all->request_bytes;
}

// Whether the bytes are an answer, a result, and of the right length; then the id is where it should be.
static inline int is_answer(const messages *all, const char *at) {
  const size_t opening = sizeof OPENING - 1, result = sizeof RESULT - 1;
  return at[all->answer_bytes - 1] == '\n' && memcmp(at, all->answer, opening) == 0 &&
         memcmp(at + opening + digits, all->answer + opening + digits, result) == 0;
}

// The dearer look, at every byte but the id.
static inline int is_whole_answer(const messages *all, const char *at) {
  const size_t from = sizeof OPENING - 1 + digits;
  return memcmp(at + from, all->answer + from, all->answer_bytes - from) == 0;
}
