// In C, because a Swift compiler takes half a minute for an array of that many bytes.
#include "page.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page[] = {
#embed "index.html"
};

const unsigned char *lastword_admin_page(void) { return page; }

size_t lastword_admin_page_byte_count(void) { return sizeof page; }
