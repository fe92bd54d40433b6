#pragma once
#include <stdint.h>
#include <string.h>

// Nearly every processor can make a number of a vector, one bit for each element; Swift has no word for it.

typedef int8_t cblocks_block __attribute__((ext_vector_type(16)));
typedef _Bool cblocks_marks __attribute__((ext_vector_type(16)));

/// A bit for each of sixteen bytes, the first one lowest: whether it is a quote, a backslash, a control character or not
/// ASCII.
static inline __attribute__((always_inline)) uint64_t cblocks_special_in_16(const void *_Nonnull bytes) {
  cblocks_block block;
  memcpy(&block, bytes, sizeof block);
  // With a sign, what is not ASCII is below all of ASCII.
  cblocks_marks marks = __builtin_convertvector((block == '"') | (block == '\\') | (block < ' '), cblocks_marks);
  uint16_t bits;
  memcpy(&bits, &marks, sizeof bits);
  return bits;
}

/// The same for sixty-four bytes.
static inline __attribute__((always_inline)) uint64_t cblocks_special_in_64(const void *_Nonnull bytes) {
  const char *first = (const char *)bytes;
  return cblocks_special_in_16(first) | cblocks_special_in_16(first + 16) << 16 |
         cblocks_special_in_16(first + 32) << 32 | cblocks_special_in_16(first + 48) << 48;
}
