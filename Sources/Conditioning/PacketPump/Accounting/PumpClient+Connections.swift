// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import InternetAddresses

extension PumpClient {
    /// The flows of pumps as rows, with the names of peers from the DNS answers that the pumps have carried. Starts
    /// their accounts, or keeps them for ten seconds more.
    ///
    /// - Parameter taps: for each rule, as "eth0#1", a TAP device that its pump serves.
    package func connections(of taps: [(rule: String, tap: String)]) -> [ConnectionRow] {
        let now = lc_monotonic_time()
        return taps.flatMap { rule, tap -> [ConnectionRow] in
            guard let pump = try? flows(tap: tap) else { return [] }
            let names = Dictionary(pump.flows.names(from: 0).names.map { ($0.address, $0.name) }) { $1 }
            return pump.flows.flows().compactMap { flow in
                guard var row = ConnectionRow(flow, of: rule, now: now) else { return nil }
                row.name = names[row.peer.address]
                return row
            }
        }
    }
}
