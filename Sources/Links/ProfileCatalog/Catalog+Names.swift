// SPDX-License-Identifier: Apache-2.0

extension Catalog {
    /// The names of all profiles, each once, in alphabetical order.
    package var profileNames: [String] { entries().entries.map(\.name) }
}
