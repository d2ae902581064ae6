// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TrafficControl

@Suite struct AddressPrefixTests {
    @Test(arguments: [
        "10.0.0.0/8", "192.0.2.1", "0.0.0.0/0", "128.0.0.0/1", "192.0.2.254/31", "2001:db8::/32", "::/0", "::1",
        "fe80::/10", "2001:db8::ffff:0/112", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127",
    ])
    func readsWhatItWrites(text: String) throws {
        #expect(try #require(AddressPrefix(text)).description == text)
    }

    @Test(arguments: [
        ("10.1.2.3/8", "10.0.0.0/8"), ("192.0.2.255/31", "192.0.2.254/31"), ("192.0.2.1/32", "192.0.2.1"),
        ("255.255.255.255/9", "255.128.0.0/9"), ("2001:DB8:0:0::1/64", "2001:db8::/64"), ("::1/128", "::1"),
        ("ffff::/3", "e000::/3"),
    ])
    func forgetsWhatStandsBehindThePrefix(text: String, normal: String) throws {
        let prefix = try #require(AddressPrefix(text))
        #expect(prefix.description == normal)
        #expect(prefix == AddressPrefix(normal))
    }

    @Test(arguments: [
        "", "/", "/8", "10", "10.0.0", "10.0.0.256", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/-1", "10.0.0.1/8/8",
        "10.0.0.1/x", " 10.0.0.1", "10.0.0.1 ", "010.0.0.1", "0x0a.0.0.1", "example.org", "::/129", ":::",
        "fe80::1%eth0",
        "2001:db8", "1:2:3:4:5:6:7:8:9", "everything",
    ])
    func refusesWhatIsNoAddress(text: String) {
        #expect(AddressPrefix(text) == nil)
    }

    @Test func refusesWhatOnlyBeginsLikeAnAddress() {
        for text in ["10.0.0.0/+8", "10.0.0.0/08", "10.0.0.1\0", "10.0.0.1\0/8", "::1\0x"] {
            #expect(AddressPrefix(text) == nil)
        }
    }

    @Test func tellsTheVersions() {
        #expect(AddressPrefix("10.0.0.1")?.isIPv4 == true)
        #expect(AddressPrefix("::ffff:10.0.0.1")?.isIPv4 == false)
    }

    @Test func comparesNoMoreWordsThanThePrefixHas() throws {
        for (text, count) in [
            ("0.0.0.0/0", 0), ("10.0.0.0/8", 1), ("::/0", 0), ("2001:db8::/32", 1), ("::/33", 2), ("::1", 4),
        ] {
            #expect(try #require(AddressPrefix(text)).words.count == count, "\(text)")
        }
    }
}
