// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import Netlink

/// A filter that redirects a lane's packets to the lane's device. Devices are identified by name, because a plan also
/// contains devices that do not exist yet.
package struct LaneFilter: Hashable, Sendable {
    /// The conditioned device.
    package var device: String
    package var hook: Handle
    /// The filter's preference among the filters of the hook.
    package var preference: UInt16
    /// The rule and the lane that it belongs to.
    package var mark: FilterMark
    /// The program that matches packets; empty for a fail-open program as read from the kernel, which does not list it.
    package var program: [BPFInstruction]
    /// Whether the filter matches nothing once the lane's device is gone or its pump has stopped, and its program's
    /// digest; nil for a filter that then drops the packets.
    package var failOpen: FailOpenMark?
    /// The lane's device.
    package var target: String
}

/// The entry that the kernel lists for a program that fails open, instead of its instructions.
package struct FailOpenMark: Hashable, Sendable {
    /// A digest of the classic program from which the fail-open program was made.
    package var digest: UInt64
    /// The kernel's number of the loaded program; nil if it is not loaded yet.
    package var programID: UInt32?

    private static let prefix = "linkcond:"

    /// Describes the fail-open form of `program`.
    init(_ program: [BPFInstruction]) {
        // FNV-1a.
        digest = program.map(\.description).joined(separator: ",").utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
    }

    /// Reads the mark from a filter's name; nil unless the filter has a fail-open program of linkcond.
    init?(_ filter: Filter) {
        guard let name = filter.name, name.hasPrefix(Self.prefix), let id = filter.programID,
            let digest = UInt64(name.dropFirst(Self.prefix.count), radix: 16)
        else { return nil }
        self.digest = digest
        programID = id
    }

    /// The filter's name, with the digest.
    var name: String { Self.prefix + String(digest, radix: 16) }
}

/// The cookie that identifies a filter of linkcond: the program's name, the rule's number and the lane's letter.
package struct FilterMark: Hashable, Sendable {
    /// The rule's number on its device, at most 255.
    package var rule: Int
    package var lane: Lane

    private static let prefix = Array("linkcond".utf8)

    var cookie: [UInt8] {
        Self.prefix + [UInt8(clamping: rule), lane.letter.asciiValue ?? 0]
    }
}

extension FilterMark {
    /// Parses a cookie; nil if linkcond did not make it.
    init?(_ cookie: [UInt8]) {
        guard cookie.count == Self.prefix.count + 2, cookie.starts(with: Self.prefix),
            let lane = Lane.allCases.first(where: { $0.letter.asciiValue == cookie[cookie.count - 1] })
        else { return nil }
        self.init(rule: Int(cookie[cookie.count - 2]), lane: lane)
    }
}

extension LaneFilter {
    /// The filter with the indexes of its devices, and its loaded program if it fails open.
    func resolved(device link: Int32, target: Int32, _ loaded: LoadedProgram? = nil) -> RedirectFilter {
        RedirectFilter(
            link: link,
            hook: hook,
            preference: preference,
            cookie: mark.cookie,
            program: program,
            loaded: loaded,
            target: target
        )
    }

    /// The filter as the kernel lists it.
    var listed: LaneFilter {
        guard failOpen != nil else { return self }
        var filter = self
        filter.program = []
        filter.failOpen?.programID = nil
        return filter
    }
}
