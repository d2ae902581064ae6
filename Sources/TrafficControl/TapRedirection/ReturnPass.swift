// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// A filter that ends classification for packets that a pump has written back, so that no later filter redirects them
/// again.
///
/// It has no action and therefore no cookie. It is identified by its class, which has no meaning at clsact.
public struct ReturnPass: Hashable, Sendable {
    /// Its preference among the filters of the egress hook.
    public var preference: UInt16
    /// The rule that it belongs to.
    public var rule: Int

    /// "lc"
    private static let major: UInt16 = 0x6C63

    /// Makes the pass of a rule.
    public init(preference: UInt16, rule: Int) {
        self.preference = preference
        self.rule = rule
    }

    /// Reads a filter; nil if it is no pass of linkcond.
    init?(_ filter: Filter) {
        guard filter.hook == .egress, let flow = filter.flow, flow.rawValue >> 16 == UInt32(Self.major),
            flow.rawValue & 0xFFFF > 0
        else { return nil }
        self.init(preference: filter.preference, rule: Int(flow.rawValue & 0xFFFF))
    }

    /// The class.
    public var flow: Handle { Handle(Self.major, UInt16(clamping: rule)) }
}
