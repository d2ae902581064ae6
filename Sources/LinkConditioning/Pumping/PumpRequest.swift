// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// What a pump's process is asked.
public enum PumpRequest: Hashable, Sendable {
    /// To make these TAP devices and begin with these conditions. Answered by a `PumpAnswer`.
    case start([PumpedDevice], Profile)
    /// To use other conditions from now on: on every device, or on one where it is asked at that one's socket.
    case use(Profile)
    /// To use those that it had before.
    case revert
    /// To tell what it carries and has counted: answered by a `PumpAnswer` with all members, then by a descriptor of the
    /// counters.
    case report

    /// Reads what `json` wrote; nil for anything else.
    public init?(json: JSON) {
        let profile = json["profile"].flatMap { try? Profile(json: $0) }
        switch (json["do"].flatMap { String(json: $0) }, profile) {
        case ("start", let profile?):
            guard let devices: [PumpedDevice] = json.required("devices") else { return nil }
            self = .start(devices, profile)
        case ("use", let profile?): self = .use(profile)
        case ("revert", nil): self = .revert
        case ("report", nil): self = .report
        default: return nil
        }
    }

    /// The request as JSON.
    public var json: JSON {
        switch self {
        case .start(let devices, let profile):
            JSON(("do", "start"), ("devices", .list(devices.map(\.json))), ("profile", profile.json))
        case .use(let profile): JSON(("do", "use"), ("profile", profile.json))
        case .revert: JSON(("do", "revert"))
        case .report: JSON(("do", "report"))
        }
    }
}

/// What a pump's process answers.
public struct PumpAnswer: Hashable, Sendable {
    /// Why it did not do what it was asked; nil where it did.
    public var refusal: String?
    /// The conditions that it carries, where those were asked for.
    public var profile: Profile?
    /// How many packets it holds of those that came to the TAP device at whose socket it was asked.
    public var held: UInt64?

    /// Makes an answer.
    public init(refusal: String? = nil, profile: Profile? = nil, held: UInt64? = nil) {
        self.refusal = refusal
        self.profile = profile
        self.held = held
    }

    /// Reads what `json` wrote; nil for anything else.
    public init?(json: JSON) {
        guard let refusal: String? = json.optional("refusal"),
            let held: UInt64? = json.optional("held")
        else { return nil }
        let profile = json["profile"].flatMap { try? Profile(json: $0) }
        self.init(refusal: refusal, profile: profile, held: held)
    }

    /// The answer as JSON.
    public var json: JSON {
        JSON(
            ("refusal", .text(refusal)),
            ("profile", profile?.json),
            ("held", .number(held))
        )
    }
}

/// A device whose traffic goes through a pump, and the TAP devices it is led to.
public struct PumpedDevice: Hashable, Sendable {
    /// The device's name.
    public var name: String
    /// The TAP devices.
    public var taps: [Tap]

    /// Makes it.
    public init(name: String, taps: [Tap]) {
        self.name = name
        self.taps = taps
    }
}

extension PumpedDevice: JSONReadable {
    fileprivate var json: JSON { JSON(("name", .text(name)), ("taps", .list(taps.map(\.json)))) }

    init?(json: JSON) {
        guard let name: String = json.required("name"), let taps: [Tap] = json.required("taps") else { return nil }
        self.init(name: name, taps: taps)
    }
}

extension Tap.Traffic: JSONReadable {}

extension Tap: JSONReadable {
    fileprivate var json: JSON {
        JSON(
            ("name", .text(name)),
            ("traffic", .text(traffic.rawValue)),
            ("mtu", .number(mtu)),
            ("address", .text(address))
        )
    }

    init?(json: JSON) {
        guard let name: String = json.required("name"),
            let traffic: Tap.Traffic = json.required("traffic"),
            let mtu: UInt32 = json.required("mtu"),
            let address: String? = json.optional("address")
        else { return nil }
        self.init(name: name, traffic: traffic, mtu: mtu, address: address)
    }
}
