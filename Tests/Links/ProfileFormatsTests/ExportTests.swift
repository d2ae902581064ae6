// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileFormats
import Testing

@Suite struct ExportTests {
    private static let link = try? Profile(
        utf8: """
            {
              "name": "Train (fast)",
              "downlink": { "rate": "4 Mbit/s", "delay": "60 ms", "loss": "2 %" },
              "uplink": {
                "rate": "32 kbit/s", "delay": "22.5 ms", "jitter": { "amount": "5 ms", "distribution": "normal" },
                "loss": { "gilbertElliott": { "p": "1 %", "r": "25 %" } }, "queue": "50 packets"
              },
              "dns": { "delay": "200 ms" }
            }
            """.utf8
    )

    private static func export(_ format: ExportFormat) throws -> ExportedProfile {
        ExportedProfile(try #require(link), as: format)
    }

    @Test func writesCommandsOfPumba() throws {
        let exported = try Self.export(.pumba)
        #expect(
            exported.text == """
                pumba netem --duration 10m delay --time 23 --jitter 5 --correlation 0 --distribution normal CONTAINER
                pumba netem --duration 10m loss-gemodel --pg 1 --pb 25 --one-h 100 --one-k 0 CONTAINER
                pumba netem --duration 10m rate --rate 32000bit CONTAINER
                pumba iptables --duration 10m loss --probability 0.02 CONTAINER
                """
        )
        let remarks = exported.remarks.joined(separator: "\n")
        for part in [
            "22.5 ms, is rounded to 23 ms", "rate, delay of the downlink are left out",
            "queue of the uplink is left out",
        ] {
            #expect(remarks.contains(part), "\(part) is not in \(remarks)")
        }
    }

    @Test func writesObjectsOfChaosMesh() throws {
        let exported = try Self.export(.chaosMesh)
        let documents = exported.text.split(separator: "\n---\n")
        #expect(documents.count == 2)
        #expect(
            documents[0].contains("name: train-fast-uplink\n") && documents[1].contains("name: train-fast-downlink\n")
        )
        #expect(documents[0].contains("direction: to\n") && documents[1].contains("direction: from\n"))
        #expect(
            documents[0].hasSuffix(
                """
                  delay:
                    latency: "22.5ms"
                    jitter: "5ms"
                    correlation: "0"
                  rate:
                    rate: "4000bps"
                """
            )
        )
        #expect(documents[1].contains("  loss:\n    loss: \"2\"\n"))
        let remarks = exported.remarks.joined(separator: "\n")
        #expect(
            remarks.contains("loss, queue of the uplink are left out")
                && remarks.contains("jitter of Chaos Mesh is uniform")
        )
    }

    @Test func writesToxics() throws {
        let exported = try Self.export(.toxiproxy)
        #expect(exported.text.contains(#""attributes": { "latency": 60, "jitter": 0 }"#), "\(exported.text)")
        #expect(exported.text.contains(#""attributes": { "rate": 500 }"#))
        #expect(exported.remarks.contains { $0.contains("loss of the downlink is left out") })
        #expect(exported.remarks.contains { $0.contains("the delay of DNS, 200 ms, is left out") })
    }

    @Test func writesConditionsOfABrowser() throws {
        let exported = try Self.export(.devtools)
        #expect(
            exported.text == """
                {
                  "offline": false,
                  "latency": 82.5,
                  "downloadThroughput": 500000,
                  "uploadThroughput": 4000
                }
                """
        )
        #expect(exported.remarks.contains { $0.contains("one round trip in a browser: 82.5 ms") })
        let lost = try Profile(utf8: #"{"name": "A", "uplink": {"loss": "100 %"}, "downlink": {"loss": "100 %"}}"#.utf8)
        #expect(ExportedProfile(lost, as: .devtools).text.contains("\"offline\": true"))
    }

    @Test(arguments: ExportFormat.allCases)
    func saysThatNothingIsSaid(format: ExportFormat) throws {
        let dns = try Profile(utf8: #"{"name": "A", "dns": {"delay": "1 s"}}"#.utf8)
        #expect(ExportedProfile(dns, as: format).remarks.contains { $0.contains("the delay of DNS, 1 s, is left out") })
    }
}
