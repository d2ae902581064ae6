// SPDX-License-Identifier: Apache-2.0

// The code that the documentation shows of LinkProfiles; see ConditioningSamples.swift.

// begin read-profile
import LinkProfiles

/// Reads a profile, or prints every mistake in it with line, column and the nearest right spelling.
func readProfile(_ text: String) -> Profile? {
    do {
        return try Profile(utf8: text.utf8)
    } catch {
        for issue in error.issues { print(issue) }
        return nil
    }
}
// end read-profile
