// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import LinkProfiles

/// Scenarios whose text is damaged: what is accepted can be written, read again, and is within the format's bounds.
@Suite struct FuzzedScenarioTests {
    private static let directory = PackageDirectory.scenarios.appending(path: "good")
    private static let sound = PackageDirectory.jsonNames(in: directory)
        .compactMap { try? Data(contentsOf: directory.appending(path: $0)) }.map(Array.init)

    @Test func acceptsOnlyWhatItCanWrite() throws {
        var inputs = FuzzedInputs(Self.sound, seed: 15)
        var accepted = 0
        for _ in 0..<FuzzedInputs.count {
            let text = inputs.next()
            let scenario: Scenario
            do throws(InvalidProfile) {
                scenario = try Scenario(utf8: text)
            } catch {
                if error.issues.isEmpty { Issue.record("\(text) is refused without a reason") }
                continue
            }
            accepted += 1
            let copy = try Scenario(utf8: scenario.json.text.utf8)
            let isSound =
                copy.json.line == scenario.json.line && (1...1000).contains(scenario.repeat)
                && Set(scenario.steps.map(\.label)).count == scenario.steps.count
                && scenario.steps.allSatisfy { Label.problem(with: $0.label) == nil }
            if !isSound { Issue.record("\(String(decoding: text, as: UTF8.self)) is taken for \(scenario.json.text)") }
        }
        #expect(accepted > FuzzedInputs.count / 100)
    }
}
