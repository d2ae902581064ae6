// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension Profile {
    /// Whether traffic of others competes on the link.
    package var isShared: Bool { [downlink, uplink].contains { $0?.competing?.isEmpty == false } }

    /// Removes everything but the lanes' figures, since nothing else can be measured; returns the names of the removed
    /// keys.
    ///
    /// Competing traffic goes, too: it reacts to the probes, and what they would have to see is not known.
    package mutating func removeAllButFigures() -> [String] {
        let removed =
            (faults.isEmpty ? [] : ["faults"]) + (isShared ? ["competing traffic"] : [])
            + networkKeys.map { "\"\($0)\"" }
        downlink?.competing = nil
        uplink?.competing = nil
        faults = []
        (mtu, ipv6, translation) = (nil, nil, nil)
        return removed
    }
}
