// The live page as it is built in.
#ifndef LASTWORD_ADMIN_PAGE_H
#define LASTWORD_ADMIN_PAGE_H

#include <stddef.h>

#pragma clang assume_nonnull begin

const unsigned char *lastword_admin_page(void);
size_t lastword_admin_page_byte_count(void);

#pragma clang assume_nonnull end

#endif
