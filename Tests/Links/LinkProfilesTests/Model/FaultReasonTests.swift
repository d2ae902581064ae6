// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

/// A fault that was done to nothing says what it waited for.
struct FaultReasonTests {
    @Test(arguments: [
        (#"{"after": "20 kB"}"#, #""reset""#, 2, "no connection carried 20 kB"),
        (#"{"after": "5 s"}"#, #""lose""#, 2, "no connection had a packet after 5 s"),
        (#"{"after": {"idle": "5 s"}}"#, #""reset""#, 2, "no connection was idle for 5 s"),
        (#"{"connection": "nth 3"}"#, #""reset""#, 2, "there were only 2 connections"),
        (#"{"connection": "after the first"}"#, #""reset""#, 1, "there was only 1 connection"),
        (#"{"connection": "first 2", "after": "1 kB"}"#, #""reset""#, 1, "no connection carried 1 kB"),
        (#"{"dns": "api.test", "type": "AAAA"}"#, #""lose""#, 1, "there was no DNS query for api.test of type AAAA"),
        (#"{"packet": "syn"}"#, #""lose""#, 1, "no TCP connection was opened"),
        (#"{"packet": "quic initial"}"#, #""lose""#, 1, "no QUIC connection was opened"),
        (#"{"packet": "tls hello api.test"}"#, #""lose""#, 1, "there was no TLS ClientHello for api.test"),
        (#"{"packet": "nth 9"}"#, #""lose""#, 1, "no connection had so many packets"),
        (#"{"larger": "1400 bytes"}"#, #""lose""#, 1, "no packet was larger than 1400 bytes"),
        (#"{"lane": "uplink"}"#, #""lose""#, 1, "no packet was in the uplink"),
        (#"{"probability": "1 %"}"#, #""lose""#, 1, "chance (1 %) spared every packet"),
        (#"{"port": 53}"#, #"{"answer": "NXDOMAIN"}"#, 1, "there was no DNS query"),
        (#"{"port": 443}"#, #""reset""#, 1, "there was no TCP connection"),
        (#"{}"#, #"{"portal": "http://portal.test/"}"#, 0, "no connection was opened to port 80 or 443"),
        (#"{}"#, #""reset""#, 0, "there was no TCP connection"),
        (#"{"dns": "*"}"#, #""lose""#, 1, "there was no DNS query"),
        (#"{"packet": "tls hello *"}"#, #""lose""#, 1, "there was no TLS ClientHello"),
        (#"{"port": 443, "protocol": "tcp"}"#, #""reset""#, 0, "no packet matched tcp port 443"),
        (#"{}"#, #""lose""#, 0, "no packet was sent or received"),
    ])
    func namesWhatItWaitedFor(match: String, action: String, connections: Int, reason: String) throws {
        let profile = try Profile(members: "\"faults\": [{\"match\": \(match), \"do\": \(action)}]")
        #expect(try #require(profile.faults.first).reasonForNone(connections: connections) == reason)
    }
}
