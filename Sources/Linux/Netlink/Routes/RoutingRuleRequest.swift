// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// Requests that add routing rules, by which the kernel chooses a routing table: ip-rule(8).
package enum RoutingRuleRequest {
    /// Adds a rule that packets from a network use a table: `ip rule add from NETWORK/LENGTH lookup TABLE priority
    /// PRIORITY`. For a nil table, such packets are refused with ENETUNREACH: `unreachable` instead of `lookup TABLE`.
    package static func add(
        from network: IPAddress,
        prefixLength: UInt8,
        lookUp table: UInt32?,
        priority: UInt32
    ) -> Request {
        let operation = "add the routing rule for packets from \(network)/\(prefixLength)"
        let flags = NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL
        return Request(operation, type: Int(RTM_NEWRULE), flags: flags) { message in
            var header = fib_rule_hdr()
            header.family = network.family.number
            header.src_len = prefixLength
            header.action = UInt8(table == nil ? FR_ACT_UNREACHABLE : FR_ACT_TO_TBL)
            message.append(header)
            message.put(Int(FRA_SRC), bytes: network.bytes)
            if let table { message.put(Int(FRA_TABLE), table) }
            message.put(Int(FRA_PRIORITY), priority)
        }
    }
}
