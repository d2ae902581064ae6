// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension LinkEstimate {
    /// Sentences about what a client will see, without full stops; the most important first.
    var sentences: [String] {
        guard answered > 0 else { return [nothing] }
        return [pingWords, pageWords, connectionWords, queueWords, queryWords].compactMap { $0 }
    }

    private var nothing: String {
        let lost =
            downlink.loss >= 1 && uplink.loss >= 1
            ? "in both directions" : downlink.loss >= 1 ? "towards this host" : "away from this host"
        return "nothing arrives: every packet \(lost) is lost"
    }

    private var pingWords: String {
        // Lost pings to the next tenth of a percent.
        let lost = Probability(fraction: ((1 - answered) * 1000).rounded() / 1000)
        let name = "a ping of \(Self.pingBytes) bytes"
        guard ping > 0 || pingRange != nil else {
            return lost > .zero ? "\(lost) of pings get no answer" : "pings take no longer than without conditions"
        }
        let time = pingRange.map { "\(Self.words($0.shortest)) to \(Self.words($0.longest))" } ?? Self.words(ping)
        return "\(name) takes \(time)" + (lost > .zero ? ", and \(lost) get no answer" : "")
    }

    private var pageWords: String? {
        let time = page
        // Below this, the machines take longer than the link.
        guard time >= 0.001 else { return nil }
        return time < 3600
            ? "a 1 MB page takes about \(Self.words(time))" : "a 1 MB page takes hours: it practically never arrives"
    }

    private var connectionWords: String? {
        guard let reached = connectionRate else { return nil }
        guard let rate = downlink.rate else { return "one connection gets at most \(BitRate(rounding: reached))" }
        guard reached < 0.9 * rate else { return "one connection fills the link (\(BitRate(rounding: rate)))" }
        let share = "one connection gets about \(BitRate(rounding: reached)) of \(BitRate(rounding: rate))"
        let packets = Int((fillingPackets ?? 0).rounded(.up))
        return downlink.loss < Self.timeoutLoss
            ? "\(share): losses keep its window below the \(counted(packets, "packet")) that the link holds"
            : "\(share): it mostly waits to send lost packets again"
    }

    private var queueWords: String? {
        guard let inFlight, let pingBehindQueue else { return nil }
        return "\(ByteCount(rounding: inFlight)) are in flight when the downlink is full, "
            + "and a ping takes \(Self.words(pingBehindQueue)) then"
    }

    private var queryWords: String? {
        queryDelay > 0 ? "a DNS query takes \(Self.words(query)), \(Self.words(queryDelay)) more than a ping" : nil
    }

    private static func words(_ seconds: Double) -> String { Duration.seconds(seconds).words }
}

extension Profile {
    /// What a client will see, as sentences without full stops.
    func feels(_ recordings: Recordings) -> [String] {
        var sentences = LinkEstimate(self, recordings).sentences
        if self != mean(recordings) { sentences.append("figures that change with time count with their mean") }
        if [downlink, uplink].contains(where: { $0?.competing != nil }) {
            sentences.append("these figures do not count competing traffic; the drawing does")
        }
        sentences += faults.enumerated().map { "fault \($0 + 1): \($1.words)" }
        return sentences + networkWords
    }
}
