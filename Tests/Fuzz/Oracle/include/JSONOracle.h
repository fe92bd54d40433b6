#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What another JSON library, simdjson, says of a text.
typedef enum {
  JSONVerdictRejected,
  JSONVerdictAccepted,
  /// It rejects a number, which may only be too large for it.
  JSONVerdictNumber,
  /// It rejects a string, which may only have a lone surrogate.
  JSONVerdictString,
} JSONVerdict;

/// Where a child of the outermost value lies; an object's child also has a name, which begins after its quote.
typedef struct {
  size_t name, start, end;
} JSONChild;

/// So many readable bytes must follow every text.
extern const size_t json_oracle_padding;

JSONVerdict json_oracle_judge(const uint8_t *text, size_t length);

/// Lists the children of a text that was accepted; returns their number, or -1 when it fails.
ptrdiff_t json_oracle_children(const uint8_t *text, size_t length, JSONChild *children, size_t capacity);

#ifdef __cplusplus
}
#endif
