// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A qdisc in the output of tc, with its figures by the keywords of the text output.
struct ListedQdisc {
    /// The units of figures, which differ between tc's text and JSON output.
    struct Units {
        let time: KeyValuePairs<String, Double>
        let share: KeyValuePairs<String, Double>
        let rate: KeyValuePairs<String, Double>
        let size: KeyValuePairs<String, Double>
        /// The units of `lat`, the maximum time that packets wait in tbf.
        let wait: KeyValuePairs<String, Double>
    }

    let kind: String
    let device: String
    /// The handle, such as "10:", or empty.
    let handle: String
    /// The parent class, such as "1:2"; empty at the root.
    let parent: String
    let location: String
    let units: Units
    var options: [(key: String, values: [Field])] = []

    subscript(key: String) -> [Field] { options.first { $0.key == key }?.values ?? [] }

    /// Reads the figures of a netem qdisc; adds remarks on figures that a profile lacks.
    func netem(_ draft: inout ImportedDraft) throws(ImportError) -> Impairments {
        var figures = Impairments()
        func first(_ key: String) -> Field? { self[key].first }
        figures.rate = try first("rate")?.rate(units.rate)
        figures.delay = try first("delay")?.time(units.time)
        if let amount = try self["delay"].dropFirst().first?.time(units.time) {
            // With a rate, netem keeps packets in order.
            figures.jitter = Jitter(amount: amount, ordered: figures.rate != nil)
            draft.remark("tc does not print the distribution of the delay: it is taken for uniform")
        }
        figures.loss = try loss()
        figures.duplicate = try first("duplicate")?.share(units.share)
        figures.corrupt = try first("corrupt")?.share(units.share)
        if let probability = try first("reorder")?.share(units.share) {
            let gap = try first("gap")?.count(atMost: 1_000_000, of: "packets") ?? 1
            figures.reorder = Reorder(probability: probability, gap: max(gap, 1))
        }
        figures.overhead = try overhead()
        if options.contains(where: { $0.key == "ecn" }) { figures.ecn = true }
        if let limit = try first("limit")?.count(atMost: 10_000_000, of: "packets"), limit > 0 {
            if figures.rate != nil {
                figures.queue = .packets(UInt64(limit))
                draft.remark("the limit of netem counts packets in flight, too; the queue of a profile does not")
            } else if limit != 1000 {
                draft.leaveOut("the limit of \(limit) packets", "without a rate none wait")
            }
        }
        try remarkRest(&draft)
        return figures
    }

    private func loss() throws(ImportError) -> LossModel? {
        func shares(_ key: String) throws(ImportError) -> [Probability] {
            var shares: [Probability] = []
            for field in self[key] { shares.append(try field.share(units.share) ?? .zero) }
            return shares
        }
        let state = try shares("loss state")
        if state.count == 5 {
            return .fourState(FourState(p13: state[0], p31: state[1], p32: state[2], p23: state[3], p14: state[4]))
        }
        let chain = try shares("loss gemodel")
        if chain.count == 4 {
            return .gilbertElliott(GilbertElliott(p: chain[0], r: chain[1], lossInBad: chain[2], lossInGood: chain[3]))
        }
        guard state.isEmpty, chain.isEmpty else {
            throw .invalid(location: location, reason: "a loss model without all of its figures")
        }
        return try self["loss"].first?.share(units.share).map(LossModel.random)
    }

    private func overhead() throws(ImportError) -> Overhead? {
        let packet = self["packetoverhead"].first.map { Int($0.text) ?? .max } ?? 0
        guard (-1000...1000).contains(packet) else {
            throw self["packetoverhead"][0].failure("is not a whole number from -1000 to 1000")
        }
        let cell = try self["cellsize"].first?.count(atMost: 65535, of: "bytes") ?? 0
        let cellOverhead = try self["celloverhead"].first?.count(atMost: 1000, of: "bytes") ?? 0
        guard packet != 0 || cell > 0 else { return nil }
        return Overhead(packet: packet, cell: cell > 0 ? cell : nil, cellOverhead: cell > 0 ? cellOverhead : nil)
    }

    private func remarkRest(_ draft: inout ImportedDraft) throws(ImportError) {
        for (key, location) in [("delay", 2), ("loss", 1), ("duplicate", 1), ("reorder", 1), ("corrupt", 1)] {
            if self[key].count > location, try self[key][location].share(units.share) != nil {
                draft.leaveOut("the correlation of \(key)", "a profile has none")
            }
        }
        let known: Set = [
            "limit", "delay", "loss", "loss state", "loss gemodel", "duplicate", "reorder", "corrupt", "rate", "gap",
            "ecn",
            "packetoverhead", "cellsize", "celloverhead",
        ]
        for option in options where !known.contains(option.key) {
            draft.leaveOut(option.key, option.key == "seed" ? "it is that of one run" : "a profile has nothing like it")
        }
    }

    /// Reads the rate and the queue of a tbf qdisc; adds remarks on other figures.
    func tbf(_ draft: inout ImportedDraft) throws(ImportError) -> (rate: BitRate?, queue: QueueSize?) {
        let rate = try self["rate"].first?.rate(units.rate)
        let wait = try self["lat"].first?.time(units.wait)
        let bytes = try self["limit"].first?.size(units.size)
        for option in options where !["rate", "lat", "limit"].contains(option.key) {
            draft.leaveOut(
                "\(option.key) of tbf",
                option.key == "burst" ? "a link sends each frame in its own time" : "a profile has nothing like it"
            )
        }
        return (rate, wait.map(QueueSize.time) ?? bytes.map(QueueSize.bytes))
    }
}
