// SPDX-License-Identifier: Apache-2.0

extension Fault {
    /// The most likely reason why the fault happened to no packet.
    ///
    /// - Parameter connections: the number of connections between ends that the fault matches.
    package func reasonForNone(connections: Int) -> String {
        guard connections > 0 else {
            if case .portal = action { return "no connection was opened to port 80 or 443" }
            let words = match.endsWords
            guard words.isEmpty else { return "no packet matched \(words.joined(separator: ", "))" }
            return action.reasonForNone ?? "no packet was sent or received"
        }
        return match.reasonForNone(connections) ?? action.reasonForNone ?? "no packet was as it says"
    }
}

extension FaultMatch {
    /// A message about the first condition of the match that no packet of these connections met; nil if none is known.
    fileprivate func reasonForNone(_ connections: Int) -> String? {
        let chance = probability.flatMap { $0 < .one ? "chance (\($0)) spared every packet" : nil }
        // Packets that met the condition are not told from others.
        let reasons = [conditionForNone(connections), chance].compactMap { $0 }
        return reasons.isEmpty ? nil : reasons.joined(separator: ", or ")
    }

    private func conditionForNone(_ connections: Int) -> String? {
        if let connection, !(1...connections).contains(where: connection.contains) {
            return "there \(connections == 1 ? "was" : "were") only \(counted(connections, "connection"))"
        }
        switch after {
        case .bytes(let count)?: return "no connection carried \(count)"
        case .time(let time)?: return "no connection had a packet after \(time.text)"
        case .idle(let time)?: return "no connection was idle for \(time.text)"
        case nil: break
        }
        if name != nil || recordType != nil {
            return "there was no DNS query" + (name?.wordsAfterNoun ?? "")
                + (recordType.map { " of type \($0.name)" } ?? "")
        }
        switch packet {
        case .syn?: return "no TCP connection was opened"
        case .quicInitial?: return "no QUIC connection was opened"
        case .tlsHello(let name)?: return "there was no TLS ClientHello\(name.wordsAfterNoun)"
        case .ordinal?, .every?: return "no connection had so many packets"
        case nil: break
        }
        if let larger { return "no packet was larger than \(larger) bytes" }
        if let direction { return "no packet was in the \(direction.rawValue)" }
        return nil
    }
}

extension NamePattern {
    /// The pattern after a noun, such as " for api.test"; empty if it matches every name.
    fileprivate var wordsAfterNoun: String { text == "*" ? "" : " for \(text)" }
}

extension FaultAction {
    /// The message if no packet was of the kind that the action applies to; nil if the action applies to all packets.
    fileprivate var reasonForNone: String? {
        switch self {
        case .answer, .hold: "there was no DNS query"
        case .reset, .close, .halfClose, .stall, .portal, .refuse(.reset): "there was no TCP connection"
        case .lose, .loseFromHere, .refuse: nil
        }
    }
}
