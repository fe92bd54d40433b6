// In C, so that a new commit costs the compiling of these lines and no more.
#include "build_information.h"

#include <limits.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#if __has_include("generated.h")
#include "generated.h"
#endif

#ifndef LASTWORD_REVISION
#define LASTWORD_REVISION "unknown"
#endif

// With a section and a size of its own, so that it can be written into a program that is built already.
#ifdef __ELF__
__attribute__((used, section("lastword_build")))
#endif
static const char revision[64] = LASTWORD_REVISION;

const char *lastword_revision(void) { return revision; }

#ifdef __GLIBC__
const char *lastword_c_library(void) { return gnu_get_libc_version(); }
#else
const char *lastword_c_library(void) { return "unknown"; }
#endif
