// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import TestKit
import Testing

extension LabTests {
    /// Captures of sandboxes whose conditions the kernel carries, against what the kernel and the receivers count.
    @Suite struct LaneCaptures {
        private static let count = 400

        private static func profile(uplink: String, downlink: String = #"{"delay": "20 ms"}"#) -> String {
            #"{"name": "captured", "uplink": \#(uplink), "downlink": \#(downlink)}"#
        }

        /// Each packet once, in the order of the file, without a fate that netem does not tell.
        private func expectOrder(_ lanes: CapturedLanes) {
            let times = lanes.packets.map(\.packet.time)
            #expect(times == times.sorted() && lanes.complaints.isEmpty)
            #expect(lanes.packets.allSatisfy { $0.packet.comments.isEmpty })
            let (sent, received) = (lanes.packets("uplink"), lanes.packets("downlink"))
            #expect(sent.allSatisfy { $0.packet.direction == .outbound })
            #expect(received.allSatisfy { $0.packet.direction == .inbound })
            #expect(sent.count + received.count == lanes.packets.count)
        }

        @Test(arguments: Caller.allCases)
        func lacksWhatWasLost(_ caller: Caller) throws {
            let loss = #"{"delay": "50 ms", "loss": "30 %"}"#
            let lanes = try CapturedLanes(Self.count, by: caller, Self.profile(uplink: loss, downlink: loss))
            let arrived = ["uplink": lanes.served, "downlink": lanes.answered]
            for (lane, sent) in [("uplink", Self.count), ("downlink", lanes.served)] {
                let passed = lanes.packets(lane).compactMap(\.number)
                #expect(passed.count == arrived[lane] && passed.count == sent - lanes.drops(lane))
                #expect(lanes.drops(lane) > sent / 5 && Set(passed).count == passed.count)
            }
            #expect(lanes.notes.contains("note: netem carries the packets: the capture has those that left the link"))
            expectOrder(lanes)
        }

        /// The server answers at once: from one lane to the other it takes the delay of the second.
        @Test func tellsWhenPacketsLeaveTheLink() throws {
            // netem is never early, and late while the one processor is busy.
            try Measurements.settle {
                let lanes = try CapturedLanes(Self.count, Self.profile(uplink: #"{"delay": "50 ms"}"#))
                expectOrder(lanes)
                let sent = Dictionary(uniqueKeysWithValues: lanes.packets("uplink").map { ($0.number, $0.packet.time) })
                #expect(sent.count == Self.count)
                let delays = try lanes.packets("downlink").map { packet in
                    Double(packet.packet.time - (try #require(sent[packet.number]))) / 1e6
                }.sorted()
                try #require(delays.count == Self.count && delays[0] >= 20)
                return try Measurements.fault("median", delays[Self.count / 2], in: 20...40)
            }
        }

        @Test func hasDuplicates() throws {
            let lanes = try CapturedLanes(Self.count, Self.profile(uplink: #"{"delay": "10 ms", "duplicate": "20 %"}"#))
            let copies = lanes.packets("uplink").count - Self.count
            #expect(copies == lanes.served - Self.count && (40...120).contains(copies))
            #expect(lanes.answered == lanes.served && lanes.packets("downlink").count == lanes.served)
            expectOrder(lanes)
        }

        @Test func followsSwitches() throws {
            let profiles = [
                Self.profile(uplink: #"{"delay": "30 ms", "rate": "10 Mbit/s"}"#),
                Self.profile(uplink: #"{"delay": "40 ms", "loss": "50 %"}"#),
                #"{"name": "free", "downlink": {"delay": "5 ms"}}"#, Self.profile(uplink: #"{"delay": "10 ms"}"#),
            ]
            let lanes = try CapturedLanes(Self.count, profiles[0], switchingTo: Array(profiles.dropFirst()))
            // Also what the third profile leaves alone.
            #expect(lanes.packets("uplink").count == lanes.served && lanes.served < lanes.sent - 20)
            #expect(lanes.packets("downlink").count == lanes.answered)
            expectOrder(lanes)
        }

        @Test func hasWhatNoProfileConditions() throws {
            let folder = try TemporaryDirectory()
            let line = "--engine netem --offline --capture \(folder.path)/c.pcapng -- ping -q -n -c 5 -i 0.02 127.0.0.1"
            let output = try Caller.root.check(line)
            #expect(output.contains("5 packets transmitted, 5 received"))
            let packets = try folder.lanePackets("c.pcapng")
            #expect(packets.filter { $0.interface == "uplink of lo" }.count == 5 && packets.count == 10)
        }

        @Test func leavesTheConditionsAsTheyAre() throws {
            let command = "sh -c \(Shell.quoted("\(Shell.linkcond) status; ping -q -n -c 20 -i 0.02 127.0.0.1"))"
            let folder = try TemporaryDirectory()
            let outputs = try ["", "--capture \(folder.path)/c.pcapng"].map { option in
                try Caller.root.check("--engine netem --offline --uplink 'delay=5 ms' \(option) -- \(command)")
            }
            #expect(outputs.allSatisfy { $0.contains("20 packets transmitted, 20 received") })
            let lanes = outputs.map { output in
                output.split(separator: "\n").filter { $0.contains("uplink") }.map { $0.split(separator: " ") }
            }
            #expect(lanes[0] == lanes[1] && lanes[0].count == 1)
            #expect(try Shell.run("pgrep -x lc-capture").status == 1)
            #expect(try Shell.check("stat -c %a \(folder.path)/c.pcapng") == "600\n")
        }

        @Test func keepsWhatItHasWhenItIsKilled() throws {
            let folder = try TemporaryDirectory()
            let file = "\(folder.path)/c.pcapng"
            let inside = """
                ping -q -n -c 100 -i 0.01 127.0.0.1
                for _ in $(seq \(HangLimit.seconds / 2)); do
                    [ $(tshark -r \(file) 2>/dev/null | wc -l) -eq 200 ] && break; sleep 1
                done
                pkill -KILL -x lc-capture; while pgrep -x lc-capture; do sleep 0.05; done
                """
            let result = try Caller.root.run(
                "--engine netem --offline --uplink 'delay=5 ms' --capture \(file) -- sh -c \(Shell.quoted(inside))"
            )
            #expect(result.status == 0 && result.errors.contains("lc-capture"), "\(result)")
            let lines = try Shell.check("tshark -r \(file) 2>/dev/null | wc -l")
            #expect(lines.trimmingPrefix(" ") == "200\n")
        }
    }
}
