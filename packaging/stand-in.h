/* What stands in for a library that is looked for when it is asked for the first time. Its functions are in
   FUNCTIONS(each) and FUNCTIONS_WITHOUT_RESULT(each), which are defined before; its file is LIBRARY_FILE. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Result, name, parameters, arguments, and what is answered without the library. */
#define SLOT(result, name, parameters, arguments, otherwise) result(*name) parameters;
#define SLOT_WITHOUT_RESULT(name, parameters, arguments) void(*name) parameters;
#define FILL(result, name, ...) has_all &= fill(handle, #name, &library.name);
#define FILL_WITHOUT_RESULT(name, ...) has_all &= fill(handle, #name, &library.name);

/* Functions of other shapes, if there are any. */
#ifndef OTHER_SLOTS
#define OTHER_SLOTS
#define FILL_OTHER_SLOTS
#endif

static struct {
  bool is_there;
  FUNCTIONS(SLOT)
  FUNCTIONS_WITHOUT_RESULT(SLOT_WITHOUT_RESULT)
  OTHER_SLOTS
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool fill(void *handle, const char *name, void *slot) {
  void *found = dlsym(handle, name);
  *(void **)slot = found;
  return found != NULL;
}

/* What the library needs of others is found with it. */
static void look_for_library(void) {
  void *handle = dlopen(LIBRARY_FILE, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return;
  bool has_all = true;
  FUNCTIONS(FILL)
  FUNCTIONS_WITHOUT_RESULT(FILL_WITHOUT_RESULT)
  FILL_OTHER_SLOTS
  library.is_there = has_all;
}

static bool is_there(void) {
  pthread_once(&once, look_for_library);
  return library.is_there;
}

#define PASS_ON(result, name, parameters, arguments, otherwise)                                                       \
  result name parameters { return is_there() ? library.name arguments : (otherwise); }

#define PASS_ON_WITHOUT_RESULT(name, parameters, arguments)                                                           \
  void name parameters {                                                                                              \
    if (is_there()) library.name arguments;                                                                           \
  }

FUNCTIONS(PASS_ON)
FUNCTIONS_WITHOUT_RESULT(PASS_ON_WITHOUT_RESULT)
