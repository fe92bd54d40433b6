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
  // With a sign, what is not ASCII is below all of ASCII. With its second bit turned a quote is the blank, and what was
  // below that still is: one comparison for all three.
  cblocks_marks marks = __builtin_convertvector(((block ^ ('"' ^ ' ')) <= ' ') | (block == '\\'), cblocks_marks);
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

/// A bit for each of sixty-four bytes, the first one lowest: where quotes, backslashes and brackets of either side are.
typedef struct {
  uint64_t quotes, backslashes, opening, closing;
} cblocks_structure;

static inline __attribute__((always_inline)) uint64_t cblocks_bits_of(cblocks_block found) {
  cblocks_marks marks = __builtin_convertvector(found, cblocks_marks);
  uint16_t bits;
  memcpy(&bits, &marks, sizeof bits);
  return bits;
}

static inline __attribute__((always_inline)) cblocks_structure cblocks_structure_in_64(const void *_Nonnull bytes) {
  cblocks_structure structure = {0, 0, 0, 0};
  for (int part = 0; part < 4; part++) {
    cblocks_block block;
    memcpy(&block, (const char *)bytes + part * 16, sizeof block);
    // A brace and the bracket of that side differ in one bit.
    cblocks_block braces = block | ' ';
    structure.quotes |= cblocks_bits_of((cblocks_block)(block == '"')) << (part * 16);
    structure.backslashes |= cblocks_bits_of((cblocks_block)(block == '\\')) << (part * 16);
    structure.opening |= cblocks_bits_of((cblocks_block)(braces == '{')) << (part * 16);
    structure.closing |= cblocks_bits_of((cblocks_block)(braces == '}')) << (part * 16);
  }
  return structure;
}
