// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension Profile {
    /// Removes everything but the lanes' figures, since nothing else can be measured; returns the names of the removed
    /// keys.
    package mutating func removeAllButFigures() -> [String] {
        let removed = (faults.isEmpty ? [] : ["faults"]) + networkKeys.map { "\"\($0)\"" }
        faults = []
        (mtu, ipv6, translation) = (nil, nil, nil)
        return removed
    }
}
