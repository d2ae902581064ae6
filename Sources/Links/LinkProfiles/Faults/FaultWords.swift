// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

extension Fault {
    /// The fault's action and packets, in words: "reset: tcp to api.test port 443, connection first 2, after 20 kB".
    public var words: String {
        let words = match.words
        return "\(action.words): \(words.isEmpty ? "every packet" : words.joined(separator: ", "))"
    }
}

extension FaultMatch {
    /// The conditions on the ends of a packet, in words.
    var endsWords: [String] {
        let version = version.map { $0 == .ipv4 ? "IPv4" : "IPv6" }
        let all = [version, ends.isEmpty ? nil : ends.words].compactMap { $0 }
        var words = all.isEmpty ? [] : [all.joined(separator: " ")]
        if !exclusions.isEmpty { words.append("not \(exclusions.words)") }
        return words
    }

    fileprivate var words: [String] {
        var words = endsWords
        if let packet { words.append("packet \(packet.text)") }
        if let connection { words.append("connection \(connection.text)") }
        if let after { words.append(after.words) }
        if let name { words.append("queries for \(name.text)") }
        if let recordType { words.append("\(name == nil ? "queries of " : "")type \(recordType.name)") }
        if let larger { words.append("larger than \(larger) bytes") }
        if let probability { words.append("\(probability)") }
        if let direction { words.append("in the \(direction.rawValue)") }
        return words
    }
}

extension FaultMatch.Progress {
    fileprivate var words: String {
        switch self {
        case .bytes(let count): "after \(count)"
        case .time(let time): "after \(time.text)"
        case .idle(let time): "idle for \(time.text)"
        }
    }
}

extension FaultMatch.Ends {
    fileprivate var words: String {
        var words = protocols.isEmpty ? [] : [protocols.map(\.rawValue).joined(separator: " or ")]
        if !remotes.isEmpty { words.append("to " + remotes.map(\.text).joined(separator: " or ")) }
        if !ports.isEmpty { words.append("port " + ports.map { "\($0)" }.joined(separator: " or ")) }
        return words.joined(separator: " ")
    }
}

extension FaultAction {
    fileprivate var words: String {
        switch self {
        case .lose: "lose"
        case .loseFromHere: Self.loseFromHereText
        case .refuse(let refusal): "refuse (\(refusal.rawValue))"
        case .reset: "reset"
        case .close: "close"
        case .halfClose: "half close"
        case .stall: "stall"
        case .answer(let answer): "answer \(answer.text)"
        case .hold(let time): "answer after \(time.text)"
        case .portal(let address): "portal \(address)"
        }
    }
}
