/* SPDX-License-Identifier: Apache-2.0 */
#include "CLinuxCalls.h"

/* In a section of its own, which scripts/build fills once the program is linked: a commit must not build it anew.
 * Volatile, or the compiler would take it for empty. */
__attribute__((section("linkcond_build"), used)) static const volatile char build[64] = "";

void lc_read_build(char text[64]) {
    for (int place = 0; place < 63; place++) text[place] = build[place];
    text[63] = 0;
}
