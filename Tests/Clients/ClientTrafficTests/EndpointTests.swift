// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import InternetAddresses
import Testing

struct EndpointTests {
    @Test(arguments: [("192.0.2.1", "192.0.2.1:80"), ("2001:db8::1", "[2001:db8::1]:80")])
    func isWrittenAsInAURL(_ address: String, _ text: String) throws {
        #expect(Endpoint(try #require(IPAddress(address)), 80).description == text)
    }
}
