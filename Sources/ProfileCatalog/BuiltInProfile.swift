// SPDX-License-Identifier: Apache-2.0

/// One of the files in `Profiles/`, carried inside the program. The build writes the list of them,
/// `BuiltInProfiles.all`, and stops at one that is not valid.
struct BuiltInProfile: Sendable {
    let name: String
    let json: String
}
