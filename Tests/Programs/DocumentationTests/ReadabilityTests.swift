// SPDX-License-Identifier: Apache-2.0

import Testing

/// Keeps the guide readable: short sentences, the subject first, one job a page.
@Suite struct ReadabilityTests {
    private static let pages = Document.guide

    /// Reference pages, which are looked up and not read.
    private static let long: Set<String> = ["capture-reference", "performance", "processes", "verdicts"]

    private static func expectShort(_ counts: [Int], _ name: String) {
        let (median, most) = (Prose.percentile(50, of: counts), Prose.percentile(90, of: counts))
        #expect(median <= 14 && most <= 26, "\(name): words a sentence: median \(median), 90 % at most \(most)")
    }

    @Test(arguments: pages)
    func hasShortSentences(page: Document) {
        Self.expectShort(Prose(markdown: page.text).sentences.map(Prose.wordCount), page.path)
    }

    @Test func hasShortSentencesAsAWhole() {
        let sentences = Self.pages.flatMap { Prose(markdown: $0.text).sentences }
        #expect(sentences.count > 500)
        Self.expectShort(sentences.map(Prose.wordCount), "the guide")
    }

    /// "What a client sends is ..." is read twice.
    @Test func beginsSentencesWithTheirSubject() {
        let sentences = Self.pages.flatMap { Prose(markdown: $0.text).sentences }
        let late = sentences.filter { $0.starts(with: /["'(*_]*(?:What|That|Those|Whether)\b/) && !$0.hasSuffix("?") }
        #expect(late.count <= 10, "\(late.joined(separator: "\n"))")
    }

    @Test(arguments: pages)
    func hasOneJobAPage(page: Document) {
        let count = Prose(markdown: page.text).wordCount
        #expect(count <= 1200 || Self.long.contains(page.name), "\(page.path) has \(count) words")
    }

    @Test func permitsOnlyPagesThatAreLong() {
        let long = Self.pages.filter { Prose(markdown: $0.text).wordCount > 1200 }.map(\.name)
        #expect(Self.long.isSubset(of: long))
    }
}
