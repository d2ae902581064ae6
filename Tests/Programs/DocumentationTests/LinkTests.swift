// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Follows the links of the pages as a viewer of Markdown does. scripts/docs follows them as DocC does.
@Suite struct LinkTests {
    @Test(arguments: [("The other end's link", "the-other-ends-link"), ("`run -i`: NAT, IPv6", "run--i-nat-ipv6")])
    func namesPartsAsForgesDo(heading: String, name: String) {
        #expect(Document.partName(heading) == name)
    }

    @Test(arguments: Document.all)
    func leadToFilesAndPartsThatExist(page: Document) throws {
        for link in page.links where link.prefixMatch(of: /[a-z]+:/) == nil {
            let words = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let folder = Package.directory.appending(path: page.path).deletingLastPathComponent()
            let file = words[0].isEmpty ? "\(page.name).md" : words[0]
            let path = folder.appending(path: file).standardizedFileURL.path(percentEncoded: false)
            #expect(FileManager.default.fileExists(atPath: path), "\(page.path): \(link)")
            guard words.count > 1, let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
            let parts = Document(path: path, text: text).headings.map(Document.partName)
            #expect(parts.contains(words[1]), "\(page.path): \(link)")
        }
    }

    /// Viewers of Markdown do not follow DocC's own links. Pages of modules link to symbols' pages.
    @Test(arguments: Document.guide)
    func areNoneOfDocC(page: Document) {
        #expect(!page.text.contains("<doc:") && !page.text.contains("](doc:"), "\(page.path)")
    }

    @Test func leadToEachPageFromTheIndexOnce() throws {
        let index = try #require(Document.guide.first { $0.name == "linkcond" })
        let topics = try #require(index.text.split(separator: "\n## Topics\n").last)
        let listed = topics.matches(of: /(?m)^- \[[^\]]+\]\(([\w-]+)\.md\)$/).map { String($0.1) }
        #expect(listed.sorted() == Document.guide.map(\.name).filter { $0 != "linkcond" }.sorted())
    }
}
