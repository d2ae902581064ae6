// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog

extension LoadedProfile {
    /// Prints a note for each that has a built-in profile's name.
    static func note(_ loaded: [LoadedProfile]) {
        for loaded in loaded where loaded.hidesBuiltIn {
            Console.failure("note: \"\(loaded.profile.name)\" is \(loaded.origin), not the built-in profile")
        }
    }
}
