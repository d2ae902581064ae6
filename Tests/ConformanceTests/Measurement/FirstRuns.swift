// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Every link's first run on every engine: the links of a wave side by side, as waiting is most of what they do.
final class FirstRuns: Sendable {
    static let shared = FirstRuns()

    private let results = Mutex<[String: Result<Measurement, any Error>]>([:])

    /// What was measured, now or with another link of the wave.
    func measurement(of link: Link, on engine: Engine) throws -> Measurement {
        try results.withLock { results in
            func key(_ link: Link) -> String { "\(engine) \(link.name)" }
            if results[key(link)] == nil {
                let together = link.wave == .alone ? [link] : engine.links.filter { $0.wave == link.wave }
                let trials = together.map { each in Result { try Trial(each, engine, seed: 1) } }
                for (each, trial) in zip(together, trials) {
                    results[key(each)] = trial.flatMap { trial in Result { try trial.finish() } }
                }
            }
            guard let result = results[key(link)] else { throw Command.Failure(description: "\(link.name) is no link") }
            return try result.get()
        }
    }
}
