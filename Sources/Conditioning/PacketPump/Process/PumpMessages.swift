// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
package import LinkProfiles
package import LinkRules

/// A request of the process that started a pump's process, answered by a `PumpAnswer`.
enum PumpRequest: Hashable, Sendable {
    /// Starts pumps with these conditions, each of which may hold packets of `memory` bytes. The TAP devices follow.
    case start([PumpedDevice], RecordedProfile, memory: Int)
    /// Drops the packets that earlier conditions of these devices hold, and unless `isConditioning`, those that the
    /// latest conditions hold.
    case dropQueued(on: [String], isConditioning: Bool)
    /// Applies a state of a device's network.
    case network(String, NetworkState)
    /// Records packets from now on, if the process has a file for them.
    case record
    /// Writes the recorded packets at once; the answer gives the time before which all packets are in the file.
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
        /// Starts the account of flows, or keeps it for another while; sends descriptors of the counters and of the
        /// flows, after the answer.
        case flows
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
        case ("flows", nil): self.init(tap: tap, task: .flows)
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
        case .flows: word = "flows"
        }
        return JSON(("do", word), ("tap", .text(tap)), ("profile", profile))
    }
}

extension PumpRequest: JSONEnumeration {
    static let caseKey = "do"

    static let blanks = JSONBlanks<Self>(
        .start([], RecordedProfile(Profile(name: "")), memory: 0),
        .record,
        .flush,
        .dropQueued(on: [], isConditioning: false),
        .network("", .blank)
    )

    func described(by members: inout JSONMembers) -> Self {
        switch self {
        case .start(let devices, let profile, let memory):
            members.case(
                "start",
                Self.start,
                .required("devices", devices),
                JSONAssociated(profile) {
                    $0.required("profile", &$1, write: \.json) { try? RecordedProfile(json: $0) }
                },
                .required("memory", memory)
            )
        case .record: members.case("record", .record)
        case .flush: members.case("flush", .flush)
        case .dropQueued(let devices, let isConditioning):
            members.case(
                "drop",
                Self.dropQueued,
                .required("devices", devices),
                .required("conditioning", isConditioning)
            )
        case .network(let device, let state):
            members.case("network", Self.network, .required("device", device), .required("state", state))
        }
    }
}

/// The answer of a pump's process.
package struct PumpAnswer: Hashable, Sendable {
    /// The reason why the request failed; nil if it succeeded.
    package var refusal: String?
    /// The conditions in use, in the answer to `report`.
    var profile: Profile?
    /// The number of packets that the pump holds: from the client's TAP device in the answer to `report`, from all
    /// devices in the answer to `flush`.
    var held: UInt64?
    /// In the answer to `flush`: packets sent before the request were recorded before this moment, in nanoseconds of
    /// the run's clock.
    var settled: Int64?
    /// In the answer to `flush`: the packets in the file.
    var written: WrittenPackets?
    /// Whether this is the final message of the process, and not an answer.
    var isFinal = false
    /// The digest of the file in the final message, if the file has one.
    var recorded: CaptureDigest.Value?

    package init(refusal: String? = nil, profile: Profile? = nil, held: UInt64? = nil) {
        (self.refusal, self.profile, self.held) = (refusal, profile, held)
    }
}

extension PumpAnswer: JSONObject {
    package static let blank = PumpAnswer()

    package mutating func describe(_ members: inout JSONMembers) {
        members.optional("refusal", &refusal)
        members.lenient("profile", &profile, write: \.json) { try? Profile(json: $0) }
        members.optional("held", &held)
        members.optional("settled", &settled)
        var (seen, sent) = (written?.seen, written?.sent)
        members.optional("seen", &seen)
        members.optional("sent", &sent)
        if let seen, let sent { written = WrittenPackets(seen: seen, sent: sent) }
        members.optional("final", &isFinal, default: false)
        var (length, checksum) = (recorded?.length, recorded?.checksum)
        members.optional("length", &length)
        members.optional("checksum", &checksum)
        if let length, let checksum { recorded = CaptureDigest.Value(length: length, checksum: checksum) }
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

extension PumpedDevice: JSONObject {
    package static let blank = PumpedDevice(name: "", taps: [])

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("name", &name)
        members.required("taps", &taps)
    }
}

extension Traffic: JSONConvertible {}

extension Tap: JSONObject {
    package static let blank = Tap(name: "", traffic: .leaving, mtu: 0, address: nil)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("name", &name)
        members.required("traffic", &traffic)
        members.required("facing", &facing)
        members.required("mtu", &mtu)
        members.optional("address", &address)
        members.required("bare", &isBare)
    }
}
