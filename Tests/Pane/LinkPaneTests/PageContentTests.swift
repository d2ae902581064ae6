// SPDX-License-Identifier: Apache-2.0

import PanePage
import Testing

/// What holds for the page as a whole, by the texts of its files.
@Suite struct PageContentTests {
    private let files = PageFile.all

    /// The words between this text and the next double quote.
    private func quoted(after start: String, in text: String) -> [String] {
        text.split(separator: start, omittingEmptySubsequences: false).dropFirst()
            .compactMap { $0.split(separator: "\"").first.map(String.init) }
    }

    @Test func containsEveryFileThatThePageNames() throws {
        let page = try #require(PageFile.named("index.html"))
        let modules = files.filter { $0.name.hasSuffix(".js") }
        let named =
            quoted(after: "href=\"", in: page.text) + quoted(after: "src=\"", in: page.text)
            + modules.flatMap { quoted(after: "from \"./", in: $0.text) }
            + ["on", "off", "suspended"].map { "icon-\($0).svg" }
        #expect(named.count > 10)
        for name in Set(named) { #expect(PageFile.named(name) != nil, "\(name)") }
    }

    /// The policy of the page's server allows neither; a browser would drop them without a word to the user.
    @Test func hasNoScriptOrStyleInsideOfItsMarkup() throws {
        let text = try #require(PageFile.named("index.html")).text
        for start in ["<style", " style=", " onclick=", " onload=", "javascript:"] { #expect(!text.contains(start)) }
        #expect(text.split(separator: "<script", omittingEmptySubsequences: false).count == 2)
        #expect(text.contains("<script type=\"module\" src=\"main.js\"></script>"))
    }

    /// Names of profiles, processes and hosts come from elsewhere: they may become text, never markup.
    @Test func makesNoMarkupOutOfTexts() {
        let ways = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "createContextualFragment",
            "setHTML", "eval(", "new Function",
        ]
        for file in files where file.name.hasSuffix(".js") {
            for way in ways { #expect(!file.text.contains(way), "\(file.name): \(way)") }
        }
    }

    @Test func asksNoOtherServer() {
        for file in files {
            // The names of SVG's elements have an address that nothing is loaded from.
            let text = file.text.replacing("http://www.w3.org/2000/svg", with: "")
            for start in ["src=\"http", "href=\"http", "url(", "fetch(\"http", "import(", "from \"http", "@import"] {
                #expect(!text.contains(start), "\(file.name): \(start)")
            }
        }
    }

    @Test func isSmallAndNamesItsLicence() {
        // JSON has no comments.
        let files = files.filter { !$0.name.hasSuffix(".json") }
        for file in files { #expect(file.text.contains("SPDX-License-Identifier: Apache-2.0"), "\(file.name)") }
        #expect(files.map(\.text.utf8.count).reduce(0, +) < 160_000)
    }
}
