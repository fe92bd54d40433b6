/* A newer C library has a second hypot, which differs in errno alone: with the first one older systems will do. */
#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST_VERSION "GLIBC_2.17"
#else
#error "the first version of this machine's C library is not known here"
#endif

double first_hypot(double x, double y);
float first_hypotf(float x, float y);
__asm__(".symver first_hypot, hypot@" FIRST_VERSION);
__asm__(".symver first_hypotf, hypotf@" FIRST_VERSION);

double __wrap_hypot(double x, double y);
float __wrap_hypotf(float x, float y);
double __wrap_hypot(double x, double y) { return first_hypot(x, y); }
float __wrap_hypotf(float x, float y) { return first_hypotf(x, y); }
