// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Writes the parameters of Network.emulateNetworkConditions: rates in bytes per second, -1 for no limit; the latency
/// of a round trip in milliseconds.
enum DevToolsExport {
    static func text(_ profile: Profile, _ remarks: inout ExportRemarks) -> String {
        let (down, up) = (profile.downlink ?? Impairments(), profile.uplink ?? Impairments())
        let isOffline = [down, up].allSatisfy { $0.loss == .random(.one) }
        let loss = !isOffline && down.loss == up.loss ? down.loss : nil
        let roundTrip = (down.delay ?? .zero) + (up.delay ?? .zero)
        if down.delay != up.delay, roundTrip > .zero {
            remarks.add("the delays of the directions are one round trip in a browser: \(roundTrip.text)")
        }
        if roundTrip > .zero {
            remarks.add("a browser delays requests, not packets: a new connection costs less than on the link")
        }
        var members: [(String, JSON?)] = [
            ("offline", .bool(isOffline)),
            ("latency", JSON(.number(roundTrip.millisecondText))),
            ("downloadThroughput", throughput(down.rate)),
            ("uploadThroughput", throughput(up.rate)),
        ]
        if case .random(let share)? = loss {
            members.append(("packetLoss", JSON(.number(share.percentText))))
            remarks.add("packetLoss is of WebRTC only, in a browser")
        }
        remarks.leaveOut(in: "DevTools") { _, figure in
            figure == "loss" && (isOffline || loss?.isRandom == true) || ["rate", "delay"].contains(figure)
        }
        return JSON(members: members).text
    }

    private static func throughput(_ rate: BitRate?) -> JSON {
        guard let rate else { return -1 }
        let (bytes, bits) = rate.bitsPerSecond.quotientAndRemainder(dividingBy: 8)
        let fractions = ["", ".125", ".25", ".375", ".5", ".625", ".75", ".875"]
        return JSON(.number("\(bytes)\(fractions[Int(bits)])"))
    }
}

extension LossModel {
    fileprivate var isRandom: Bool {
        if case .random = self { true } else { false }
    }
}
