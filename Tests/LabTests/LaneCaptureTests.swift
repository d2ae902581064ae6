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

        private func expectOrder(_ lanes: CapturedLanes) {
            #expect(lanes.packets.map(\.time) == lanes.packets.map(\.time).sorted())
            #expect(lanes.complaints.isEmpty)
        }

        @Test(arguments: Caller.allCases)
        func marksWhatWasLost(_ caller: Caller) throws {
            let loss = #"{"delay": "50 ms", "loss": "30 %"}"#
            let lanes = try CapturedLanes(Self.count, by: caller, Self.profile(uplink: loss, downlink: loss))
            let arrived = ["uplink": lanes.served, "downlink": lanes.answered]
            for (lane, sent) in [("uplink", Self.count), ("downlink", lanes.served)] {
                let (lost, passed) = (lanes.fates(lane, .dropped), lanes.fates(lane, .passed))
                #expect(lost.count == lanes.drops(lane) && lost.count > sent / 5)
                #expect(passed.count == arrived[lane] && lost.count + passed.count == sent)
                #expect(lost.allSatisfy { $0.reason == "unknown" })
            }
            // Each once: sent ones in their order, though it is known much later which of them were lost.
            let sent = lanes.packets.filter { $0.fate.lane == "uplink" }.map(\.number)
            #expect(sent == Array(0..<Self.count))
            expectOrder(lanes)
        }

        @Test func tellsTheDelay() throws {
            let lanes = try CapturedLanes(Self.count, Self.profile(uplink: #"{"delay": "50 ms"}"#))
            for (lane, asked) in [("uplink", 50.0), ("downlink", 20)] {
                let delays = lanes.delays(lane).sorted()
                #expect(delays.count == Self.count && lanes.fates(lane, .dropped).isEmpty)
                // netem is never early, and late while the one processor is busy.
                #expect(try #require(delays.first) >= asked && delays[Self.count / 2] < asked + 20)
            }
            expectOrder(lanes)
        }

        @Test func tellsDuplicates() throws {
            let lanes = try CapturedLanes(Self.count, Self.profile(uplink: #"{"delay": "10 ms", "duplicate": "20 %"}"#))
            let copies = lanes.fates("uplink", .duplicate).count
            #expect(lanes.fates("uplink", .passed).count == Self.count)
            #expect(copies == lanes.served - Self.count && (40...120).contains(copies))
            #expect(lanes.answered == lanes.served && lanes.fates("downlink", .passed).count == lanes.served)
            expectOrder(lanes)
        }

        @Test func tellsCorruption() throws {
            let lanes = try CapturedLanes(Self.count, Self.profile(uplink: #"{"delay": "10 ms", "corrupt": "20 %"}"#))
            let (passed, corrupted) = (lanes.fates("uplink", .passed).count, lanes.fates("uplink", .corrupted).count)
            #expect(passed + corrupted == Self.count && (40...120).contains(corrupted))
            // A packet with a wrong bit in the sender's Ethernet address still arrives.
            #expect((passed...passed + corrupted / 4).contains(lanes.served))
            expectOrder(lanes)
        }

        @Test func tellsReorderedPacketsByTheirDelay() throws {
            let reorder = #"{"delay": "50 ms", "reorder": {"probability": "25 %", "gap": 1}}"#
            let lanes = try CapturedLanes(Self.count, Self.profile(uplink: reorder))
            let delays = lanes.delays("uplink")
            #expect(delays.count == Self.count)
            let early = delays.filter { $0 < 10 }.count
            #expect((60...140).contains(early) && delays.filter { $0 >= 50 }.count == Self.count - early)
            expectOrder(lanes)
        }

        @Test func followsSwitches() throws {
            let profiles = [
                Self.profile(uplink: #"{"delay": "30 ms", "rate": "10 Mbit/s"}"#),
                Self.profile(uplink: #"{"delay": "40 ms", "loss": "50 %"}"#),
                #"{"name": "free", "downlink": {"delay": "5 ms"}}"#, Self.profile(uplink: #"{"delay": "10 ms"}"#),
            ]
            let lanes = try CapturedLanes(Self.count, profiles[0], switchingTo: Array(profiles.dropFirst()))
            let count = lanes.sent
            // Between two switches the uplink has no lane.
            let seen = lanes.packets.filter { $0.fate.lane == "uplink" }.count + lanes.others
            #expect(seen == count && lanes.others >= 80, "\(seen) \(lanes.others)")
            let lost = lanes.fates("uplink", .dropped).count
            #expect(lost > 20 && lanes.served == count - lost)
            #expect(lanes.packets.filter { $0.fate.outcome == .passed }.allSatisfy { $0.fate.delay != nil })
            #expect(lanes.fates("downlink", .passed).count == lanes.answered)
            expectOrder(lanes)
        }

        @Test func leavesTheNetworkAsItIs() throws {
            let command = "sh -c \(Shell.quoted("\(Shell.linkcond) status; ping -q -n -c 20 -i 0.02 127.0.0.1"))"
            let folder = try TemporaryDirectory()
            let outputs = try ["", "--capture \(folder.path)/c.pcapng"].map { option in
                try Caller.root.check("--engine netem --offline --uplink 'delay=5 ms' \(option) -- \(command)")
            }
            #expect(outputs.allSatisfy { $0.contains("20 packets transmitted, 20 received") })
            let lanes = outputs.map { output in output.split(separator: "\n").filter { $0.contains("uplink") } }
            #expect(lanes[0] == lanes[1] && lanes[0].count == 1)
            #expect(try Shell.run("pgrep -x lc-capture").status == 1)
            #expect(try Shell.check("stat -c %a \(folder.path)/c.pcapng") == "600\n")
        }

        @Test func keepsWhatItHasWhenItIsKilled() throws {
            let folder = try TemporaryDirectory()
            let file = "\(folder.path)/c.pcapng"
            let inside = "ping -q -n -c 100 -i 0.01 127.0.0.1; sleep 4; pkill -KILL -x lc-capture; sleep 0.5"
            let result = try Caller.root.run(
                "--engine netem --offline --uplink 'delay=5 ms' --capture \(file) -- sh -c \(Shell.quoted(inside))"
            )
            #expect(result.status == 0 && result.errors.contains("lc-capture"), "\(result)")
            let lines = try Shell.check("tshark -r \(file) 2>/dev/null | wc -l")
            #expect(lines.trimmingPrefix(" ") == "200\n")
        }
    }
}
