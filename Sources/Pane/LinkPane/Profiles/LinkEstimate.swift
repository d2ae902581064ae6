// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles
internal import LinkVerification

/// The times that a client sees on a link, computed from the profile's figures without a simulation.
///
/// The model is coarse on purpose, so that a person can repeat it with a pencil. All times are in seconds.
struct LinkEstimate {
    let downlink: LaneEstimate
    let uplink: LaneEstimate
    private let dnsDelay: Double
    /// The rate in bits per second that loss leaves to one connection towards the host; nil if loss does not limit it.
    let lossLimit: Double?

    /// The bytes of the page in the estimate.
    static let pageBytes = 1_000_000.0
    /// The frame of `ping` without options: 56 bytes of data, the headers of ICMP, IPv4 and Ethernet.
    static let pingBytes = 98
    /// The data bytes of a full segment (RFC 7323's time stamp takes 12), and the first window (RFC 6928).
    static let (segmentBytes, firstWindow) = (1448.0, 10.0)
    /// The share of losses from which a connection mostly waits for its timers.
    static let timeoutLoss = 0.1

    init(_ profile: Profile, _ recordings: Recordings = [:]) {
        let mean = profile.mean(recordings)
        downlink = LaneEstimate(mean.downlink ?? Impairments())
        uplink = LaneEstimate(mean.uplink ?? Impairments())
        dnsDelay = (mean.dns?.delay ?? .zero) / .seconds(1)
        lossLimit = Self.lossLimit(mean, downlink, roundTrip: downlink.time(98) + uplink.time(98))
    }

    /// The time of a ping: the delay of both directions, and its two frames on the wire.
    var ping: Double { downlink.time(Self.pingBytes) + uplink.time(Self.pingBytes) }

    /// The shortest and the longest time of a ping if the delay varies, else nil. For distributions with tails, the
    /// times that 5 % and 95 % of the pings take at most.
    var pingRange: (shortest: Double, longest: Double)? {
        guard let range = LaneEstimate.range(downlink, uplink) else { return nil }
        let onWire = downlink.onWire(Self.pingBytes) + uplink.onWire(Self.pingBytes)
        return (range.shortest + onWire, range.longest + onWire)
    }

    /// The share of pings that get an answer.
    var answered: Double { (1 - downlink.loss) * (1 - uplink.loss) }

    /// The time of a DNS query and its answer, each counted like a ping.
    var query: Double { ping + dnsDelay }
    /// The part of `query` that the profile adds to queries only.
    var queryDelay: Double { dnsDelay }

    /// The time of a page of 1 MB over a new TCP connection; infinite if nothing arrives.
    ///
    /// Two round trips of a ping pass until the first byte: the handshake, and the request with the start of its
    /// answer. Then the window doubles with each round trip, from ten segments on, until its segments fill a round
    /// trip. The rest arrives at the rate, or at the rate that loss leaves to one connection if that is less. Segments
    /// that wait for a lost SYN are left out.
    var page: Double {
        guard answered > 0 else { return .infinity }
        var time = 2 * ping
        var (left, window) = ((Self.pageBytes / Self.segmentBytes).rounded(.up), Self.firstWindow)
        let segment = max(
            downlink.onWire(Frame.fullSizeBytes),
            lossLimit.map { Self.segmentBytes * 8 / $0 } ?? 0
        )
        while window < left, window * segment < ping {
            time += ping
            left -= window
            window *= 2
        }
        return time + left * segment
    }

    /// The rate of one connection in the long run, on the wire; nil if neither rate nor loss limits it.
    var connectionRate: Double? {
        let lossy = lossLimit.map { $0 * Double(Frame.fullSizeBytes) / Self.segmentBytes }
        guard let rate = downlink.rate else { return lossy }
        return min(rate, lossy ?? .infinity)
    }

    /// The full frames that are on their way at once while the downlink is full and its queue is empty.
    var fillingPackets: Double? { downlink.rate.map { $0 * ping / 8 / Double(Frame.fullSizeBytes) } }

    /// The bytes towards the host that are in flight while the downlink's queue is full: the queue, and what the delay
    /// holds.
    var inFlight: Double? {
        guard let rate = downlink.rate, let queue = downlink.queueBytes else { return nil }
        return queue + rate / 8 * downlink.delay
    }

    /// The time of a ping while the downlink's queue is full.
    var pingBehindQueue: Double? {
        guard let rate = downlink.rate, let queue = downlink.queueBytes else { return nil }
        return ping + queue * 8 / rate
    }

    /// The goodput that loss leaves to one connection: up to 10 % loss CUBIC's response and Mathis' limit (RFC 9438,
    /// 5.1), above that the model of Padhye, Firoiu, Towsley and Kurose (1998), in which timeouts take most of the time.
    private static func lossLimit(_ mean: Profile, _ downlink: LaneEstimate, roundTrip: Double) -> Double? {
        let loss = downlink.loss
        guard loss > 0, loss < 1 else { return nil }
        guard loss >= timeoutLoss else {
            var profile = mean
            // Lost acknowledgements cost little, since the next one acknowledges their segments, too.
            profile.uplink?.loss = nil
            // Without its rate, the model's only limit is loss.
            profile.downlink?.rate = nil
            return TransferModel(profile, .downlink, isIPv6: false).expectedRate
        }
        // The kernel's retransmission timeout is at least 200 ms above the round trip.
        let timeout = roundTrip + 0.2
        let waiting = timeout * min(1, 3 * (3 * loss / 8).squareRoot()) * loss * (1 + 32 * loss * loss)
        return segmentBytes * 8 / (roundTrip * (2 * loss / 3).squareRoot() + waiting)
    }
}
