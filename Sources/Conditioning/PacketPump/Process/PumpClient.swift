// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinkProfiles
package import LinkRules
package import LinuxSystem

/// The conditions and the counters of a pump.
package struct PumpReport: Sendable {
    package var profile: Profile
    /// The number of packets from the client's TAP device that the pump holds.
    package var held: UInt64
    package var counters: CounterPage.Reading
}

/// The memory of a pump that other processes read: it stays the same as long as the pump and its account run.
package struct PumpFlows: Sendable {
    /// The conditions in use.
    package var profile: Profile?
    package var counters: CounterPage
    package var flows: FlowPage
}

/// Sends requests to the pumps of the current network namespace.
package struct PumpClient: PumpControl {
    private let entrance: PumpEntrance

    package init(_ entrance: PumpEntrance) { self.entrance = entrance }

    package func use(_ conditions: RecordedProfile, tap: String) throws(PumpFailure) {
        try ask(tap, .use(conditions)) { _, _ in () }
    }

    package func revert(tap: String) throws(PumpFailure) { try ask(tap, .revert) { _, _ in () } }

    /// The conditions and the counters of the pump that serves `tap`.
    package func report(tap: String) throws(PumpFailure) -> PumpReport {
        try ask(tap, .report) { channel, answer in
            guard let profile = answer.profile, let held = answer.held,
                let descriptor = channel.receiveDescriptor()
            else { return nil }
            defer { close(descriptor) }
            guard let page = CounterPage(descriptor: descriptor) else { return nil }
            return PumpReport(profile: profile, held: held, counters: page.read())
        }
    }

    /// The counters of the pump that serves `tap`, which the caller may read as often as it wants.
    package func counters(tap: String) throws(PumpFailure) -> CounterPage {
        try ask(tap, .report) { channel, _ in
            guard let descriptor = channel.receiveDescriptor() else { return nil }
            defer { close(descriptor) }
            return CounterPage(descriptor: descriptor)
        }
    }

    /// The counters of the pump that serves `tap`, and the account of its flows, which runs for ten seconds after each
    /// call. The caller may read both as often as it wants.
    package func flows(tap: String) throws(PumpFailure) -> PumpFlows {
        try ask(tap, .flows) { channel, answer in
            let descriptors = (0..<2).map { _ in channel.receiveDescriptor() }
            defer { for descriptor in descriptors { descriptor.map { _ = close($0) } } }
            guard let first = descriptors[0], let second = descriptors[1],
                let counters = CounterPage(descriptor: first), let flows = FlowPage(descriptor: second)
            else { return nil }
            return PumpFlows(profile: answer.profile, counters: counters, flows: flows)
        }
    }

    package func watchdog(tap: String) throws(PumpFailure) -> Int32 {
        try ask(tap, .watchdog) { channel, _ in channel.receiveDescriptor() }
    }

    /// Whether the pump that serves `tap` has been stopped or frozen: it leaves as many requests in a row without a
    /// response as its guardian allows.
    package func isStopped(tap: String) -> Bool {
        !(0..<PumpHeartbeat.silenceLimit).contains { _ in answers(tap: tap) }
    }

    /// Whether the pump that serves `tap` answers, or has ended.
    package func answers(tap: String) -> Bool {
        do {
            _ = try report(tap: tap)
            return true
        } catch {
            return error != .silent
        }
    }

    package func drain(tap: String, until deadline: Duration, _ pace: Pace) -> Int? {
        var nap = Duration.milliseconds(1)
        var before: PumpReport?
        var silences = 0
        while true {
            // Checked before the report: on a busy machine, the deadline may pass between two reports.
            let isLast = pace.now() >= deadline
            let report: PumpReport
            do {
                report = try self.report(tap: tap)
            } catch {
                // A pump that has ended holds nothing. One that was stopped or frozen is not waited for.
                guard error != .gone else { return 0 }
                silences += 1
                guard error == .silent, silences < PumpHeartbeat.silenceLimit, !isLast else { return nil }
                pace.sleep(nap)
                continue
            }
            // Two reports: the pump has then read the packets that were on their way when the filter was deleted.
            if report.held == 0, before?.held == 0 { return 0 }
            guard !isLast else { return Int(clamping: report.held) }
            before = report
            silences = 0
            pace.sleep(nap)
            if report.held > 0 { nap = min(nap * 2, .milliseconds(20)) }
        }
    }

    /// The bytes of a message above which the pump may need longer to read it.
    private static let longText = 1 << 20

    /// - Parameter body: reads the messages that follow the answer; nil if they are missing.
    private func ask<Value>(
        _ tap: String,
        _ task: ClientRequest.Task,
        _ body: (MessageChannel, PumpAnswer) -> Value?
    ) throws(PumpFailure) -> Value {
        // Encoded before connecting, since the other end waits and recordings are long.
        let text = Array(ClientRequest(tap: tap, task: task).json.text.utf8)
        let channel = try entrance.connect(to: tap)
        defer { channel.close() }
        if text.count > Self.longText { channel.limitWaits(seconds: 10) }
        channel.send(message: text)
        guard let answer = channel.receive().flatMap({ PumpAnswer(json: $0) }) else {
            guard channel.isAbandoned else { throw .silent }
            throw .refused("the process that carries the conditions has ended, or does not answer this user")
        }
        if let refusal = answer.refusal { throw .refused(refusal) }
        guard let value = body(channel, answer) else { throw .silent }
        return value
    }
}
