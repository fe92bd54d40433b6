// How long answers took: 64 buckets for each doubling of nanoseconds, so that none is off by more than 1.6 %.
#pragma once
#include <stdint.h>

enum { bits_kept = 6, buckets = (64 - bits_kept + 1) << bits_kept };

typedef struct {
  uint64_t counts[buckets], total;
} histogram;

static inline unsigned bucket_of(uint64_t value) {
  if (value < 1u << bits_kept) return (unsigned)value;
  unsigned shift = 63u - (unsigned)__builtin_clzll(value) - bits_kept;
  return (shift << bits_kept) + (unsigned)(value >> shift);
}

static inline uint64_t lowest_in(unsigned bucket) {
  if (bucket < 2u << bits_kept) return bucket;
  unsigned shift = (bucket >> bits_kept) - 1;
  return (uint64_t)(bucket - (shift << bits_kept)) << shift;
}

static inline void record(histogram *all, uint64_t value) {
  all->counts[bucket_of(value)]++;
  all->total++;
}

static inline double quantile_microseconds(const histogram *all, double share) {
  uint64_t wanted = (uint64_t)(share * (double)all->total), seen = 0;
  for (unsigned bucket = 0; bucket < buckets; bucket++) {
    seen += all->counts[bucket];
    if (seen > wanted) return (double)lowest_in(bucket) / 1000;
  }
  return 0;
}
