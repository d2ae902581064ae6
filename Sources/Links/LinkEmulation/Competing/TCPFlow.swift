// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LinkProfiles

/// A modelled TCP sender, whose full-size packets pass the bottleneck. The path behind the bottleneck and the way back take
/// `roundTrip` together, and lose nothing. Losses are found by three later acknowledgements (RFC 6675) or by a time-out
/// (RFC 6298).
///
/// The two hosts take a random time for a packet. Without it, packets would come to the bottleneck in a fixed phase of the
/// packets that it sends, either always before a place in the queue becomes free or always after: S. Floyd and V. Jacobson,
/// "On Traffic Phase Effects in Packet-Switched Gateways", 1992.
struct TCPFlow: Sendable {
    /// The path of the flow without the queue, in nanoseconds.
    let roundTrip: Int64
    private var window: CongestionWindow
    /// The packets that are still to be sent for the first time; nil for no end.
    private var unsent: Int?
    private var receiver = Receiver()
    /// Packets that the bottleneck has dropped, of which the sender does not know yet.
    private var dropped: Deque<UInt64> = []
    private var next: UInt64 = 0
    private var inFlight = 0

    private var times = RoundTripTimes()
    private var recovery: Recovery?
    private var slowStart = SlowStartExit()
    /// The time of the time-out; `Int64.max` if nothing is in flight.
    private var timeout = Int64.max
    private var backoff: Int64 = 1
    private var lastSent = Int64.min / 2
    private let random: UInt64
    private var drawn: UInt64 = 0
    private var lastArrival = Int64.min

    /// A packet is lost if so many later ones have arrived.
    private static let laterPackets: UInt64 = 3
    private static let largestWindow = 4_096
    /// What Linux' `tcp_tso_should_defer` calls recent, and soon.
    private static let soon: Int64 = 1_000_000

    /// The shortest time that the hosts take, and the mean of what is added to that, in nanoseconds. Two sockets of Linux on
    /// loopback of a quiet machine took 0.04 ms at 10 %, 0.06 to 0.09 ms in the median, 0.16 to 0.26 ms at 90 %.
    private static let shortestProcessing: Int64 = 40_000
    private static let meanProcessing = 40_000.0

    /// - Parameters:
    ///   - packets: the length of what is sent; nil for no end.
    ///   - random: the seed of its random numbers.
    init(roundTrip: Int64, packets: Int?, _ congestion: CompetingFlows.Congestion, random: UInt64 = 0) {
        (self.roundTrip, self.random) = (roundTrip, random)
        unsent = packets
        window = CongestionWindow(congestion)
    }

    /// Whether everything has arrived.
    var isDone: Bool { unsent == 0 && inFlight == 0 }

    /// The time of the next acknowledgement or time-out; `Int64.max` for none.
    var nextEvent: Int64 { min(receiver.nextTime, timeout) }

    /// Notes that the bottleneck has sent a packet.
    mutating func noteDelivery(of number: UInt64, sent: Int64, at time: Int64, isMarked: Bool) {
        let part = Quantile.exponential(Quantile.unit(SplitMix64.value(seed: random, index: drawn)))
        drawn &+= 1
        let processing = Self.shortestProcessing + Int64(part * Self.meanProcessing)
        lastArrival = max(lastArrival, time + roundTrip + processing)
        receiver.receive(
            Receiver.Acknowledgement(time: lastArrival, number: number, sent: sent, isMarked: isMarked),
            isAcknowledgedAtOnce: isMarked || receiverLacksPacket(before: number)
        )
    }

    /// Whether the receiver lacks a packet before this one, so that it acknowledges this one at once: RFC 5681, section 4.2.
    private func receiverLacksPacket(before number: UInt64) -> Bool {
        dropped.first.map { $0 < number } ?? false || recovery?.isRepaired(after: number) ?? false
    }

    /// Notes that the bottleneck has dropped a packet.
    mutating func noteDrop(of number: UInt64) { dropped.append(number) }

    /// Handles the next event, and returns the number of packets to send now.
    mutating func handleEvent(at now: Int64) -> Int {
        var acknowledged = 0
        if let packet = receiver.removeFirst(at: now) {
            acknowledged = packet.count
            acknowledge(packet, now)
        } else if timeout <= now {
            // What still waits in the queue stays in flight.
            inFlight -= dropped.count
            if let unsent { self.unsent = unsent + dropped.count }
            dropped.removeAll(keepingCapacity: true)
            window.collapse()
            recovery = nil
            backoff = min(backoff * 2, 64)
            timeout = now + times.timeout * backoff
        }
        let room = room(acknowledged: acknowledged)
        return room % 2 == 1 && waitsForPair(room, at: now) ? room - 1 : room
    }

    /// Whether the last of `room` packets waits until another acknowledgement lets two go together: `tcp_tso_should_defer`
    /// in Linux.
    private func waitsForPair(_ room: Int, at now: Int64) -> Bool {
        guard recovery == nil, unsent != 1, window.size > 3 else { return false }
        guard room > 1 || now - lastSent <= Self.soon, let sent = receiver.oldestSent else { return false }
        return sent + times.smoothed - now <= min(times.smoothed / 2, Self.soon)
    }

    /// The number of packets that the window allows to send, after so many have been acknowledged.
    func room(acknowledged: Int = 0) -> Int {
        var room = max(min(window.size, Self.largestWindow) - inFlight, 0)
        if let recovery {
            room = recovery.room(inFlight: inFlight, threshold: window.threshold, acknowledged: acknowledged)
        }
        if let unsent { room = min(room, unsent) }
        return room
    }

    /// The number of the next packet, which is sent now.
    mutating func send(at now: Int64) -> UInt64 {
        defer { next += 1 }
        if inFlight == 0 { timeout = now + times.timeout * backoff }
        inFlight += 1
        lastSent = now
        recovery?.noteSending(of: next)
        if let unsent { self.unsent = unsent - 1 }
        return next
    }

    private mutating func acknowledge(_ packet: Receiver.Acknowledgement, _ now: Int64) {
        precondition(inFlight >= packet.count, "more packets are acknowledged than were sent")
        inFlight -= packet.count
        let sample = now - packet.sent
        times.add(sample)
        backoff = 1
        recovery?.noteDelivery(of: packet.count, upTo: packet.number, except: dropped)
        if recovery?.isOver == true { endRecovery() }
        while let lost = dropped.first, lost + Self.laterPackets <= packet.number {
            dropped.removeFirst()
            inFlight -= 1
            if let unsent { self.unsent = unsent + 1 }
            if recovery == nil { reduce() }
            recovery?.noteLoss(of: lost)
        }
        if recovery == nil, packet.isMarked { reduce() }
        if recovery == nil {
            if window.isInSlowStart, slowStart.isOver(packet.number, next, sample, at: now, times, window.size) {
                window.endSlowStart()
            }
            window.acknowledge(packet.count, at: now, roundTrip: times.smallest)
        }
        timeout = inFlight == 0 ? .max : now + times.timeout
    }

    private mutating func endRecovery() {
        let losses = recovery?.laterLosses ?? 0
        recovery = nil
        if losses > 0 { reduce(missing: losses) }
    }

    private mutating func reduce(missing: Int = 0) {
        recovery = Recovery(end: next, window: window.size, missing: missing)
        window.reduce()
    }
}
