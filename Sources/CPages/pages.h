#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/mman.h>

// Swift does not call what takes any number of arguments.

/// Makes a mapping longer, at another place if need be: its pages are moved there, and what lies in them is not copied.
static inline void *_Nonnull cpages_grow(void *_Nonnull pages, size_t byte_count, size_t larger) {
  return mremap(pages, byte_count, larger, MREMAP_MAYMOVE);
}
