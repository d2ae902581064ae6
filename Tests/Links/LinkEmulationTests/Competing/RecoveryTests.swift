// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkEmulation

/// How a modelled flow shrinks its window: RFC 6937, and RFC 6675 for its end.
@Suite struct RecoveryTests {
    /// The packets that are sent after each of 16 acknowledgements, of 20 in flight three of which have come before; 14 are
    /// the new window.
    @Test func sendsInProportionToWhatArrives() {
        var (recovery, inFlight, next, rooms) = (Recovery(end: 20, window: 20), 16, UInt64(20), [Int]())
        recovery.noteLoss(of: 0)
        for number in 4..<20 as Range<UInt64> {
            inFlight -= 1
            recovery.noteDelivery(of: 1, upTo: number, except: [] as [UInt64])
            let room = recovery.room(inFlight: inFlight, threshold: 14, acknowledged: 1)
            for _ in 0..<room {
                recovery.noteSending(of: next)
                (next, inFlight) = (next + 1, inFlight + 1)
            }
            rooms.append(room)
        }
        #expect(inFlight == 14 && rooms.allSatisfy { $0 <= 2 })
        // The first packet is sent at once, and nearly half of them in the first half of the time.
        #expect(rooms[0] == 1 && rooms.prefix(8).reduce(0, +) >= 5)
    }

    @Test func lastsUntilALostRepairHasArrived() {
        var recovery = Recovery(end: 20, window: 20)
        recovery.noteLoss(of: 5)
        recovery.noteSending(of: 20)
        recovery.noteSending(of: 21)
        // The repair is lost.
        recovery.noteDelivery(of: 1, upTo: 21, except: [20] as [UInt64])
        #expect(!recovery.isOver)
        recovery.noteLoss(of: 20)
        recovery.noteSending(of: 22)
        recovery.noteDelivery(of: 1, upTo: 21, except: [] as [UInt64])
        #expect(!recovery.isOver)
        recovery.noteDelivery(of: 1, upTo: 22, except: [] as [UInt64])
        #expect(recovery.isOver && recovery.laterLosses == 0)
    }

    /// They reduce the window again.
    @Test func tellsLossesOfPacketsThatWereSentSince() {
        var recovery = Recovery(end: 20, window: 20)
        recovery.noteLoss(of: 5)
        recovery.noteSending(of: 20)
        recovery.noteSending(of: 21)
        recovery.noteDelivery(of: 1, upTo: 20, except: [21] as [UInt64])
        recovery.noteLoss(of: 21)
        #expect(recovery.isOver && recovery.laterLosses == 1)
    }
}
