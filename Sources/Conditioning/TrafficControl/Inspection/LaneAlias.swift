// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import LinuxSystem
internal import Netlink

/// The alias of a lane's device. It shows any later process, or a person, what the device is and how to remove it.
///
/// `linkcond eth0 uplink rule 1 at=1795938273 uid=0 pid=4711 start=923 hook=made traffic={port 443} profile=Slow Net`
package struct LaneAlias: Hashable, Sendable {
    /// The conditioned device.
    package var device = ""
    package var lane: Lane
    /// The rule's number on the device.
    package var rule: Int
    /// Seconds since 1970 when the rule was made or changed.
    package var appliedAt = 0
    /// The ID of the user who made or last changed the rule.
    package var userID: UInt32 = 0
    /// The ID of the process that made or last changed the rule.
    package var processID: Int32 = 0
    /// The identity of that process, which distinguishes it from later processes with the same ID; nil if unknown.
    package var maker: ProcessIdentity?
    /// Whether the rule belongs to that process as long as it runs, as in a sandbox.
    package var isHeld = false
    /// Whether linkcond added the device's clsact.
    package var madeHook = false
    /// The MTU that the device had before linkcond lowered it; nil if linkcond did not lower it.
    package var previousMTU: UInt32?
    /// The settings that loopback had before linkcond changed them; nil if linkcond did not change them.
    package var previousSettings: LoopbackSettings?
    /// The host whose link the profile describes.
    package var facing = Facing.host
    package var selection = Selection()
    /// The profile's name, truncated to the length of an alias.
    package var profile = ""

    private static let prefix = "linkcond"
    /// The longest selection in bytes, which leaves room for a readable profile name.
    static let longestSelection = 120

    /// The minimum number of bytes left for the profile's name.
    private static let shortestName = 10

    /// The alias as text, at most as long as the kernel allows.
    package var text: String {
        var head = head(naming: maker)
        // With very long selectors, the kernel's limit leaves no room for the maker's start time beside its process ID.
        if head.utf8.count + Self.shortestName > LinkRequest.maximumAliasLength { head = self.head(naming: nil) }
        // The name is truncated at a character boundary.
        var name = Substring(profile)
        while head.utf8.count + name.utf8.count > LinkRequest.maximumAliasLength, !name.isEmpty { name.removeLast() }
        return head + name
    }

    private func head(naming maker: ProcessIdentity?) -> String {
        var words = [
            Self.prefix, device, lane.name, "rule", String(rule), "at=\(appliedAt)", "uid=\(userID)",
            "pid=\(processID)",
        ]
        if let maker, maker.processID == processID {
            words.append("start=\(maker.startTime)")
            if maker.namespace != ProcessIdentity.initialNamespace { words.append("pidns=\(maker.namespace)") }
        }
        if isHeld { words.append("held=sandbox") }
        if facing != .host { words.append("facing=\(facing.rawValue)") }
        if madeHook { words.append("hook=made") }
        if let previousMTU { words.append("mtu=\(previousMTU)") }
        if let previousSettings { words.append("settings=\(previousSettings.text)") }
        if !selection.isEverything { words.append("traffic={\(selection)}") }
        return words.joined(separator: " ") + " profile="
    }
}

extension LaneAlias {
    /// The alias of a lane whose maker was killed before it set the device's alias.
    package init(undescribed name: LaneName) { self.init(lane: name.kind, rule: name.rule) }

    /// Whether the process that made the lane is running.
    package var makerIsAlive: Bool {
        // The alias had no room for the start time, or was cut off. The ID alone may by now belong to another process.
        guard let maker else { return processID > 0 && ProcessIdentity(processID) != nil }
        return maker.isAlive
    }

    /// Whether the rule belongs to a process that runs, such as the supervisor of a sandbox.
    package var isHeldByLivingProcess: Bool { isHeld && makerIsAlive }

    /// Parses an alias; nil for text that linkcond did not write.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let parts = text[...].divided(by: " profile=") else { return nil }
        var (head, selection) = (parts.before, Selection())
        if head.last == "}", let parts = head.divided(by: " traffic={") {
            guard let read = Selection(parts.after.dropLast()) else { return nil }
            (head, selection) = (parts.before, read)
        }
        // By bytes, many times faster than by characters: a pane reads some hundred aliases a second.
        let words = head.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard words.count >= 5, words[0] == Self.prefix, words[3] == "rule",
            let lane = Lane(name: String(words[2])), let rule = Int(words[4])
        else { return nil }
        let pairs = words[5...].map { $0.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1) }
        let values = Dictionary(
            pairs.filter { $0.count == 2 }.map { (Substring($0[0]), Substring($0[1])) },
            uniquingKeysWith: { first, _ in first }
        )
        self.init(
            device: String(words[1]),
            lane: lane,
            rule: rule,
            appliedAt: values["at"].flatMap { Int($0) } ?? 0,
            userID: values["uid"].flatMap { UInt32($0) } ?? 0,
            processID: values["pid"].flatMap { Int32($0) } ?? 0,
            madeHook: values["hook"] == "made",
            previousMTU: values["mtu"].flatMap { UInt32($0) },
            previousSettings: values["settings"].flatMap { LoopbackSettings($0) },
            selection: selection,
            profile: String(parts.after)
        )
        isHeld = values["held"] != nil
        facing = values["facing"].flatMap { Facing(rawValue: String($0)) } ?? .host
        maker = values["start"].flatMap { UInt64($0) }.map { start in
            let namespace = values["pidns"].flatMap { UInt64($0) } ?? ProcessIdentity.initialNamespace
            return ProcessIdentity(processID: processID, startTime: start, namespace: namespace)
        }
    }
}

extension Substring {
    /// Splits the text at the first `mark`; nil if it has none.
    ///
    /// Compares bytes, because a name may begin with a character that combines with the last one of the mark. Avoids
    /// the standard library's search, which took most of the time of reading an alias (Swift 6.3).
    fileprivate func divided(by mark: StaticString) -> (before: Substring, after: Substring)? {
        let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        var rest = utf8[...]
        while let start = rest.firstIndex(of: mark[0]) {
            if rest[start...].starts(with: mark) {
                return (self[..<start], self[utf8.index(start, offsetBy: mark.count)...])
            }
            rest = rest[start...].dropFirst()
        }
        return nil
    }
}
