// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

/// A running pump with a recorded rate delivers what the recording allows in each second, within 1 %.
@Suite(.enabled(if: PrivateNetwork.canPump, "needs root, /dev/net/tun, tc and ip"), .serialized)
struct PlaybackTests {
    /// Delivery opportunities in mahimahi's format: between 2 and 40 Mbit/s, and none in `pause`.
    private static func chances(milliseconds: Int, pause: Int, lasting: Int) -> Recording {
        var dice = SeededGenerator(seed: 3)
        var text = ""
        var maximum = 0
        for time in 1...milliseconds where !(pause..<pause + lasting).contains(time) {
            if time % 200 == 1 { maximum = Int.random(in: 1...6, using: &dice) }
            for _ in 0..<Int.random(in: 0...maximum, using: &dice) { text += "\(time)\n" }
        }
        // The last line is the time at which it repeats.
        return Recording(text + "\(milliseconds)\n", .mahimahi)
    }

    /// Rates with a pause; the last line is only the time at which it repeats.
    private static let rates = Recording("0 8\n0.5 24.5\n1.1 3\n1.6 0\n2.9 15\n3.7 1\n", .secondsMbit)

    /// On a busy machine a pump occasionally waits tens of milliseconds for a processor (with four busy processes on two
    /// processors, one packet in a hundred is 5 ms late or more), and packets miss their second. A defect of the pump
    /// shows in the same second of every play, so recordings that failed are played up to twice more, and only seconds
    /// that fail each time count. If chance spoils one second in a hundred, three plays of two lanes of 130 seconds fail
    /// in one of 4000 runs. Where a plain thread waits as long as that, it is more than chance: then they are played up to
    /// six times more.
    private static func expectAgreement(uplink: Recording?, downlink: Recording?, seconds: Int) throws {
        let play = { (seconds: Int) in
            try PrivateNetwork.run { try Playback.seconds(uplink: uplink, downlink: downlink, seconds) }
        }
        var wrong: [Playback.Second]?
        var (plays, busyPlays) = (0, 0)
        while plays < 3, busyPlays < 7 {
            let yardstick = Yardstick()
            do {
                let played = try play((wrong?.map(\.number).max()).map { $0 + 1 } ?? seconds)
                if wrong == nil { #expect(played.count { $0.allowed > 0 } > 10, "enough to tell by") }
                let stillWrong = wrong?.filter { old in
                    !played.contains { $0.lane == old.lane && $0.number == old.number && $0.isRight }
                }
                wrong = stillWrong ?? played.filter { !$0.isRight }
                if wrong?.isEmpty == true { return }
            } catch let error as Playback.FellBehind {
                print(error)
            }
            if yardstick.stop() <= 2 { plays += 1 } else { busyPlays += 1 }
            print("played once more, because of", wrong ?? [])
        }
        guard plays == 3 else {
            try endInconclusively("the machine was busy in \(busyPlays) of \(plays + busyPlays) plays")
        }
        #expect(wrong?.isEmpty == true, "\(wrong ?? [])")
    }

    @Test(.timeLimit(.minutes(30))) func deliversWhatSyntheticRecordingsAllow() throws {
        let uplink = Self.chances(milliseconds: 3_300, pause: 1_100, lasting: 1_400)
        try Self.expectAgreement(uplink: uplink, downlink: Self.rates, seconds: 9)
    }

    @Test(.enabled(if: isSoak, "a pause of 78 s: scripts/check/soak"), .timeLimit(.minutes(60)))
    func waitsForTheEndOfALongPause() throws {
        let uplink = Self.chances(milliseconds: 90_000, pause: 6_300, lasting: 78_000)
        try Self.expectAgreement(uplink: uplink, downlink: nil, seconds: 99)
    }

    /// Recordings are too large for the repository, and have other owners. The test plays 20 seconds around the longest
    /// pause of each, or all of it and 10 seconds of its repetition in the soak.
    @Test(.enabled(if: recordings != nil, "LINKCOND_TRACES names no directory of mahimahi traces"))
    func deliversWhatRecordingsAllow() throws {
        let directory = try #require(Self.recordings)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        let links = Set(
            names.compactMap { name in [".up", ".down"].first(where: name.hasSuffix).map { name.dropLast($0.count) } }
        )
        #expect(!links.isEmpty)
        for link in links.sorted() {
            let (uplink, downlink) = (
                try Self.read("\(directory)/\(link).up"), try Self.read("\(directory)/\(link).down")
            )
            let longest = max(uplink?.length ?? 0, downlink?.length ?? 0) / 1000
            try Self.expectAgreement(uplink: uplink, downlink: downlink, seconds: Self.isSoak ? longest + 10 : 20)
        }
    }

    private static func read(_ path: String) throws -> Recording? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let whole = Recording(try String(contentsOfFile: path, encoding: .utf8), .mahimahi)
        return isSoak ? whole : whole.aboutItsLongestPause(seconds: 20)
    }

    private static let recordings = ProcessInfo.processInfo.environment["LINKCOND_TRACES"]
    private static let isSoak = Extent.current == .soak
}
