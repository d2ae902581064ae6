// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Probing

@Suite struct TargetCodingTests {
    @Test(arguments: TargetTextTests.forms.map(\.1))
    func isCodedAsItsText(target: Target) throws {
        let data = try JSONEncoder().encode([target])
        #expect(try JSONDecoder().decode([String].self, from: data) == [target.description])
        #expect(try JSONDecoder().decode([Target].self, from: data) == [target])
    }

    @Test func saysWhatIsWrongWithATextThatIsNone() throws {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Target].self, from: Data(#"["a.example:80"]"#.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("not told as corrupted: \(String(describing: error))")
            return
        }
        #expect(context.debugDescription.contains("tcp://a.example:80, for example"))
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Target].self, from: Data("[7]".utf8)) }
    }
}
