// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump

/// Talks to the pump behind a TAP device of the network that the process is in, whoever started it.
struct PumpClient {
    private let tap: String

    /// Talks to the pump that made the TAP device `tap`.
    init(_ tap: String) {
        self.tap = tap
    }

    /// Has it use other conditions from now on. What it holds leaves as it was promised.
    func use(_ profile: Profile) throws(PumpFailure) {
        _ = try ask(.use(profile)) { $1 }
    }

    /// Has it use those that it had before.
    func revert() throws(PumpFailure) {
        _ = try ask(.revert) { $1 }
    }

    /// What it carries and what it has counted.
    func report() throws(PumpFailure) -> PumpReport {
        let report = try ask(.report) { channel, answer -> PumpReport? in
            guard let profile = answer.profile, let held = answer.held,
                let descriptor = channel.receiveDescriptor()
            else { return nil }
            defer { close(descriptor) }
            guard let page = CounterPage(descriptor: descriptor) else { return nil }
            return PumpReport(profile: profile, held: held, counters: page.read())
        }
        guard let report else { throw .silent }
        return report
    }

    /// Waits until it holds no packet that came to this device; gives how many at the deadline, and nil where it does not
    /// tell. One that is gone holds none.
    func awaitEmpty(until deadline: Duration, _ pace: Pace) -> Int? {
        var nap = Duration.milliseconds(1)
        var before: PumpReport?
        while true {
            let report: PumpReport
            do {
                report = try self.report()
            } catch {
                guard error == .silent else { return 0 }
                guard pace.now() < deadline else { return nil }
                pace.sleep(nap)
                continue
            }
            // Twice: what was on its way to the device when its filter went has been read by then.
            if report.held == 0, before?.held == 0 { return 0 }
            guard pace.now() < deadline else { return Int(clamping: report.held) }
            before = report
            pace.sleep(nap)
            if report.held > 0 { nap = min(nap * 2, .milliseconds(20)) }
        }
    }

    private func ask<Value>(
        _ request: PumpRequest,
        _ body: (PumpChannel, PumpAnswer) -> Value
    ) throws(PumpFailure) -> Value {
        guard let channel = PumpChannel.connect(to: tap) else { throw .gone }
        defer { channel.close() }
        channel.send(request.json)
        guard let answer = channel.receive().flatMap({ PumpAnswer(json: $0) }) else { throw .silent }
        if let refusal = answer.refusal { throw .refused(refusal) }
        return body(channel, answer)
    }
}
