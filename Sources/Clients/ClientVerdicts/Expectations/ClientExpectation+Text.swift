// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension ClientExpectation: CustomStringConvertible {
    /// The expectation as text, which parses to the same value.
    public var description: String {
        let peer = peer.map { " to \($0)" } ?? ""
        return switch kind {
        case .completes(let limit): "completes\(peer) within \(limit.text)"
        case .exits(let status): "exits with \(status)"
        case .firstByte(let limit): "first byte\(peer) within \(limit.text)\(label(after: "of"))"
        case .timesOut(let limit): "times out\(peer) within \(limit.text)\(label(after: "of"))"
        case .closes(let limit): "closes\(peer) within \(limit.text)\(label(after: "of"))"
        case .recovers(let limit): "recovers\(peer) within \(limit.text)\(label(after: "of"))"
        case .atMost(let limit, let what): "at most \(limit) \(what.rawValue)\(peer)\(label(after: "during"))"
        case .attemptsBackOff: "attempts\(peer) back off\(label(after: "during"))"
        case .leavesNoConnectionOpen: "leaves no connection open"
        case .sendsNoRequestTwice: "sends no request twice"
        case .usesIPv4(let limit): "uses IPv4\(peer) within \(limit.text)\(label(after: "during"))"
        case .fallsBackToTCP(let limit): "falls back to TCP\(peer) within \(limit.text)\(label(after: "during"))"
        case .migrates(let limit): "migrates\(peer) within \(limit.text)\(label(after: "of"))"
        case .resumes: "resumes\(peer)"
        case .asksDNSAgain(let limit): "asks DNS again\(peer) within \(limit.text)\(label(after: "of"))"
        case .sendsKeepAlives(let limit): "sends keep-alives\(peer) at least every \(limit.text)"
        case .monitorAgrees: "monitor agrees"
        }
    }

    private func label(after word: String) -> String {
        guard let label else { return "" }
        let quote = label.contains("'") ? "\"" : "'"
        return " \(word) \(quote)\(label)\(quote)"
    }
}
