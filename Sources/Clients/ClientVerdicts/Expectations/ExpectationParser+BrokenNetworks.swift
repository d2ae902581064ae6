// SPDX-License-Identifier: Apache-2.0

/// What is expected of a client on a network of which a part does not work.
extension ExpectationParser {
    mutating func onBrokenNetworks(after first: String) throws(UnreadableExpectation) -> ClientExpectation {
        switch first {
        case "asks":
            try words("DNS", "again")
            return try reaction { .asksDNSAgain(within: $0) }
        case "migrates": return try reaction { .migrates(within: $0) }
        case "resumes": return ClientExpectation(.resumes, to: try peer())
        case "falls":
            try words("back", "to", "TCP")
            return try replacement { .fallsBackToTCP(within: $0) }
        default:
            try words("IPv4")
            return try replacement { .usesIPv4(within: $0) }
        }
    }

    /// `[to HOST:PORT] at least every 20 s`
    mutating func keepAlives() throws(UnreadableExpectation) -> ClientExpectation {
        let peer = try peer()
        try words("at", "least", "every")
        return ClientExpectation(.sendsKeepAlives(every: try time()), to: peer)
    }

    /// `[to HOST:PORT] within 500 ms [during 'label']`
    private mutating func replacement(
        _ kind: (Duration) -> ClientExpectation.Kind
    ) throws(UnreadableExpectation) -> ClientExpectation {
        let peer = try peer()
        return ClientExpectation(kind(try limit()), to: peer, label: try label(after: "during"))
    }
}
