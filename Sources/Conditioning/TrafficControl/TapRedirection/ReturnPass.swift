// SPDX-License-Identifier: Apache-2.0

package import Netlink

/// A filter that ends classification for packets that a pump has written back, so that no later filter redirects them
/// again.
///
/// The filter has no action and therefore no cookie. It is identified by its class ID, which has no effect at clsact.
package struct ReturnPass: Hashable, Sendable {
    /// The filter's preference among the filters of the egress hook.
    package var preference: UInt16
    package var rule: Int

    /// "lc"
    private static let major: UInt16 = 0x6C63

    package var flow: Handle { Handle(Self.major, UInt16(clamping: rule)) }
}

extension ReturnPass {
    /// The filter on the device with the index `link`, for packets from `tap`; `tap` is not needed to delete the
    /// filter.
    func filter(on link: Int32, from tap: String = "") -> PassFilter {
        PassFilter(link: link, hook: .egress, preference: preference, source: tap, flow: flow)
    }

    /// Reads a filter as a pass; nil if linkcond did not make it.
    init?(_ filter: Filter) {
        guard filter.hook == .egress, let flow = filter.flow, flow.rawValue >> 16 == UInt32(Self.major),
            flow.rawValue & 0xFFFF > 0
        else { return nil }
        self.init(preference: filter.preference, rule: Int(flow.rawValue & 0xFFFF))
    }
}
