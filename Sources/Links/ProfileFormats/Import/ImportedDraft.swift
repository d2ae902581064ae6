// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A profile under construction while a text of another format is read.
struct ImportedDraft {
    var name: String
    var summary: String?
    var downlink = Impairments()
    var uplink = Impairments()
    var dns: Duration?
    var remarks: [String] = []

    init(name: String) { self.name = name }

    mutating func remark(_ text: String) {
        if !remarks.contains(text) { remarks.append(text) }
    }

    /// Adds a remark that a part of the text is not in the profile.
    mutating func leaveOut(_ what: String, _ reason: String) { remark("\(what) is left out: \(reason)") }

    /// Adds a remark for each member of an object that is not in `known` and not empty or zero.
    mutating func leaveOutUnknown(_ node: Node, known: [String]) {
        for member in node.members where !known.contains(member.name) && !member.node.isNothing {
            leaveOut("\(member.node.path)", "linkcond does not know it")
        }
    }

    /// Completes the draft, and returns the profile; throws if it would not pass `validate`.
    mutating func finished() throws(ImportError) -> Profile {
        complete(\.downlink, "downlink")
        complete(\.uplink, "uplink")
        var profile = Profile(name: name)
        profile.summary = summary
        profile.downlink = downlink == Impairments() ? nil : downlink
        profile.uplink = uplink == Impairments() ? nil : uplink
        profile.dns = dns.map(DNSImpairment.init(delay:))
        if profile.downlink == nil, profile.uplink == nil, profile.dns == nil { remark("the text conditions nothing") }
        do throws(InvalidProfile) {
            return try Profile(json: profile.json)
        } catch {
            throw .invalid(location: "", reason: "the profile would not be valid: \(error.issues[0].withoutPosition)")
        }
    }

    /// Makes the figures of a direction consistent: adds a delay to jitter, and removes figures that need a missing
    /// one.
    private mutating func complete(_ direction: WritableKeyPath<ImportedDraft, Impairments>, _ name: String) {
        let figures = self[keyPath: direction]
        if figures.jitter != nil, figures.delay == nil { self[keyPath: direction].delay = .zero }
        if figures.reorder != nil, (figures.delay ?? .zero) == .zero {
            self[keyPath: direction].reorder = nil
            leaveOut("reordering of the \(name)", "without a delay there is nothing to overtake")
        }
        if figures.rate == nil, figures.queue != nil {
            self[keyPath: direction].queue = nil
            leaveOut("the queue of the \(name)", "without a rate it never fills")
        }
        if figures.rate == nil, figures.overhead != nil {
            self[keyPath: direction].overhead = nil
            leaveOut("the overhead of the \(name)", "without a rate it changes nothing")
        }
        if figures.rate == nil, let management = figures.queueManagement {
            self[keyPath: direction].queueManagement = nil
            leaveOut("the \(management.discipline.rawValue) of the \(name)", "without a rate it never fills")
        }
        if figures.ecn != nil, figures.loss == nil, figures.rate == nil || figures.queueManagement?.marks != true {
            self[keyPath: direction].ecn = nil
            leaveOut("ecn of the \(name)", "without loss it marks nothing")
        }
    }
}

extension Node {
    /// Whether the value is zero, empty, false or null.
    var isNothing: Bool {
        switch json.value {
        case .null: true
        case .bool(let bool): !bool
        case .number(let text): Double(text) == 0
        case .string(let text): text.isEmpty || Double(text) == 0
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        }
    }
}
