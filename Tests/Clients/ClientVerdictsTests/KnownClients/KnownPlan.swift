// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit

@testable import ClientVerdicts

/// What happens in a run of which all is known: drawn from a seed.
struct KnownPlan {
    struct Step {
        var label = ""
        var at: Int64 = 0
        var profile = Profile(name: "link")
        /// Whether nothing passes at least one way.
        var isDead = false
    }

    struct Mark {
        var name: String
        var at: Int64
    }

    struct Query {
        var at: Int64
        var name: String
        var identifier: UInt8
        var port: UInt16
    }

    let seed: UInt64
    var length: Int64
    var hidden = KnownRun.Hidden.nothing
    /// What of the capture is left, in percent, where its end is hidden.
    var cut = 50
    var outcome = CommandEnd.exited(0)
    var services: [SimulatedService] = []
    var jobs: [KnownJob] = []
    var queries: [Query] = []
    var steps: [Step] = []
    var marks: [Mark] = []
    /// When the client lets go of all it has; nil if it does not.
    var cancelled: Int64?
    /// The time between two looks at the sockets, until the first, and from the end until the link stops.
    let sampling = Int64.ms(25)
    var phase: Int64
    var rest: Int64

    init(seed: UInt64) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        length = generator.time(1500...12_000)
        phase = generator.time(1...24)
        rest = generator.time(1...30)
        if generator.isOne(in: 5) { hidden = generator.pick(KnownRun.Hidden.allCases) }
        cut = Int.random(in: 20...99, using: &generator)
        outcome = generator.pick([.exited(0), .exited(0), .exited(3), .killed(9)])
        addServices(&generator)
        addSteps(&generator)
        addJobs(&generator)
        for number in 0..<generator.pick([0, 0, 1, 3]) {
            let query = Query(
                at: generator.time(0...1000),
                name: generator.pick(["a.test", "b.test"]),
                identifier: UInt8(number),
                port: 30_000 + UInt16(number)
            )
            queries.append(query)
            // The resolver asks again.
            guard generator.isOne(in: 2) else { continue }
            for _ in 0..<generator.pick([1, 2]) {
                var again = query
                again.at += generator.time(100...1000)
                queries.append(again)
            }
        }
        for name in ["begun", "cancelled"].prefix(generator.pick([0, 1, 2, 2])) {
            marks.append(Mark(name: name, at: generator.time(50...Int(length / 1_000_000) - 100)))
        }
        // A test sets the same mark for each of its cases.
        if generator.isOne(in: 8), let first = marks.first {
            marks.append(Mark(name: first.name, at: generator.time(50...Int(length / 1_000_000) - 100)))
        }
        guard generator.isOne(in: 2), let mark = marks.last else { return }
        cancelled = min(mark.at + generator.time(0...800), length - .ms(50))
    }

    private mutating func addServices(_ generator: inout SeededGenerator) {
        for number in 0..<generator.pick([1, 2, 3]) {
            var service = SimulatedService(host: UInt8(7 + number % 2), port: 80 + UInt16(number))
            service.manner = generator.pick([.serves, .serves, .serves, .serves, .refuses, .ignores])
            service.thinking = generator.pick([.ms(1), .ms(30), .ms(400), .ms(1500), nil])
            service.status = generator.pick([200, 200, 404, 503])
            service.bytes = generator.pick([0, 10, 900, 5000, 20_000])
            service.afterwards = generator.pick([.keeps, .keeps, .keeps, .finishes, .resets])
            service.isHTTP = !generator.isOne(in: 8)
            services.append(service)
        }
    }

    private static func impairments(_ generator: inout SeededGenerator) -> Impairments {
        var figures = Impairments()
        figures.delay = .milliseconds(generator.pick([1, 10, 40, 150]))
        if generator.isOne(in: 2) {
            let amount = Duration.milliseconds(generator.pick([1, 10, 60]))
            figures.jitter = Jitter(amount: amount, ordered: generator.isOne(in: 2))
        }
        if generator.isOne(in: 2) { figures.loss = .random(Probability(fraction: generator.pick([0.02, 0.1, 0.3]))) }
        if generator.isOne(in: 4) { figures.duplicate = Probability(fraction: 0.1) }
        if generator.isOne(in: 6) { figures.corrupt = Probability(fraction: 0.03) }
        if generator.isOne(in: 4) { figures.reorder = Reorder(probability: Probability(fraction: 0.1)) }
        if generator.isOne(in: 2) {
            figures.rate = BitRate(bitsPerSecond: generator.pick([64_000, 500_000, 10_000_000]))
        }
        return figures
    }

    private static func profile(_ generator: inout SeededGenerator) -> Profile {
        var profile = Profile(name: "link")
        (profile.uplink, profile.downlink) = (impairments(&generator), impairments(&generator))
        if generator.isOne(in: 4) { profile.dns = DNSImpairment(delay: .milliseconds(200)) }
        return profile
    }

    private mutating func addSteps(_ generator: inout SeededGenerator) {
        steps = [Step(profile: Self.profile(&generator))]
        guard !generator.isOne(in: 3) else { return }
        var dead = Step(
            label: "lift",
            at: generator.time(100...Int(length / 1_000_000) - 600),
            profile: steps[0].profile
        )
        dead.isDead = !generator.isOne(in: 4)
        if dead.isDead {
            dead.profile.downlink?.loss = .random(.one)
            if generator.isOne(in: 2) { dead.profile.uplink?.loss = .random(.one) }
        } else {
            dead.profile = Self.profile(&generator)
        }
        steps.append(dead)
        guard generator.isOne(in: 2) else { return }
        let left = Int((length - dead.at) / 1_000_000)
        steps.append(
            Step(label: "out", at: dead.at + generator.time(200...max(left - 200, 201)), profile: steps[0].profile)
        )
    }

    private mutating func addJobs(_ generator: inout SeededGenerator) {
        for _ in 0..<generator.pick([1, 1, 2, 3, 5]) {
            var job = KnownJob()
            job.service = Int.random(in: services.indices, using: &generator)
            job.process = generator.isOne(in: 6) ? 1 : 0
            job.begin = generator.time(1...Int(length / 2_000_000))
            job.method = generator.pick(["GET", "POST", "POST"])
            job.hasKey = generator.isOne(in: 3)
            job.bytes = generator.pick([0, 20, 1500, 6000])
            job.changesBody = job.bytes > 0 && generator.isOne(in: 3)
            job.requests = generator.pick([1, 1, 2, 4])
            job.connectLimit = generator.pick([.ms(300), .ms(1000), .ms(2500), nil])
            job.answerLimit = generator.pick([.ms(300), .ms(1000), .ms(2500), nil])
            job.retries = generator.pick([0, 1, 3, 8])
            (job.factor, job.jitter) = (generator.pick([1, 1, 2, 3]), generator.pick([0, 0, 0.1, 0.5]))
            let spread = (1 - job.jitter)...(1 + job.jitter)
            var wait = Double(generator.pick([100, 250, 600]))
            for _ in 0..<job.retries {
                job.waits.append(Int64(wait * Double.random(in: spread, using: &generator) * 1_000_000))
                wait *= job.factor
            }
            // One ends at the moment at which the next begins.
            if generator.isOne(in: 10) {
                job.waits = job.waits.map { _ in 0 }
                (job.factor, job.jitter) = (1, 0)
            }
            job.aborts = generator.isOne(in: 4)
            job.afterwards = generator.pick([.closes, .closes, .aborts, .keeps])
            job.idle = generator.pick([0, .ms(5), .ms(300), .ms(1500)])
            // Several at once.
            for _ in 0..<(generator.isOne(in: 5) ? 3 : 1) { jobs.append(job) }
        }
    }
}

extension SeededGenerator {
    /// A time of so many milliseconds and a part of one, in nanoseconds.
    mutating func time(_ range: ClosedRange<Int>) -> Int64 {
        .ms(Int.random(in: range, using: &self)) + Int64.random(in: 0..<1_000_000, using: &self)
    }
}
