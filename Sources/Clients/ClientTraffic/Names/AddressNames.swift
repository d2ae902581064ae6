// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses

/// The names that were looked up, by the addresses in the DNS answers.
struct AddressNames {
    private struct Answer {
        var name: String
        var delivered: Instant
    }

    /// The maximum number of names of one address; each further name replaces the last.
    private static let maximumNames = 256

    private var answers: [IPAddress: [Answer]] = [:]
    /// The names in the capture file's name resolution blocks.
    private var noted: [IPAddress: String] = [:]

    /// Adds the name and addresses of a DNS answer, if `packet` was delivered.
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

    /// Adds a name from the capture file, unless the address has one.
    mutating func note(_ name: String, of address: [UInt8]) {
        guard let address = IPAddress(bytes: address), noted[address] == nil else { return }
        noted[address] = name
    }

    /// The names by which a client knew `address` at `moment`, the latest last: from DNS answers, else from the capture
    /// file.
    func names(of address: IPAddress, at moment: Instant) -> [String] {
        let answered = (answers[address] ?? []).filter { $0.delivered <= moment }.map(\.name)
        return answered.isEmpty ? [noted[address]].compactMap { $0 } : answered
    }
}
