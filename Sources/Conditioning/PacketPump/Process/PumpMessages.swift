// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
package import LinkProfiles
package import LinkRules

/// A request of the process that started a pump's process, answered by a `PumpAnswer`.
enum PumpRequest: Hashable, Sendable {
    /// Starts pumps with these conditions, each of which may hold packets of `memory` bytes. The TAP devices follow.
    case start([PumpedDevice], RecordedProfile, memory: Int)
    /// Drops what conditions of these devices before the last hold; what the last hold, too, if they do not apply any longer.
    case dropQueued(on: [String], isConditioning: Bool)
    /// Carries for a device only what a network in this state carries.
    case network(String, NetworkState)
    /// Records packets from now on, where the process was started for that.
    case record
    /// Writes what was recorded down at once, and tells up to when that is all.
    case flush
}

/// A request of a client to the pump that serves a TAP device, answered by a `PumpAnswer`.
struct ClientRequest: Hashable, Sendable {
    /// The name of the TAP device.
    var tap: String
    var task: Task

    enum Task: Hashable, Sendable {
        /// Uses other conditions from now on.
        case use(RecordedProfile)
        /// Uses the previous conditions again.
        case revert
        /// Sends a descriptor of the watchdog, after the answer.
        case watchdog
        /// Reports conditions and counters: all members of the answer, then a descriptor of the counters.
        case report
    }
}

extension ClientRequest: JSONConvertible {
    init?(json: JSON) {
        guard let tap: String = json.required("tap") else { return nil }
        let profile = json["profile"].flatMap { try? RecordedProfile(json: $0) }
        switch (json["do"].flatMap { String(json: $0) }, profile) {
        case ("use", let profile?): self.init(tap: tap, task: .use(profile))
        case ("revert", nil): self.init(tap: tap, task: .revert)
        case ("watchdog", nil): self.init(tap: tap, task: .watchdog)
        case ("report", nil): self.init(tap: tap, task: .report)
        default: return nil
        }
    }

    var json: JSON {
        let word: JSON
        var profile: JSON?
        switch task {
        case .use(let conditions): (word, profile) = ("use", conditions.json)
        case .revert: word = "revert"
        case .watchdog: word = "watchdog"
        case .report: word = "report"
        }
        return JSON(("do", word), ("tap", .text(tap)), ("profile", profile))
    }
}

extension PumpRequest: JSONConvertible {
    init?(json: JSON) {
        let profile = json["profile"].flatMap { try? RecordedProfile(json: $0) }
        switch (json["do"].flatMap { String(json: $0) }, profile) {
        case ("start", let profile?):
            guard let devices: [PumpedDevice] = json.required("devices"), let memory: Int = json.required("memory")
            else { return nil }
            self = .start(devices, profile, memory: memory)
        case ("record", nil): self = .record
        case ("flush", nil): self = .flush
        case ("drop", nil):
            guard let devices: [String] = json.required("devices"),
                let isConditioning: Bool = json.required("conditioning")
            else { return nil }
            self = .dropQueued(on: devices, isConditioning: isConditioning)
        case ("network", nil):
            guard let device: String = json.required("device"), let state: NetworkState = json.required("state")
            else { return nil }
            self = .network(device, state)
        default: return nil
        }
    }

    var json: JSON {
        switch self {
        case .start(let devices, let profile, let memory):
            JSON(
                ("do", "start"),
                ("devices", .list(devices.map(\.json))),
                ("profile", profile.json),
                ("memory", .number(memory))
            )
        case .record: JSON(("do", "record"))
        case .flush: JSON(("do", "flush"))
        case .dropQueued(let devices, let isConditioning):
            JSON(
                ("do", "drop"),
                ("devices", .list(devices.map { JSON(.string($0)) })),
                ("conditioning", JSON(.bool(isConditioning)))
            )
        case .network(let device, let state):
            JSON(("do", "network"), ("device", .text(device)), ("state", state.json))
        }
    }
}

/// The answer of a pump's process.
package struct PumpAnswer: Hashable, Sendable {
    /// Why the request failed; nil if it succeeded.
    package var refusal: String?
    /// The conditions in use, in the answer to `report`.
    var profile: Profile?
    /// The number of packets that it holds from the TAP device asked about, in the same answer; from all, in the answer
    /// to `flush`.
    var held: UInt64?
    /// In the answer to `flush`: what was sent before the request was recorded before this moment, in nanoseconds of the
    /// run's clock.
    var settled: Int64?
    /// In the same answer: what is in the file.
    var written: WrittenPackets?
    /// Whether it is no answer, but what the process says at its end.
    var isFinal = false
    /// What is in the file at that end, if anybody compares it.
    var recorded: CaptureDigest.Value?

    package init(refusal: String? = nil, profile: Profile? = nil, held: UInt64? = nil) {
        (self.refusal, self.profile, self.held) = (refusal, profile, held)
    }
}

extension PumpAnswer: JSONConvertible {
    package init?(json: JSON) {
        guard let refusal: String? = json.optional("refusal"), let held: UInt64? = json.optional("held"),
            let settled: Int64? = json.optional("settled"), let seen: Int64? = json.optional("seen"),
            let sent: Int64? = json.optional("sent"), let isFinal: Bool? = json.optional("final"),
            let length: Int? = json.optional("length"), let checksum: UInt64? = json.optional("checksum")
        else { return nil }
        self.init(refusal: refusal, profile: json["profile"].flatMap { try? Profile(json: $0) }, held: held)
        (self.settled, self.isFinal) = (settled, isFinal ?? false)
        if let seen, let sent { written = WrittenPackets(seen: seen, sent: sent) }
        if let length, let checksum { recorded = CaptureDigest.Value(length: length, checksum: checksum) }
    }

    package var json: JSON {
        JSON(
            ("refusal", .text(refusal)),
            ("profile", profile?.json),
            ("held", .number(held)),
            ("settled", .number(settled)),
            ("seen", .number(written?.seen)),
            ("sent", .number(written?.sent)),
            ("final", isFinal ? true : nil),
            ("length", .number(recorded?.length)),
            ("checksum", .number(recorded?.checksum))
        )
    }
}

/// A device whose traffic goes through a pump, and the TAP devices that it is redirected to.
package struct PumpedDevice: Hashable, Sendable {
    package var name: String
    package var taps: [Tap]

    package init(name: String, taps: [Tap]) {
        self.name = name
        self.taps = taps
    }
}

extension PumpedDevice: JSONConvertible {
    package var json: JSON { JSON(("name", .text(name)), ("taps", .list(taps.map(\.json)))) }

    package init?(json: JSON) {
        guard let name: String = json.required("name"), let taps: [Tap] = json.required("taps") else { return nil }
        self.init(name: name, taps: taps)
    }
}

extension Traffic: JSONConvertible {}

extension Tap: JSONConvertible {
    package var json: JSON {
        JSON(
            ("name", .text(name)),
            ("traffic", .text(traffic.rawValue)),
            ("facing", .text(facing.rawValue)),
            ("mtu", .number(mtu)),
            ("address", .text(address)),
            ("bare", isBare.json)
        )
    }

    package init?(json: JSON) {
        guard let name: String = json.required("name"),
            let traffic: Traffic = json.required("traffic"),
            let facing: Facing = json.required("facing"),
            let mtu: UInt32 = json.required("mtu"),
            let address: String? = json.optional("address"),
            let isBare: Bool = json.required("bare")
        else { return nil }
        self.init(name: name, traffic: traffic, facing: facing, mtu: mtu, address: address, isBare: isBare)
    }
}
