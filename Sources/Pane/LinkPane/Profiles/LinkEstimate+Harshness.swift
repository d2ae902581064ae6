// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import ProfileCatalog

extension LinkEstimate {
    /// How hard the link is to use, from 0 to 1, for the order of the list.
    ///
    /// The cost of a link is the time of a page of 1 MB and of ten pings one after the other, where one without an
    /// answer costs a second; the harshness is cost / (cost + 10 s). A link on which nothing arrives has 1.
    var harshness: Double {
        let pings = 10 * (answered * ping + (1 - answered) * max(ping, 1))
        let cost = page + pings
        return cost.isFinite ? cost / (cost + 10) : 1
    }
}

extension Profile {
    /// The harshness of the figures. What is broken has no time: such profiles come after links of 90 s, before those
    /// on which nothing arrives.
    func harshness(_ recordings: Recordings) -> Double {
        max(LinkEstimate(self, recordings).harshness, brokenWords.isEmpty ? 0 : 0.9)
    }
}
