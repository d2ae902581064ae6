// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Foundation
import LinkEmulation
import LinkProfiles
import TestKit
import Testing

/// The same seed and the same arrivals give the same fates: each packet of a real run is sent through a new pipeline, which
/// knows its arrival only, and must decide the same to the nanosecond, on a quiet machine and on a busy one.
@Suite(
    .serialized,
    .enabled(if: Kernel.hasSandboxes && Kernel.canPump && Kernel.isRoot, "needs namespaces, and /dev/net/tun")
)
struct ReplayedRunTests {
    private static let disciplines = Extent.choose(
        once: [.fqCodel, .dualPI2, .pie, .cake],
        all: QueueManagement.Discipline.allCases,
        soak: QueueManagement.Discipline.allCases
    )
    private static let seconds = Extent.choose(once: 6, all: 12, soak: 60)

    /// All kinds of competing traffic, losses in bursts and at random, delay and jitter.
    private static func profile(_ discipline: QueueManagement.Discipline) -> String {
        let isMarking = discipline != .dropTail && discipline != .dropHead
        let queue = #""queue": { "size": "200 ms", "discipline": "\#(discipline.rawValue)" }, "ecn": \#(isMarking)"#
        return """
            {
              "name": "Everything",
              "uplink": {
                "rate": "4 Mbit/s", "delay": "15 ms", "jitter": "3 ms", \(queue),
                "loss": { "gilbertElliott": { "loss": "1 %", "burst": 3 } },
                "competing": [{ "bulk": 1 }, { "call": "100 kbit/s" }]
              },
              "downlink": {
                "rate": "8 Mbit/s", "delay": "10 ms", "loss": "0.5 %", \(queue),
                "competing": [{ "bulk": 1, "congestion": "reno" }, { "video": "2 Mbit/s" }, { "web": "20 pages a minute" }]
              }
            }
            """
    }

    @Test(arguments: disciplines, [0, 4])
    func decidesAsTheModelDoes(discipline: QueueManagement.Discipline, busyProcesses: Int) throws {
        let files = try TemporaryDirectory()
        let text = Self.profile(discipline)
        let profile = try Profile(utf8: text.utf8)
        let file = try files.write("everything.json", text)
        let capture = "\(files.path)/packets.pcapng"
        let traffic = Script("shared-link.py").command(["\(Self.seconds)", "\(busyProcesses)"])
        let link = ["--offline", file.path, "--seed", "1249239444", "--capture", capture]
        try Program.start([Program.path, "run"] + link + ["--"] + traffic).requireSuccess()

        let replayed = try ReplayedCapture(Array(Data(contentsOf: URL(filePath: capture))))
        var fates: [Fate: Int] = [:]
        for packet in replayed.packets { fates[packet.fate, default: 0] += 1 }
        for lane in [Lane.uplink, .downlink] {
            #expect(replayed.notes[lane]?.seed == 1_249_239_444)
            let conditions = LaneConditions(profile, lane)
            let packets = replayed.packets.filter { $0.lane == lane }
            let departures = try replayed.departures(lane, conditions)
            let differing = replayed.differences(lane, from: departures).map { number in
                let (packet, departure) = (packets[number], departures[number].debugDescription)
                return "\(number) of \(packets.count): \(packet.fate) after \(packet.due) ns, \(departure)"
            }
            #expect(differing.isEmpty, "\(differing.count) of the \(lane) differ: \(differing.prefix(3))")
            // With another seed, or without the others, other things happen.
            var alone = conditions
            alone.base.competing = nil
            let others = [
                try replayed.departures(lane, conditions, seed: 7), try replayed.departures(lane, alone),
            ]
            for departures in others {
                #expect(replayed.differences(lane, from: departures).count > packets.count / 10)
            }
        }
        #expect(replayed.packets.count > 1_000, "\(fates)")
        #expect(fates.keys.contains { $0 == .dropped(.queueManagement) || $0 == .dropped(.queueFull) }, "\(fates)")
        // By the loss model or by the discipline.
        #expect(discipline == .dropTail || discipline == .dropHead || fates[.marked] != nil, "\(fates)")
    }
}
