// SPDX-License-Identifier: Apache-2.0

import Testing

/// Holds the page of the processes to the names that the sources give.
@Suite struct ProcessTests {
    @Test func describesEachProcessThatIsNamed() throws {
        let page = try #require(Document.all.first { $0.name == "processes" })
        let described = Set(page.text.matches(of: /\blc-[a-z]+\b/).map { String($0.0) })
        let sources = try Files.below("Sources", suffix: ".swift").map(Files.text)
        let named = Set(sources.flatMap { $0.matches(of: /"(lc-[a-z]+)\b/).map { String($0.1) } })
        #expect(named.count >= 10)
        #expect(described == named, "\(described.symmetricDifference(named).sorted())")
    }
}
