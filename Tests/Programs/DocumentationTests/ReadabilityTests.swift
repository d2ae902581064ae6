// SPDX-License-Identifier: Apache-2.0

import Testing

/// Keeps the guide readable: short sentences, the subject first, one job a page.
@Suite struct ReadabilityTests {
    /// A page of the guide, read once.
    struct Page: Sendable, CustomTestStringConvertible {
        let name: String
        let prose: Prose

        var testDescription: String { name }
    }

    private static let pages = Document.guide.map { Page(name: $0.name, prose: Prose(markdown: $0.text)) }
    private static let sentences = pages.flatMap(\.prose.sentences)

    /// Reference pages, which are looked up and not read.
    private static let long: Set<String> = ["capture-reference", "performance", "processes", "verdicts"]

    private static func expectShort(_ sentences: [String], _ name: String) {
        let counts = sentences.map(Prose.wordCount)
        let (median, most) = (Prose.percentile(50, of: counts), Prose.percentile(90, of: counts))
        #expect(median <= 14 && most <= 26, "\(name): words a sentence: median \(median), 90 % at most \(most)")
    }

    @Test(arguments: pages)
    func hasShortSentences(page: Page) {
        Self.expectShort(page.prose.sentences, page.name)
    }

    @Test func hasShortSentencesAsAWhole() {
        #expect(Self.sentences.count > 500)
        Self.expectShort(Self.sentences, "the guide")
    }

    /// "What a client sends is ..." is read twice.
    @Test func beginsSentencesWithTheirSubject() {
        let late = Self.sentences.filter {
            $0.starts(with: /["'(*_]*(?:What|That|Those|Whether)\b/) && !$0.hasSuffix("?")
        }
        #expect(late.count <= 10, "\(late.joined(separator: "\n"))")
    }

    @Test(arguments: pages)
    func hasOneJobAPage(page: Page) {
        let count = page.prose.wordCount
        #expect(count <= 1200 || Self.long.contains(page.name), "\(page.name) has \(count) words")
    }

    @Test func permitsOnlyPagesThatAreLong() {
        #expect(Self.long.isSubset(of: Self.pages.filter { $0.prose.wordCount > 1200 }.map(\.name)))
    }
}
