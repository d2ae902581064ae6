// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Queues of tc that a profile has, too: tc-fq_codel(8), tc-codel(8), tc-pie(8), tc-cake(8), tc-dualpi2(8).
extension ListedQdisc {
    /// The discipline of the kind's queue; nil for others.
    var discipline: QueueManagement.Discipline? {
        guard let discipline = QueueManagement.Discipline(rawValue: kind), discipline.marksPackets else { return nil }
        return discipline
    }

    /// The rate of cake's shaper; nil for other kinds, and for a cake without one.
    func shapedRate() throws(ImportError) -> BitRate? {
        guard kind == "cake", let field = self["bandwidth"].first, field.text != "unlimited" else { return nil }
        return try field.rate(units.rate)
    }

    /// Sets the queue of a link that has a rate.
    func readQueue(_ figures: inout Impairments, _ draft: inout ImportedDraft) throws(ImportError) {
        guard let discipline else { return }
        var management = QueueManagement(discipline)
        management.target = try time("target")
        management.interval = try time("interval")
        management.update = try time("tupdate")
        management.step = try time("step_thresh")
        management.quantum = try number("quantum", 64...65_536, &draft)
        management.flows = try number("flows", 8...65_536, &draft)
        if let trip = try time("rtt"), trip != QueueManagement.usualInterval {
            // cake_set_rate in sch_cake.c: the target is a twentieth of the round trip.
            (management.interval, management.target) = (trip, max(trip / 20, .nanoseconds(1)))
        }
        if let target = management.target, management.interval ?? QueueManagement.usualInterval < target {
            throw self["target"].first?.failure("is above the interval")
                ?? .invalid(location: location, reason: "the target is above the interval")
        }
        figures.queueManagement = discipline.without(management)
        if let limit = try self["limit"].first?.count(atMost: 10_000_000, of: "packets", ["": 1, "p": 1]), limit > 0 {
            figures.queue = .packets(UInt64(limit))
        }
        let marks = options.contains { $0.key == "ecn" || $0.key == "l4s_ect" } || discipline == .cake
        guard marks || discipline == .dualPI2 else { return }
        if figures.loss == nil {
            figures.ecn = true
        } else {
            draft.leaveOut("ecn of \(kind)", "in a profile it would mark what the loss model drops, too")
        }
    }

    /// A time of a queue. The kernel counts CoDel's times in units of 1024 ns, so that JSON has 4999 us for 5 ms.
    private func time(_ key: String) throws(ImportError) -> Duration? {
        guard let time = try self[key].first?.time(units.wait) else { return nil }
        return time.nanoseconds % 1_000_000 == 999_000 ? time + .microseconds(1) : time
    }

    private func number(
        _ key: String,
        _ range: ClosedRange<Int>,
        _ draft: inout ImportedDraft
    ) throws(ImportError) -> Int? {
        guard let field = self[key].first else { return nil }
        let number = try field.count(atMost: Int(Int32.max), of: key, ["": 1, "b": 1])
        guard range.contains(number) else {
            draft.leaveOut("the \(key) of \(kind)", "a profile's is from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }
}

extension QueueManagement {
    /// The interval of CoDel, and the round trip of cake, without one.
    fileprivate static let usualInterval = Duration.milliseconds(100)
}

extension QueueManagement.Discipline {
    fileprivate var marksPackets: Bool { QueueManagement(self).marks }

    /// The management without the parameters that the discipline does not have, or that are its defaults.
    fileprivate func without(_ management: QueueManagement) -> QueueManagement {
        var result = QueueManagement(self)
        func differing<Value: Equatable>(_ value: Value?, _ usual: Value) -> Value? { value == usual ? nil : value }
        switch self {
        case .dropTail, .dropHead: break
        case .codel, .fqCodel, .cake:
            result.target = differing(management.target, .milliseconds(5))
            result.interval = differing(management.interval, QueueManagement.usualInterval)
            guard self != .codel else { break }
            result.quantum = differing(management.quantum, Frame.fullSizeBytes)
            result.flows = differing(management.flows, 1024)
        case .pie:
            result.target = differing(management.target, .milliseconds(15))
            result.update = differing(management.update, .milliseconds(15))
        case .dualPI2:
            result.target = differing(management.target, .milliseconds(15))
            result.update = differing(management.update, .milliseconds(16))
            result.step = differing(management.step, .milliseconds(1))
        }
        return result
    }
}
