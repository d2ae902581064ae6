// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension Profile {
    /// Removes everything but the figures of lanes, which alone can be measured; returns in words what was removed.
    package mutating func removeAllButFigures() -> [String] {
        let removed = (faults.isEmpty ? [] : ["faults"]) + networkKeys.map { "\"\($0)\"" }
        faults = []
        (mtu, ipv6, translation) = (nil, nil, nil)
        return removed
    }
}
