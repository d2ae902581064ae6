// SPDX-License-Identifier: Apache-2.0

@testable import TrafficControl

/// A model of a classifier for packets as values instead of bytes.
struct ClassifierModel {
    let classifier: Classifier

    func picks(_ traffic: Traffic) -> Bool {
        let facts = Facts(traffic, classifier.remote)
        guard !traffic.hasVLANTag, !facts.configures else { return false }
        let exclusions = classifier.selection.exclusions
        let criteria = classifier.selection.criteria
        guard !exclusions.remotes.contains(where: facts.isRemote), !exclusions.ports.contains(where: facts.hasPort),
            !exclusions.protocols.contains(where: facts.isOf)
        else { return false }
        guard criteria.remotes.isEmpty || criteria.remotes.contains(where: facts.isRemote),
            criteria.ports.isEmpty || criteria.ports.contains(where: facts.hasPort),
            criteria.protocols.isEmpty || criteria.protocols.contains(where: facts.isOf)
        else { return false }
        return switch classifier.condition {
        case .any: true
        case .dns: facts.destination == 53
        case .fromOpener(let range): !facts.isAnswer(range)
        case .toOpener(let range): facts.isAnswer(range)
        }
    }
}

/// The known fields of a packet: a later fragment has no transport header.
private struct Facts {
    let number: UInt8
    let source: UInt16?
    let destination: UInt16?
    let type: UInt8?
    let remotes: [[UInt8]]

    init(_ traffic: Traffic, _ remote: Classifier.RemoteEnd) {
        let isWhole = traffic.fragmentOffset == 0
        number = traffic.transport.number
        source = isWhole ? traffic.transport.source : nil
        destination = isWhole ? traffic.transport.destination : nil
        type = isWhole ? traffic.transport.type : nil
        remotes =
            switch remote {
            case .destination: [traffic.destination]
            case .source: [traffic.source]
            case .either: [traffic.source, traffic.destination]
            }
    }

    /// Neighbour discovery and DHCP.
    var configures: Bool {
        let ports: Set<UInt16> = [67, 68, 546, 547]
        let hasPort = source.map(ports.contains) == true || destination.map(ports.contains) == true
        return number == 58 && type.map { (133...137).contains($0) } == true || number == 17 && hasPort
    }

    func isRemote(_ prefix: AddressPrefix) -> Bool {
        func bits(_ bytes: [UInt8]) -> [Bool] { bytes.flatMap { byte in (0..<8).map { byte & 0x80 >> $0 != 0 } } }
        return remotes.contains { remote in
            prefix.bytes.count == remote.count
                && bits(prefix.bytes).prefix(prefix.length) == bits(remote).prefix(prefix.length)
        }
    }

    func hasPort(_ port: UInt16) -> Bool { source == port || destination == port }

    func isOf(_ transport: TransportProtocol) -> Bool {
        switch transport {
        case .tcp: number == 6
        case .udp: number == 17
        case .icmp: number == 1 || number == 58
        }
    }

    /// Whether the packet is sent to the side that opened the flow.
    func isAnswer(_ range: ClosedRange<UInt16>) -> Bool {
        func isOpener(_ port: UInt16) -> Bool { range.contains(port) && port % 2 == range.lowerBound % 2 }
        switch (number, source, destination, type) {
        case (6, let source?, let destination?, _): return !isOpener(source) && isOpener(destination)
        case (17, let source?, let destination?, _): return !range.contains(source) && range.contains(destination)
        case (1, _, _, let type?), (58, _, _, let type?): return type < 5 || [11, 12, 14, 129].contains(type)
        default: return false
        }
    }
}
