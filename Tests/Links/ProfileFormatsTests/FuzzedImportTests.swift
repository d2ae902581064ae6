// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileFormats
import TestKit
import Testing

/// Texts of other tools that are damaged: what is accepted is a valid profile, and nothing crashes.
@Suite struct FuzzedImportTests {
    /// As many in all as other parsers are tried with.
    private static let count = FuzzedInputs.count / Samples.all.count

    @Test(arguments: Samples.all.indices)
    func acceptOnlyValidProfiles(index: Int) throws {
        let (format, text) = Samples.all[index]
        var inputs = FuzzedInputs([Array(text.utf8)], seed: UInt64(index) + 1)
        let names = ["3G", "LTE", "Cable", "Dial", "redis", "eth0"]
        var accepted = 0
        for number in 0..<Self.count {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            let name = format == .nlc || format == .webpagetest || number % 4 == 0 ? names[number % names.count] : nil
            do throws(ImportError) {
                let choice = number % 2 == 0 ? format : nil
                let imported = try ImportedProfile.read(text, format: choice, name: name, file: "/x.down")
                accepted += 1
                guard (try? Profile(utf8: imported.profile.json.line.utf8)) == imported.profile else {
                    Issue.record("\(text) is taken for \(imported.profile.json.text)")
                    continue
                }
            } catch {
                if error.description.isEmpty { Issue.record("\(text) is refused without a reason") }
            }
        }
        #expect(accepted > Self.count / 100, "\(format): \(accepted)")
    }
}
