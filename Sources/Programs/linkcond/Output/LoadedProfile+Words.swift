// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog

extension LoadedProfile {
    /// Prints a note for each profile that has the name of a built-in one.
    static func note(_ loaded: [LoadedProfile]) {
        for loaded in loaded where loaded.hidesBuiltIn {
            Console.failure("note: \"\(loaded.profile.name)\" is \(loaded.origin), not the built-in profile")
        }
    }
}
