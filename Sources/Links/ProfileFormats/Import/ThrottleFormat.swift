// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads the options of sitespeed.io's throttle, a command line or JSON: rates in kbit/s, the round trip in ms, the
/// loss of each direction in percent.
enum ThrottleFormat {
    static func read(_ context: ImportContext) throws(ImportError) -> ImportedDraft {
        let isJSON = context.text.first { !$0.isWhitespace } == "{"
        var draft = ImportedDraft(name: context.fallbackName)
        for (name, field) in isJSON ? try json(context) : try command(context) {
            switch name {
            case "down": draft.downlink.rate = try field.rate(["": 1e3])
            case "up": draft.uplink.rate = try field.rate(["": 1e3])
            case "rtt":
                let delay = try field.halfOfRoundTrip()
                (draft.downlink.delay, draft.uplink.delay) = (delay, delay)
                if delay != nil { draft.remark("rtt is a round trip: half of it is the delay of each direction") }
            case "packetLoss":
                let loss = try field.share().map(LossModel.random)
                (draft.downlink.loss, draft.uplink.loss) = (loss, loss)
            case "localhost": draft.leaveOut(name, "\"linkcond apply PROFILE -i lo\" conditions loopback")
            default: draft.leaveOut(name, "linkcond does not know it")
            }
        }
        return draft
    }

    private static func json(_ context: ImportContext) throws(ImportError) -> [(name: String, field: Field)] {
        var fields: [(String, Field)] = []
        for (name, node) in try context.json().object("the options of throttle") where !node.isNothing {
            if case .bool = node.json.value {
                fields.append((name, Field("true", at: node.location)))
            } else {
                fields.append((name, try Field(node)))
            }
        }
        return fields
    }

    private static func command(_ context: ImportContext) throws(ImportError) -> [(name: String, field: Field)] {
        let flags = try CommandFlags(context.text, program: "throttle", switches: ["localhost", "stop", "log"])
        if flags["stop"] != nil || flags.words == ["stop"] {
            throw .invalid(location: "stop", reason: "ends conditions, and describes none")
        }
        if let name = flags.words.first ?? flags["profile"]?.text {
            let reason =
                "one of throttle's own profiles, whose figures are not in the text; see \"linkcond list sitespeed\""
            throw .invalid(location: JSON.quoted(name), reason: reason)
        }
        return flags.flags
    }
}
