// SPDX-License-Identifier: Apache-2.0

extension ClientExpectation {
    /// An expectation of each form, as text.
    package static let examples = [
        "completes within 30 s", "exits with 0", "first byte within 2 s", "times out within 10 s of 'in the lift'",
        "closes within 1 s of 'left'", "recovers within 5 s of 'out again'", "at most 3 connections",
        "at most 2 connections at a time", "at most 6 connection attempts during 'in the lift'", "at most 3 requests",
        "at most 4 DNS queries", "at most 10 retransmissions", "at most 500 kB to api.test:443", "attempts back off",
        "leaves no connection open", "sends no request twice", "uses IPv4 within 500 ms",
        "falls back to TCP within 2 s", "asks DNS again within 10 s of 'new network'",
        "resumes",
        "migrates within 2 s of 'new network'", "sends keep-alives at least every 20 s", "monitor agrees",
    ]

    /// The example that shares the most words with a text; nil if none shares any.
    static func example(like text: String) -> String? {
        let words = Set(text.lowercased().split(whereSeparator: \.isWhitespace))
        let ranked = examples.map { example in
            (example, shared: example.lowercased().split(separator: " ").count { words.contains($0) })
        }
        return ranked.max { $0.shared < $1.shared }.flatMap { $0.shared > 0 ? $0.0 : nil }
    }
}
