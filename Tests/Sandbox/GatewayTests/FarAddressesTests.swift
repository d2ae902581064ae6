// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

/// The addresses that stand for connections.
@Suite struct FarAddressesTests {
    @Test(arguments: [0, 1, 32_767, 32_768, 65_536, FarAddresses.count - 1], [true, false])
    func tellTheConnection(number: Int, isIPv4: Bool) {
        let end = FarAddresses.client(number, isIPv4: isIPv4)
        #expect(end.isIPv4 == isIPv4 && FarAddresses.number(of: end) == number)
    }

    @Test(arguments: [true, false])
    func areNoServers(isIPv4: Bool) {
        #expect(FarAddresses.number(of: FarAddresses.server(isIPv4: isIPv4, port: 65_535)) == nil)
        #expect(FarAddresses.number(of: FarAddresses.client(FarAddresses.count, isIPv4: isIPv4)) == nil)
    }

    @Test func differ() {
        let ends = (0..<100_000).flatMap { number in
            [true, false].map { FarAddresses.client(number, isIPv4: $0) }
        }
        #expect(Set(ends).count == ends.count)
    }
}
