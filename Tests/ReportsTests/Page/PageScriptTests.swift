// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Reports

struct PageScriptTests {
    /// A browser runs the script only if the page's policy names its hash.
    @Test
    func hasTheHashThatThePolicyNames() throws {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = ["dgst", "-sha256", "-binary"]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(PageScript.text.utf8))
        try input.fileHandleForWriting.close()
        let digest = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(PageScript.hash == "sha256-" + digest.base64EncodedString())
    }
}
