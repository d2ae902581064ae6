// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses

/// The names of addresses, from DNS answers.
struct AnsweredNames {
    /// The number of names after which all are forgotten; known names may then be found twice.
    private static let maximum = 10_000

    private var known: Set<String> = []

    /// The addresses in a DNS message that have a new name: the queried one, which the user knows.
    mutating func new(in message: UnsafeRawBufferPointer) -> [(address: IPAddress, name: String)] {
        guard let message = DNSMessage(Array(message)), message.isAnswer else { return [] }
        let queried = message.questions.first?.name
        let found = message.addresses.compactMap { answer -> (address: IPAddress, name: String)? in
            let name = queried ?? answer.name
            guard !name.isEmpty, known.insert("\(answer.address) \(name)").inserted else { return nil }
            return (answer.address, name)
        }
        if known.count > Self.maximum { known = [] }
        return found
    }
}
