// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Reports

@Suite struct ShellWordTests {
    @Test(arguments: ["plain", "", "two words", "it's", "a\nb", "\t'\\\r", "\u{1}2", "\u{7F}", "$HOME `x` é"])
    func isReadByBashAsItWas(_ word: String) throws {
        let result = try CommandResult(of: ["bash", "-c", "printf %s \(word.shellWord)"], limit: 60)
        try result.requireSuccess()
        #expect(result.output == word)
    }

    @Test func fitsIntoOneLine() {
        #expect(
            ["python3", "-c", "import time\ntime.sleep(2)"].shellLine == "python3 -c $'import time\\ntime.sleep(2)'"
        )
    }
}
