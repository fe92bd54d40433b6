// The page of the demo as it is built in, and what it loads.
#ifndef LASTWORD_DEMO_PAGE_H
#define LASTWORD_DEMO_PAGE_H

#include <stddef.h>

#pragma clang assume_nonnull begin

struct lastword_demo_file {
  const unsigned char *bytes;
  size_t count;
};

struct lastword_demo_file lastword_demo_page(void);
struct lastword_demo_file lastword_demo_style(void);
struct lastword_demo_file lastword_demo_script(void);
// The client for web pages of examples/clients/browser.
struct lastword_demo_file lastword_demo_client(void);

#pragma clang assume_nonnull end

#endif
