// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Reports

/// Whom a command talked to, as a trial hands it back.
struct ContactsTests {
    @Test
    func areReadBack() {
        var contacts = Contacts()
        contacts.servers = [
            Contacts.Server(transport: .udp, port: 443, usesIPv6: true, hasTLS: false, payload: 9, connections: 2)
        ]
        contacts.names = ["a.test"]
        let server = #"{ "transport": "udp", "port": 443, "ipv6": true, "tls": false, "payload": 9, "connections": 2 }"#
        #expect(contacts.json.line == #"{ "servers": [\#(server)], "names": ["a.test"] }"#)
        #expect(Contacts(json: contacts.json) == contacts)
        #expect(Contacts(json: Contacts().json) == Contacts() && Contacts(json: JSON()) == nil)
    }
}
