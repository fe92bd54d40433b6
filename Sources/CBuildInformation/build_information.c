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

const char *lastword_revision(void) { return LASTWORD_REVISION; }

#ifdef __GLIBC__
const char *lastword_c_library(void) { return gnu_get_libc_version(); }
#else
const char *lastword_c_library(void) { return "unknown"; }
#endif
