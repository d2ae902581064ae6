// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import LinkEmulation

/// The window against what RFC 9438 and Linux' tcp_cubic.c say of it.
@Suite struct CongestionWindowTests {
    /// A window after a loss at `maximum` packets.
    private func window(reducedFrom maximum: Int, _ congestion: CompetingFlows.Congestion = .cubic)
        -> CongestionWindow
    {
        var window = CongestionWindow(congestion)
        window.acknowledge(maximum - window.size, at: 0, roundTrip: 1)
        window.reduce()
        return window
    }

    /// The size after each of so many round trips of `milliseconds`, in which the whole window is acknowledged in pairs.
    private func sizes(_ window: CongestionWindow, after count: Int, milliseconds: Int64) -> [Int] {
        var window = window
        return (1...count).map { round in
            let flight = window.size
            for pair in 0..<(flight + 1) / 2 {
                let part = milliseconds * 1_000_000 * Int64(pair * 2) / Int64(flight)
                let now = Int64(round) * milliseconds * 1_000_000 + part
                window.acknowledge(min(flight - 2 * pair, 2), at: now, roundTrip: milliseconds * 1_000_000)
            }
            return window.size
        }
    }

    @Test(arguments: [(10, 7), (12, 8), (100, 70)])
    func decreasesToWholePackets(maximum: Int, size: Int) {
        #expect(window(reducedFrom: maximum).size == size)
    }

    /// Section 4.2: the window is back at the maximum after the cube root of 0.3 W / 0.4 seconds, and hardly grows there.
    @Test func growsBackToTheLastMaximumInCubicTime() {
        let maximum = 400.0
        let sizes = sizes(window(reducedFrom: Int(maximum)), after: 140, milliseconds: 100)
        #expect(sizes[0] < 300)
        let time = CubicGrowth.cubeRoot(maximum * 0.3 / 0.4)
        for (part, share) in [(0.5, 1 - 0.3 / 8), (1, 1), (1.5, 1 + 0.3 / 8), (2, 1.3)] {
            let size = sizes[Int((part * time * 10).rounded()) - 1]
            #expect(abs(Double(size) / (share * maximum) - 1) < 0.03, "\(size) after \(part)")
        }
    }

    /// Section 4.3: at a short round trip as fast as Reno with CUBIC's decrease, 0.53 packets a round trip, also above the
    /// last maximum.
    @Test func growsAsRenoWouldAtAShortRoundTrip() {
        let sizes = sizes(window(reducedFrom: 20), after: 30, milliseconds: 5)
        #expect((27...31).contains(sizes[29]), "\(sizes)")
        #expect((19...23).contains(sizes[14]), "\(sizes)")
    }

    /// Without a loss nobody knows the path's window.
    @Test func growsByFivePercentARoundTripBeforeTheFirstLoss() {
        var window = CongestionWindow(.cubic)
        window.acknowledge(90, at: 0, roundTrip: 1)
        window.endSlowStart()
        let sizes = sizes(window, after: 10, milliseconds: 10)
        #expect((150...170).contains(sizes[9]), "\(sizes)")
    }

    @Test func growsByAPacketARoundTripWithReno() {
        let sizes = sizes(window(reducedFrom: 20, .reno), after: 10, milliseconds: 10)
        #expect((19...20).contains(sizes[9]), "\(sizes)")
    }
}
