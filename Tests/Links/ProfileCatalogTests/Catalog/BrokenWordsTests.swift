// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import Testing

/// What `list --broken` says of a profile.
@Suite struct BrokenWordsTests {
    @Test(
        arguments: [
            (#""downlink": {"rate": "1 Mbit/s", "loss": "100 %"}"#, []),
            (#""ipv6": "works", "mtu": 1280, "nat": {}"#, []),
            (#""faults": [{"match": {"version": 6}, "do": "lose"}]"#, ["lose: IPv6"]),
            (#""ipv6": "only""#, ["IPv6 only"]),
            (#""nat": {"idle": "30 s"}"#, ["NAT, mappings expire after 30 s"]),
            (#""nat": {"filtering": "address"}"#, ["NAT, packets from the known address only"]),
            (
                #""schedule": {"steps": [{"at": "5 s", "downlink": {"loss": "100 %"}, "uplink": {"loss": "100 %"}}], "repeat": "7 s"}"#,
                ["lose: everything from 5 s to 7 s, every 7 s"]
            ),
            (
                #""uplink": {"loss": "100 %"}, "schedule": {"steps": [{"at": "1 s", "uplink": {"loss": "0 %"}}, {"at": "2 s"}]}"#,
                ["lose: everything in the uplink from 2 s on"]
            ),
            (
                #""schedule": {"steps": [{"at": "1 s", "downlink": {"loss": "100 %"}}, {"at": "2 s", "uplink": {"rate": "0 bit/s"}}]}"#,
                ["lose: everything in the downlink from 1 s to 2 s"]
            ),
        ] as [(String, [String])]
    )
    func tellsWhatIsBroken(members: String, words: [String]) throws {
        #expect(try Profile(utf8: #"{"name": "Test", \#(members)}"#.utf8).brokenWords == words)
    }

    /// A standard's outages are part of its test.
    @Test(arguments: [("Lift", true), ("3G", false), ("QUIC Interop Blackhole", false), ("G1050 Severity H", false)])
    func tellsBrokenNetworksFromPresets(name: String, isBroken: Bool) throws {
        #expect(try Catalog(directories: []).profile(name).isBroken == isBroken)
    }
}
