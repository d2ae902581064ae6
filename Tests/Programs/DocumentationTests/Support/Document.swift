// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// A page of the documentation: README.md, or an article of a DocC catalog.
struct Document: Sendable, CustomTestStringConvertible {
    /// A fenced block.
    struct Block {
        /// The word after the fence, such as "swift".
        var language: String
        /// The text between the fences.
        var text: String
        /// What a comment in the line before says of it: `<!-- sample: NAME -->` gives ("sample", "NAME").
        var mark: (kind: String, name: String)?
    }

    /// The path from the package's directory.
    let path: String
    let text: String

    var testDescription: String { path }

    /// The name of the file, without ".md".
    var name: String { String(path.split(separator: "/").last?.dropLast(3) ?? "") }

    init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Package.directory.appending(path: path), encoding: .utf8)
    }

    /// All pages.
    static let all: [Document] = {
        do {
            return try (["README.md"] + Files.below("Sources", suffix: ".md")).map(Document.init)
        } catch {
            // The tests of pages have no argument then, and the one that counts them fails.
            return []
        }
    }()

    /// The pages of the guide, without those of the modules.
    static let guide = all.filter { $0.path.contains("/linkcond.docc/") && !$0.path.contains("/modules/") }

    /// The text without fenced blocks.
    private var textWithoutBlocks: String { text.replacing(/(?m)^```(?s:.)*?^```$/, with: "") }

    /// The addresses of its links and pictures.
    var links: [String] { textWithoutBlocks.matches(of: /\]\(([^()\s]+)\)/).map { String($0.1) } }

    var headings: [String] { textWithoutBlocks.matches(of: /(?m)^#+ (.*)$/).map { String($0.1) } }

    /// The name of a heading's part in a link, as forges make it.
    static func partName(_ heading: String) -> String {
        let words = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }
        return words.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
            .replacing(" ", with: "-")
    }

    var blocks: [Block] {
        var blocks: [Block] = []
        var open: Block?
        var before = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if var block = open {
                if line == "```" {
                    blocks.append(block)
                    open = nil
                } else {
                    block.text += line + "\n"
                    open = block
                }
            } else if line.hasPrefix("```") {
                open = Block(language: String(line.dropFirst(3)), text: "", mark: Self.mark(before))
            }
            before = String(line)
        }
        return blocks
    }

    private static func mark(_ line: String) -> (kind: String, name: String)? {
        guard let match = line.wholeMatch(of: /<!-- (\w+): ([\w.\/-]+) -->/) else { return nil }
        return (String(match.1), String(match.2))
    }

    /// The commands that the page shows: lines of shell blocks, and code between backquotes.
    var commands: [String] {
        let shells = blocks.filter { ["console", "sh"].contains($0.language) }
        let prompts = shells.flatMap { block in
            block.text.split(separator: "\n")
                .filter { block.language == "sh" || $0.hasPrefix("$ ") }
                .map { $0.hasPrefix("$ ") ? String($0.dropFirst(2)) : String($0) }
        }
        let inline = text.matches(of: /`([^`\n]+)`/).map { String($0.1) }
        return prompts + inline
    }
}

/// Files of the package.
enum Files {
    /// The paths of the files below a folder, from the package's directory, in order.
    static func below(_ folder: String, suffix: String) throws -> [String] {
        let path = Package.directory.appending(path: folder).path(percentEncoded: false)
        return try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }.sorted()
            .map { "\(folder)/\($0)" }
    }

    /// The contents of a file.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: Package.directory.appending(path: path), encoding: .utf8)
    }
}
