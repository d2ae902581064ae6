// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import TestKit
import Testing

/// What a user finds in the file.
extension LabTests.LaneCaptures {
    private func capture(_ options: String, _ command: String, in folder: TemporaryDirectory) throws -> CommandResult {
        try Shell.run("cd \(folder.path) && \(Caller.root.line("--engine netem --offline \(options) -- \(command)"))")
    }

    /// Keys that the command logs are in the file, before the packets that they decrypt.
    @Test func decryptsWhatTheCommandHasLoggedKeysOf() throws {
        let folder = try TemporaryDirectory()
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key"
        try folder.write(
            "exchange",
            """
            openssl req -x509 \(key) -out certificate -subj /CN=localhost 2>errors
            openssl s_server -quiet -www -key key -cert certificate -accept 8443 >server 2>&1 &
            for attempt in 1 2 3 4 5 6 7 8 9; do
                sleep 0.3
                curl -sk --max-time 10 https://127.0.0.1:8443/ >answer && exit
            done
            """
        )
        let run = Caller.root.line("--engine netem --offline --uplink 'delay=20 ms' --capture c.pcapng -- sh exchange")
        let result = try Shell.run("cd \(folder.path) && export SSLKEYLOGFILE=keys && \(run)")
        #expect(result.status == 0, "\(result)")
        let requests = try Shell.check(
            "tshark -r \(folder.path)/c.pcapng -Y http.request -T fields -e http.request.uri 2>/dev/null"
        )
        #expect(requests == "/\n")
    }

    /// Slow Net delays queries to port 53 by 200 ms more, and nothing else.
    @Test func tellsTheLaneOfEachPacket() throws {
        let folder = try TemporaryDirectory()
        let exchange = Exchange.line(["udp/127.0.0.1/53", "udp/127.0.0.1/54", "udp/::1/53"])
        let result = try capture("'Slow Net' --capture c.pcapng", exchange, in: folder)
        #expect(result.status == 0, "\(result)")
        let packets = try folder.lanePackets("c.pcapng")
        let queries = packets.filter { $0.interface == "dns of lo" }
        #expect(packets.count == 30 && queries.count == 10, "\(packets.map(\.interface))")
        #expect(queries.allSatisfy { $0.port == 53 && $0.packet.direction == .outbound })
        #expect(packets.filter { $0.port == 53 }.count == queries.count)
        let others = packets.filter { $0.port == 54 }.map(\.interface)
        #expect(others == Array(repeating: "uplink of lo", count: 5))
        #expect(packets.filter { $0.interface == "downlink of lo" }.count == 15)
    }

    /// The command goes on, and the file says how many packets there was no room for.
    @Test func saysThatTheDiskIsFull() throws {
        let (folder, copy) = (try TemporaryDirectory(), try TemporaryDirectory())
        let command = "sh -c 'ping -q -s 1400 -i 0.01 -c 60 127.0.0.1 && exit 5'"
        let run = Caller.root.line(
            "--engine netem --offline --uplink 'delay=20 ms' --capture c.pcapng -- \(command)"
        )
        let mounted = "mount -t tmpfs -o size=64k none \(folder.path) && cd \(folder.path) && \(run); echo status $?"
        let facts = "capinfos -c c.pcapng; cp c.pcapng \(copy.path)"
        let result = try Shell.run("unshare -m sh -c \(Shell.quoted("\(mounted); \(facts)"))")
        #expect(result.output.contains("60 packets transmitted, 60 received"), "\(result)")
        #expect(result.output.contains("status 5\n"), "\(result)")
        let note = "note: the capture ends early, and can be read up to there: it has taken half of the room"
        #expect(result.errors.contains(note))
        #expect(result.output.contains(#/Number of packets: +[123]\d\n/#), "\(result)")
        #expect(!result.errors.contains("cut short"), "\(result)")
        // Each echo and its answer pass twice.
        let counts = try copy.captureRecords("c.pcapng").compactMap { record in
            if case .statistics(let counts, _) = record { counts } else { nil }
        }
        let all = counts.reduce(0) { $0 + ($1.written ?? 0) + ($1.dropped ?? 0) }
        #expect(all == 120, "\(counts)")
    }

    /// As they left the link.
    @Test func hasMarks() throws {
        struct Arrivals: Decodable {
            let marked: [Int]
            let plain: [Int]
        }
        let folder = try TemporaryDirectory()
        let figures = #"{"name": "marks", "uplink": {"delay": "20 ms", "loss": "30 %", "ecn": true}}"#
        try folder.write("marks.json", figures)
        let traffic = Script("lane-marks.py").line(["300"])
        let result = try capture("marks.json --capture c.pcapng", traffic, in: folder)
        #expect(result.status == 0, "\(result)")
        let arrivals: Arrivals = try result.output.decoded()
        let packets = try folder.lanePackets("c.pcapng")
        let marked = packets.filter { $0.packet.bytes[15] & 3 == 3 }
        #expect(marked.map(\.number) == arrivals.marked && arrivals.marked.count > 20)
        #expect(packets.filter { $0.packet.bytes[15] & 3 != 3 }.map(\.number) == arrivals.plain)
    }
}
