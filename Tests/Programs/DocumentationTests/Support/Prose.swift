// SPDX-License-Identifier: Apache-2.0

/// The sentences of a page in Markdown, to be counted: without code, tables, headings, comments and pictures.
struct Prose {
    /// The sentences in order; a code span is one word, `Prose.code`.
    private(set) var sentences: [String] = []
    /// The number of words, those of headings and tables among them.
    private(set) var wordCount = 0

    /// The word in place of a code span.
    static let code = "CODE"

    init(markdown: String) {
        var paragraph = ""
        var isCode = false
        let text = markdown.replacing(/<!--(?s:.)*?-->/, with: "") + "\n"
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.trimmingPrefix { $0 == " " }
            let isFence = text.hasPrefix("```")
            let item = text.prefixMatch(of: /(?:[-*+]|\d+[.)]) +/)
            // A paragraph ends where another block begins.
            if isFence || isCode || text.isEmpty || text.hasPrefix("#") || text.hasPrefix("|") || item != nil {
                add(paragraph: paragraph)
                paragraph = ""
            }
            if isFence {
                isCode.toggle()
            } else if isCode || text.hasPrefix("@") {
                continue
            } else if text.hasPrefix("#") || text.hasPrefix("|") {
                wordCount += Self.wordCount(Self.plain(text.replacing("|", with: " ")))
            } else {
                paragraph += " " + text.dropFirst(item?.output.count ?? 0)
            }
        }
    }

    /// The number of words of a sentence: what has a letter or a digit.
    static func wordCount(_ text: some StringProtocol) -> Int {
        text.split(separator: " ").count { $0.contains { $0.isLetter || $0.isNumber } }
    }

    /// The smallest number that at least `percent` of the numbers do not exceed.
    static func percentile(_ percent: Int, of numbers: [Int]) -> Int {
        let rank = (numbers.count * percent + 99) / 100
        return numbers.isEmpty ? 0 : numbers.sorted()[max(rank, 1) - 1]
    }

    /// The text that is read: without addresses of links, and with one word for code.
    private static func plain(_ text: some StringProtocol) -> String {
        String(text).replacing(/``.+?``|`[^`]+`/, with: code).replacing(/!\[[^\]]*\]\([^)]*\)/, with: "")
            .replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }.replacing(/<doc:[^>]*>/, with: code)
    }

    private mutating func add(paragraph: String) {
        let words = Self.plain(paragraph).split(separator: " ")
        var sentence: [Substring] = []
        for (index, word) in words.enumerated() {
            sentence.append(word)
            let next = index + 1 < words.count ? words[index + 1] : nil
            guard next == nil || Self.ends(with: word) && Self.begins(with: next ?? "") else { continue }
            let text = sentence.joined(separator: " ")
            let count = Self.wordCount(text)
            wordCount += count
            sentence = []
            // Items of a list without a full stop are no sentences, unless they are as long as one.
            if count > 0, Self.ends(with: word) || word.hasSuffix(":") || count > 8 { sentences.append(text) }
        }
    }

    private static func ends(with word: Substring) -> Bool {
        let end = String(word.reversed().drop { "\"'”)]*_".contains($0) }.reversed())
        let abbreviations = ["e.g.", "i.e.", "etc.", "cf.", "vs.", "approx.", "No."]
        return end.last.map { ".!?".contains($0) } == true && !abbreviations.contains { end.hasSuffix($0) }
    }

    private static func begins(with word: Substring) -> Bool {
        word.first { !"\"'“([*_".contains($0) }.map { $0.isUppercase || $0.isNumber } == true
    }
}
