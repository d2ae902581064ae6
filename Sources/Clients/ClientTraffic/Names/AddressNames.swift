// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses

/// The names that were asked for, by the addresses that were answered.
struct AddressNames {
    private struct Answer {
        var name: String
        var delivered: Instant
    }

    /// Names kept of one address: later ones replace the last.
    private static let maximumNames = 256

    private var answers: [IPAddress: [Answer]] = [:]
    /// The names that the capture file itself gives.
    private var noted: [IPAddress: String] = [:]

    /// Adds an answer, if it was delivered.
    mutating func add(_ message: DNSMessage, _ packet: ObservedPacket) {
        guard let delivered = packet.delivered, let asked = message.questions.first?.name, !asked.isEmpty else {
            return
        }
        for address in message.addresses.map(\.address) where answers[address]?.last?.name != asked {
            var known = answers[address, default: []]
            if known.count >= Self.maximumNames { known.removeLast() }
            known.append(Answer(name: asked, delivered: delivered))
            answers[address] = known
        }
    }

    /// Notes a name from the file.
    mutating func note(_ name: String, of address: [UInt8]) {
        guard let address = IPAddress(bytes: address), noted[address] == nil else { return }
        noted[address] = name
    }

    /// The names by which a client knew an address at a moment, the one that was answered last at the end.
    func names(of address: IPAddress, at moment: Instant) -> [String] {
        let answered = (answers[address] ?? []).filter { $0.delivered <= moment }.map(\.name)
        return answered.isEmpty ? [noted[address]].compactMap { $0 } : answered
    }
}
