// SPDX-License-Identifier: Apache-2.0

/// Packets by connection, each connection's in the order in which they were sent.
struct FlowGroups {
    private var packets: [FlowPacket] = []
    /// Where the packets of each connection begin; at the end, where those of the last end.
    private var begins: [Int]

    /// Sorts the packets of `flows` connections.
    init(_ unsorted: [FlowPacket], flows: Int) {
        begins = Array(repeating: 0, count: flows + 1)
        for packet in unsorted { begins[Int(packet.connection) + 1] += 1 }
        for flow in 0..<flows { begins[flow + 1] += begins[flow] }
        guard let any = unsorted.first else { return }
        var places = begins
        packets = Array(repeating: any, count: unsorted.count)
        for packet in unsorted {
            packets[places[Int(packet.connection)]] = packet
            places[Int(packet.connection)] += 1
        }
        for flow in 0..<flows where !isSorted(flow) {
            packets[begins[flow]..<begins[flow + 1]].sort { $0.isSentBefore($1) }
        }
    }

    /// The connections in the order of their first packets, with their packets.
    var inOrder: [(flow: Int, packets: ArraySlice<FlowPacket>)] {
        (0..<begins.count - 1).filter { begins[$0] < begins[$0 + 1] }
            .sorted { packets[begins[$0]].isSentBefore(packets[begins[$1]]) }
            .map { ($0, packets[begins[$0]..<begins[$0 + 1]]) }
    }

    private func isSorted(_ flow: Int) -> Bool {
        let range = begins[flow]..<begins[flow + 1]
        return range.dropFirst().allSatisfy { !packets[$0].isSentBefore(packets[$0 - 1]) }
    }
}
