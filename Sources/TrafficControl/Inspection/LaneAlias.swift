// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles
internal import Netlink

/// The alias of a lane's device. It tells any later process, or a person, what the device is and how to remove it.
///
/// `linkcond eth0 uplink rule 1 at=1795938273 uid=0 pid=4711 hook=made traffic={port 443} profile=Slow Net`
public struct LaneAlias: Hashable, Sendable {
    /// The conditioned device.
    public var device: String
    /// The lane.
    public var lane: Lane
    /// The rule's number on the device.
    public var rule: Int
    /// Seconds since 1970 when the rule was made or changed.
    public var appliedAt: Int
    /// The user who did it.
    public var userID: UInt32
    /// The process that did it.
    public var processID: Int32
    /// Whether linkcond added the device's clsact.
    public var madeHook: Bool
    /// The MTU that the device had before linkcond lowered it; nil if it did not.
    public var previousMTU: UInt32?
    /// The settings that loopback had before linkcond changed them; nil if it did not.
    public var previousSettings: LoopbackSettings?
    /// The traffic that the rule applies to.
    public var selection: Selection
    /// The profile's name, truncated to the length of an alias.
    public var profile: String

    private static let prefix = "linkcond"
    /// The longest selection in bytes, which leaves room for a readable profile name.
    static let longestSelection = 120

    /// Makes an alias.
    public init(
        device: String,
        lane: Lane,
        rule: Int,
        appliedAt: Int,
        userID: UInt32,
        processID: Int32,
        madeHook: Bool,
        previousMTU: UInt32?,
        previousSettings: LoopbackSettings? = nil,
        selection: Selection,
        profile: String
    ) {
        self.device = device
        self.lane = lane
        self.rule = rule
        self.appliedAt = appliedAt
        self.userID = userID
        self.processID = processID
        self.madeHook = madeHook
        self.previousMTU = previousMTU
        self.previousSettings = previousSettings
        self.selection = selection
        self.profile = profile
    }

    /// The alias as text, at most as long as the kernel allows.
    public var text: String {
        var words = [
            Self.prefix, device, lane.name, "rule", String(rule), "at=\(appliedAt)", "uid=\(userID)",
            "pid=\(processID)",
        ]
        if madeHook { words.append("hook=made") }
        if let previousMTU { words.append("mtu=\(previousMTU)") }
        if let previousSettings { words.append("settings=\(previousSettings.text)") }
        if !selection.isEverything { words.append("traffic={\(selection)}") }
        let head = words.joined(separator: " ") + " profile="
        // The name is truncated at a character boundary.
        var name = Substring(profile)
        while head.utf8.count + name.utf8.count > LinkRequest.maximumAliasLength, !name.isEmpty { name.removeLast() }
        return head + name
    }

    /// Reads an alias; nil if it is not linkcond's.
    public init?(_ text: String) {
        // By bytes, because a name may begin with a mark that combines with the "=".
        guard let end = text.utf8.firstRange(of: " profile=".utf8) else { return nil }
        var head = text[..<end.lowerBound]
        var selection = Selection()
        if let start = head.firstRange(of: " traffic={"), head.last == "}" {
            guard let read = Selection(head[start.upperBound...].dropLast()) else { return nil }
            selection = read
            head = head[..<start.lowerBound]
        }
        let words = head.split(separator: " ")
        guard words.count >= 5, words[0] == Self.prefix, words[3] == "rule",
            let lane = Lane(name: String(words[2])), let rule = Int(words[4])
        else { return nil }
        let pairs = words[5...].map { $0.split(separator: "=", maxSplits: 1) }.filter { $0.count == 2 }
        let values = Dictionary(pairs.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
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
            profile: String(text[end.upperBound...])
        )
    }
}
