// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import LinuxSystem
import ProfileFormats
import Reports

extension Linkcond {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            "import",
            abstract: "Print another tool's link as a profile.",
            discussion: """
                What the text says and a profile cannot, or the other way round, is told on standard error.

                Formats: nlc (property list of Apple's Network Link Conditioner), tcconfig (tcshow), atc (Augmented Traffic \
                Control), webpagetest (connectivity.ini), comcast (command line), throttle (command line or JSON), devtools \
                (DevTools, Puppeteer, Lighthouse), toxiproxy (toxics), tc (\"tc qdisc show\", with or without -j), mahimahi \
                (trace).
                """
        )

        @Argument(help: "The file; \"-\" is standard input.")
        var file: String

        @Option(
            name: .customLong("from"),
            help: "The format, where the text itself does not tell.",
            transform: Import.format
        )
        var format: ImportFormat?

        @Option(name: .long, help: "Which of several links; or the profile's name, where the text has none.")
        var name: String?

        func run() throws {
            let (text, path) = try read()
            let origin = path == nil ? "standard input" : file
            var imported: ImportedProfile
            do throws(ImportError) {
                imported = try ImportedProfile.read(text, format: format, name: name, file: path)
            } catch {
                throw Failure(error, of: origin)
            }
            let words = path?.split(separator: "/").last.map(String.init) ?? origin
            imported.profile.source = "\(words), in the format of \(imported.format.rawValue)"
            Console.data(imported.profile.json)
            for remark in imported.remarks { Console.notes("note: \(remark)") }
        }

        private static let formats = ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")

        private static func format(_ word: String) throws -> ImportFormat {
            guard let format = ImportFormat(rawValue: word) else {
                throw ValidationError("'\(word)' is none of the formats \(formats)")
            }
            return format
        }

        /// The text, and the absolute path of the file.
        private func read() throws -> (text: String, path: String?) {
            // As large as the largest recording that a profile may name.
            let limit = 64 << 20
            let bytes =
                file == "-"
                ? try SmallFile.read(STDIN_FILENO, named: "standard input", limit: limit)
                : try SmallFile.read(file, followsLinks: true, limit: limit)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Failure(.badProfile, "\(file): the text is not UTF-8")
            }
            guard file != "-" else { return (text, nil) }
            let real = realpath(file, nil)
            defer { free(real) }
            return (text, real.map { String(cString: $0) } ?? file)
        }
    }
}

extension Failure {
    fileprivate init(_ error: ImportError, of file: String) {
        switch error {
        case .unknownFormat:
            let formats = ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            self.init(.usage, "\(file): \(error)", remedy: "--from FORMAT, one of \(formats)")
        case .isProfile: self.init(.usage, "\(file): \(error)", remedy: "linkcond validate \(file.shellWord)")
        case .several(let names):
            self.init(.usage, "\(file): \(error)", remedy: "--name \((names.first ?? "NAME").shellWord)")
        case .noSuchName: self.init(.notFound, "\(file): \(error)")
        case .invalid: self.init(.badProfile, "\(file): \(error)")
        }
    }
}
