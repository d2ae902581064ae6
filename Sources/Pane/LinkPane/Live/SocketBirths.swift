// SPDX-License-Identifier: Apache-2.0

/// The times at which sockets were first seen.
struct SocketBirths {
    private var births: [String: Duration?] = [:]
    private var hasLooked = false

    /// Seconds since a socket was made; nil for one that was there before the first look.
    func age(of id: String, at now: Duration) -> Double? {
        guard let birth = births[id.split(separator: "/").prefix(2).joined(separator: "/")] ?? nil else { return nil }
        return max(0, (now - birth) / .seconds(1))
    }

    mutating func update(_ ids: [String], at now: Duration) {
        let before = births
        births = [:]
        for id in ids { births[id] = .some(before[id] ?? (hasLooked ? now : nil)) }
        hasLooked = true
    }
}
