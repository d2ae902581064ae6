// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whether a condition becomes true within a few seconds.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<1000 {
        if condition() { return true }
        usleep(5000)
    }
    return false
}
