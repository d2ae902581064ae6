// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestKit

/// Every link's first run on every engine: the links of a wave side by side, as waiting is most of what they do.
final class FirstRuns: Sendable {
    static let shared = FirstRuns()

    private let results = Mutex<[String: Result<Measurement, any Error>]>([:])

    /// What was measured, now or with another link of the wave. One caller at a time.
    func measurement(of link: Link, on engine: Engine) async throws -> Measurement {
        func key(_ link: Link) -> String { "\(engine) \(link.name)" }
        if let result = results.withLock({ $0[key(link)] }) { return try result.get() }
        let together = link.wave == .alone ? [link] : engine.links.filter { $0.wave == link.wave }
        let trials = together.map { each in Result { try Trial(each, engine, seed: 1) } }
        for (each, trial) in zip(together, trials) {
            let result: Result<Measurement, any Error>
            do {
                result = .success(try await trial.get().finish())
            } catch {
                result = .failure(error)
            }
            results.withLock { $0[key(each)] = result }
        }
        guard let result = results.withLock({ $0[key(link)] }) else {
            throw TestFailure("\(link.name) is no link of \(engine)")
        }
        return try result.get()
    }
}
