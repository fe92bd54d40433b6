#pragma once

/// The commit that the program is built from, as scripts/build-information wrote it down; "unknown" where it did not.
const char *lastword_revision(void);

/// The C library that runs, such as 2.36; "unknown" where it is none that says so.
const char *lastword_c_library(void);
