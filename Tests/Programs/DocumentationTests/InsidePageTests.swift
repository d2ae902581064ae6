// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Holds the pages about the inside to the sources: what they name is there.
@Suite struct InsidePageTests {
    private static let pages = Document.all.filter { page in
        page.path.contains("/linkcond.docc/modules/")
            || ["architecture", "changing-the-code", "glossary", "processes"].contains(page.name)
    }

    /// The words of code between backquotes.
    private static func code(of page: Document) -> [String] {
        page.text.matches(of: /`([^`\n]+)`/).map { String($0.1) }
    }

    /// The types that the package declares, and the names of its folders.
    private static let names = Result {
        let keywords: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias", "associatedtype"]
        var names: Set<String> = ["Profiles"]
        for path in try Files.below("Sources", suffix: ".swift") + Files.below("Tests", suffix: ".swift") {
            names.formUnion(path.split(separator: "/").dropLast().map(String.init))
            for line in try Files.text(path).split(separator: "\n") {
                let words = line.split(separator: " ")
                for (keyword, word) in zip(words, words.dropFirst()) where keywords.contains(keyword) {
                    names.insert(String(word.prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
                }
            }
        }
        return names
    }

    @Test(arguments: pages)
    func namesTypesThatExist(page: Document) throws {
        let names = try Self.names.get()
        for code in Self.code(of: page) where code.first?.isUppercase == true && !code.contains("/") {
            // "Rule.Grounds" names two, "checked(_:_:)" none. Names of variables have no small letters.
            let words = code.prefix { $0 != "(" }.split { !$0.isLetter && !$0.isNumber }
            for word in words where word.first?.isUppercase == true && word.contains(where: \.isLowercase) {
                let isDeclared = names.contains(String(word))
                #expect(isDeclared, "nothing is called \(word)")
            }
        }
    }

    @Test(arguments: pages)
    func namesPathsThatExist(page: Document) throws {
        for code in Self.code(of: page) {
            guard let match = code.wholeMatch(of: /((?:Sources|Tests|Profiles|scripts)\/[\w.\/+-]+)(?: .*)?/) else {
                continue
            }
            let path = Package.directory.appending(path: String(match.1)).path(percentEncoded: false)
            #expect(FileManager.default.fileExists(atPath: path), "there is no \(match.1)")
        }
    }
}
