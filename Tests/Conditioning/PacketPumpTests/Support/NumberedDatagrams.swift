// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

@testable import PacketPump

/// The conditions of a profile with these impairments, in JSON.
func conditions(_ uplink: String, _ downlink: String = "{}", dns: String? = nil, seed: UInt64 = 1) throws
    -> PumpConditions
{
    let more = dns.map { #", "dns": {"delay": "\#($0)"}"# } ?? ""
    let text = #"{"name": "test", "seed": \#(seed), "uplink": \#(uplink), "downlink": \#(downlink)\#(more)}"#
    return PumpConditions(try Profile(utf8: text.utf8))
}

/// A datagram that carries its number.
func numbered(_ number: Int, _ count: Int = 200) -> [UInt8] { big(number, 4) + TestFrame.pattern(count - 4) }

func number(of datagram: [UInt8]) -> Int { datagram.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
