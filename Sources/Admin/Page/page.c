// The live page, put together of the files in Parts, one behind the other: a new one is named here.
// In C, because a Swift compiler takes half a minute for an array of that many bytes.
#include "page.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page[] = {
#embed "Parts/head.html"
,
#embed "Parts/style.css"
,
#embed "Parts/body.html"
,
#embed "Parts/basics.js"
,
#embed "Parts/origin.js"
,
#embed "Parts/history.js"
,
#embed "Parts/drawing.js"
,
#embed "Parts/state.js"
,
#embed "Parts/lanes.js"
,
#embed "Parts/panel.js"
,
#embed "Parts/story.js"
,
#embed "Parts/numbers.js"
,
#embed "Parts/talkers.js"
,
#embed "Parts/fleet.js"
,
#embed "Parts/access.js"
,
#embed "Parts/connection.js"
,
#embed "Parts/playground.js"
,
#embed "Parts/frames.js"
,
#embed "Parts/hands.js"
,
#embed "Parts/start.js"
,
#embed "Parts/end.html"
};

const unsigned char *lastword_admin_page(void) { return page; }

size_t lastword_admin_page_byte_count(void) { return sizeof page; }
