// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import LinkProfiles

/// Profiles whose text is damaged: what is accepted can be written, read again, and is within the format's bounds.
@Suite struct FuzzedProfileTests {
    private static func texts(_ directory: URL) -> [[UInt8]] {
        PackageDirectory.jsonNames(in: directory)
            .compactMap { try? Data(contentsOf: directory.appending(path: $0)) }.map(Array.init)
    }

    /// The fixtures, which use every key of the format.
    private static let sound = texts(PackageDirectory.fixtures.appending(path: "good"))

    @Test(arguments: [1, 2] as [UInt64])
    func acceptsOnlyWhatItCanWrite(seed: UInt64) throws {
        var inputs = FuzzedInputs(Self.sound, seed: seed)
        var accepted = 0
        for _ in 0..<FuzzedInputs.count {
            let text = inputs.next()
            let profile: Profile
            do throws(InvalidProfile) {
                profile = try Profile(utf8: text)
            } catch {
                if error.issues.isEmpty { Issue.record("\(text) is refused without a reason") }
                continue
            }
            accepted += 1
            if try profile.rereadFromText() != profile || !Self.isWithinBounds(profile) {
                Issue.record("\(String(decoding: text, as: UTF8.self)) is taken for \(profile.json.text)")
            }
        }
        #expect(accepted > FuzzedInputs.count / 100)
    }

    private static func isWithinBounds(_ profile: Profile) -> Bool {
        let figures = [profile.downlink, profile.uplink].compactMap { $0 }
        return !profile.name.isEmpty && profile.name.utf8.count <= 1000
            && figures.allSatisfy { impairments in
                (0...1).contains(impairments.loss?.meanLoss ?? 0)
                    && (0...1).contains(impairments.corrupt?.fraction ?? 0)
                    && (impairments.delay ?? .zero) >= .zero
                    && (impairments.rate?.bitsPerSecond ?? 1) > 0
            }
    }
}
