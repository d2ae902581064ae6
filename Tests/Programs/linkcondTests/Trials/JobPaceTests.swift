// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import Trials

/// How many runs of a matrix run at the same time.
struct JobPaceTests {
    /// Two processors, as they are read.
    private struct Machine {
        var times: ProcessorTimes? = ProcessorTimes(
            time: .seconds(9),
            idle: .seconds(5),
            busy: .seconds(4),
            waited: .seconds(1)
        )

        /// Goes on for a time with these shares of computing, and of waiting for a processor.
        mutating func run(_ length: Duration, busy: Double, waiting: Double?) {
            guard var next = times else { return }
            next.time += length
            next.busy += length * 2 * busy
            next.idle += length * 2 * (1 - busy)
            if let waiting { next.waited? += length * waiting } else { next.waited = nil }
            times = next
        }
    }

    private let pause = Duration.milliseconds(250)

    private func limits(_ looks: [(busy: Double, waiting: Double?)], running: Int? = nil) -> [Int] {
        var (pace, machine) = (JobPace(processors: 2), Machine())
        pace.update(running: pace.limit, machine.times)
        return [pace.limit]
            + looks.map { look in
                machine.run(pause, busy: look.busy, waiting: look.waiting)
                pace.update(running: running ?? pace.limit, machine.times)
                return pace.limit
            }
    }

    @Test func addsWhileProcessorsWaitAndNoMoreThanEightForEach() {
        let idle = [(busy: Double, waiting: Double?)](repeating: (0.1, 0.02), count: 10)
        #expect(limits(idle) == [2, 4, 6, 8, 10, 12, 14, 16, 16, 16, 16])
    }

    @Test func addsNoneWhereProcessesWaitOrProcessorsCompute() {
        #expect(limits([(0.1, 0.02), (0.1, 0.2), (0.7, 0.05), (0.1, 0.02)]) == [2, 4, 4, 4, 6])
    }

    @Test func replacesNoneWhereVerdictsWouldBeInDoubt() {
        let looks: [(busy: Double, waiting: Double?)] = [
            (0.1, 0), (0.1, 0), (0.9, 0.5), (0.9, 0.5), (1, 1), (1, 1), (1, 1),
        ]
        #expect(limits(looks) == [2, 4, 6, 5, 4, 3, 2, 2])
    }

    @Test func addsNoneBeforeAllThatMayRunDo() {
        #expect(limits([(0, 0), (0, 0)], running: 1) == [2, 2, 2])
    }

    @Test func decidesByIdleTimeAloneWherePressureIsUnknown() {
        #expect(limits([(0.1, nil), (0.9, nil), (0.9, nil)]) == [2, 4, 3, 2])
    }

    @Test func looksNoMoreOftenThanTrialsStart() {
        var (pace, machine) = (JobPace(processors: 2), Machine())
        for _ in 0..<10 {
            machine.run(.milliseconds(100), busy: 0, waiting: 0)
            pace.update(running: pace.limit, machine.times)
        }
        // The first look only notes where the processors are.
        #expect(pace.limit == 2 + 2 * 4)
    }

    @Test func keepsToAFixedNumberAndToWhatItKnows() {
        var (fixed, unknown) = (JobPace(fixed: 8), JobPace(processors: 3))
        var machine = Machine()
        for _ in 0..<10 {
            machine.run(.seconds(1), busy: 1, waiting: 1)
            fixed.update(running: 8, machine.times)
            unknown.update(running: 3, nil)
        }
        #expect(fixed.limit == 8 && unknown.limit == 3)
    }

    @Test func readsWhatThisMachineDoes() throws {
        let first = try #require(ProcessorTimes.now)
        #expect(first.busy > .zero && first.time > .zero)
        let end = BootClock.now + .milliseconds(300)
        while BootClock.now < end {}
        let second = try #require(ProcessorTimes.now)
        let busy = second.busy - first.busy
        #expect(busy >= .milliseconds(100), "\(busy)")
        #expect(second.idle >= first.idle && second.waited ?? .zero >= first.waited ?? .zero)
    }
}
