// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles
public import Netlink

/// A filter that redirects a lane's packets to the lane's device. Devices are identified by name, because a plan also
/// contains devices that do not exist yet.
public struct LaneFilter: Hashable, Sendable {
    /// The conditioned device.
    public var device: String
    /// The hook.
    public var hook: Handle
    /// Its preference among the hook's filters.
    public var preference: UInt16
    /// The rule and the lane that it belongs to.
    public var mark: FilterMark
    /// The program that matches packets.
    public var program: [BPFInstruction]
    /// The lane's device.
    public var target: String
}

/// The cookie that identifies a filter of linkcond: the program's name, the rule's number and the lane's letter.
public struct FilterMark: Hashable, Sendable {
    /// The rule's number on its device.
    public var rule: Int
    /// The lane.
    public var lane: Lane

    private static let prefix = Array("linkcond".utf8)

    /// Makes a mark; `rule` is at most 255.
    public init(rule: Int, lane: Lane) {
        self.rule = rule
        self.lane = lane
    }

    /// Reads a cookie; nil if it is not linkcond's.
    init?(_ cookie: [UInt8]) {
        guard cookie.count == Self.prefix.count + 2, cookie.starts(with: Self.prefix),
            let lane = Lane.allCases.first(where: { $0.letter.asciiValue == cookie[cookie.count - 1] })
        else { return nil }
        self.init(rule: Int(cookie[cookie.count - 2]), lane: lane)
    }

    var cookie: [UInt8] {
        Self.prefix + [UInt8(clamping: rule), lane.letter.asciiValue ?? 0]
    }
}

extension LaneFilter {
    /// The filter with the indexes of its devices.
    func resolved(device link: Int32, target: Int32) -> RedirectFilter {
        RedirectFilter(
            link: link,
            hook: hook,
            preference: preference,
            cookie: mark.cookie,
            program: program,
            target: target
        )
    }
}
