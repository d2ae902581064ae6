/* SPDX-License-Identifier: Apache-2.0 */
#include "CLinuxCalls.h"

/* In a separate section, which scripts/build fills after linking, so that a new commit does not require recompiling.
 * Volatile, or the compiler would assume that the text is empty. */
__attribute__((section("linkcond_build"), used)) static const volatile char build[64] = "";

void lc_read_build(char text[64]) {
    for (int place = 0; place < 63; place++) text[place] = build[place];
    text[63] = 0;
}
