// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import PacketPump

/// The names of peers, from the DNS answers that pumps have carried.
struct PeerNames {
    /// The number of names after which all are forgotten.
    private static let maximum = 10_000

    private var names: [IPAddress: String] = [:]
    /// The page of each rule, and the number of the next name in it.
    private var read: [String: (page: FlowPage, next: UInt64)] = [:]

    subscript(address: IPAddress) -> String? { names[address] }

    /// Reads the names that are new in a page of flows.
    mutating func read(_ page: FlowPage, of rule: String) {
        let start = read[rule].flatMap { $0.page === page ? $0.next : nil } ?? 0
        let (found, next) = page.names(from: start)
        read[rule] = (page, next)
        if names.count + found.count > Self.maximum { names = [:] }
        for (address, name) in found { names[address] = name }
    }
}
