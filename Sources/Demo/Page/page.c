// The page of the demo, and what it loads. In C for the reason that the live page is.
#include "demo_page.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page[] = {
#embed "Parts/page.html"
};

static const unsigned char style[] = {
#embed "Parts/page.css"
};

static const unsigned char script[] = {
#embed "Parts/page.js"
};

static const unsigned char client[] = {
#embed "../../../examples/clients/browser/lastword.js"
};

struct lastword_demo_file lastword_demo_page(void) { return (struct lastword_demo_file){page, sizeof page}; }

struct lastword_demo_file lastword_demo_style(void) { return (struct lastword_demo_file){style, sizeof style}; }

struct lastword_demo_file lastword_demo_script(void) { return (struct lastword_demo_file){script, sizeof script}; }

struct lastword_demo_file lastword_demo_client(void) { return (struct lastword_demo_file){client, sizeof client}; }
