// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import Reports

struct PageScriptTests {
    /// A browser runs the script only if the page's policy names its hash.
    @Test
    func hasTheHashThatThePolicyNames() throws {
        let digest = try CommandResult(of: ["openssl", "dgst", "-sha256", "-binary"], input: PageScript.text)
        #expect(PageScript.hash == "sha256-" + Data(digest.bytes).base64EncodedString())
    }
}
