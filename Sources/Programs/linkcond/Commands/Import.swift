// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CapturedPackets
import Glibc
import LinkProfiles
import LinuxSystem
import ProfileFitting
import ProfileFormats
import Reports

extension Linkcond {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            .import,
            abstract: "Print another tool's link, or a recorded one, as a profile.",
            discussion: """
                What the text says and a profile cannot, or the other way round, is told on standard error.

                Formats: nlc (property list of Apple's Network Link Conditioner), tcconfig (tcshow), atc (Augmented Traffic \
                Control), webpagetest (connectivity.ini), comcast (command line), throttle (command line or JSON), devtools \
                (DevTools, Puppeteer, Lighthouse), toxiproxy (toxics), tc (\"tc qdisc show\", with or without -j), mahimahi \
                (trace).

                Recordings of a real link: ping (what ping or fping printed), pcap (a pcap or pcapng capture, taken at \
                one end). A profile is fitted to them; the table of its figures, with intervals of 95 % confidence and how \
                well each fits, is on standard error.
                """,
            examples: "import throttle.json > train.json",
            "import ping.txt --name Train > train.json"
        )

        @Argument(help: ArgumentHelp("The file; \"-\" is standard input.", valueName: "FILE"))
        var file: String

        @Option(
            name: .customLong("from"),
            help: ArgumentHelp("The format, where the text itself does not tell.", valueName: "FORMAT"),
            transform: Import.format
        )
        var format: Format?

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Which of several links, or whose round trips; or the profile's name, where the text has none.",
                valueName: "NAME"
            )
        )
        var name: String?

        /// The formats of an imported file: a description of a link, or a recording.
        enum Format {
            case described(ImportFormat)
            case recorded(RecordingFormat)

            static let names = ImportFormat.allCases.map(\.rawValue) + RecordingFormat.allCases.map(\.rawValue)
        }

        func run() throws {
            let flags = O_RDONLY | O_CLOEXEC
            let descriptor = file == "-" ? STDIN_FILENO : try checked(open(file, flags), "open \(file)")
            defer { if file != "-" { close(descriptor) } }
            let start = try Self.start(of: descriptor, origin)
            let isCapture = CaptureReader.isCapture(start)
            switch format {
            case .recorded(.pcap),
                nil where isCapture:
                try fitCapture(descriptor, start)
            // The limit is the maximum size of a recording that a profile may name.
            default:
                let bytes = start + (try SmallFile.read(descriptor, named: origin, limit: 64 << 20))
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw Failure(.badProfile, "\(file): the text is not UTF-8")
                }
                try importText(text)
            }
        }

        /// Reads the first bytes, which show whether the file is a capture.
        private static func start(of descriptor: CInt, _ name: String) throws -> [UInt8] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: CaptureReader.magicLength)
            while bytes.count < buffer.count {
                let count = read(descriptor, &buffer, buffer.count - bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw SystemError(operation: "read \(name)", code: errno) }
                guard count > 0 else { break }
                bytes += buffer[..<count]
            }
            return bytes
        }

        private func fitCapture(_ descriptor: CInt, _ start: [UInt8]) throws {
            var sampler = CaptureSampler()
            try CaptureFile.read(descriptor, named: file, start: start) { record in
                sampler.add(record)
                return true
            }
            do throws(ImportError) {
                show(try FittedLink(try sampler.finish(name: name), name: profileName), .pcap)
            } catch {
                throw Failure(error, of: origin)
            }
        }

        private func importText(_ text: String) throws {
            let path = file == "-" ? nil : absolutePath
            do throws(ImportError) {
                var described: ImportFormat?
                switch format {
                case .described(let format): described = format
                case nil where !PingLog.isRecognized(text): break
                default: return show(try FittedLink(try PingLog.read(text, name: name), name: profileName), .ping)
                }
                let imported = try ImportedProfile.read(text, format: described, name: name, file: path)
                show(imported.profile, imported.format.rawValue, imported.remarks)
            } catch {
                throw Failure(error, of: origin)
            }
        }

        private func show(_ link: FittedLink, _ format: RecordingFormat) {
            var table = Table(header: ["FIGURE", "VALUE", "95 % INTERVAL", "FIT"])
            for figure in link.figures { table.add([figure.name, figure.value, figure.interval, figure.fit]) }
            Console.notes(table.lines().map(\.text).joined(separator: "\n"))
            show(link.profile, format.rawValue, link.remarks)
        }

        private func show(_ profile: Profile, _ format: String, _ remarks: [String]) {
            var profile = profile
            profile.source = "\(baseName), in the format of \(format)"
            Console.data(profile.json)
            for remark in remarks { Console.failure("note: \(remark)") }
        }

        private var origin: String { file == "-" ? "standard input" : file }
        private var baseName: String {
            file == "-" ? origin : absolutePath.split(separator: "/").last.map(String.init) ?? file
        }
        /// The name of the new profile if the recording contains none.
        private var profileName: String {
            name ?? (file == "-" ? "Recorded link" : baseName.split(separator: ".").first.map(String.init) ?? baseName)
        }

        private var absolutePath: String {
            let real = realpath(file, nil)
            defer { free(real) }
            return real.map { String(cString: $0) } ?? file
        }

        private static func format(_ word: String) throws -> Format {
            if let format = ImportFormat(rawValue: word) { return .described(format) }
            if let format = RecordingFormat(rawValue: word) { return .recorded(format) }
            throw ValidationError("'\(word)' is none of the formats \(Format.names.joined(separator: ", "))")
        }
    }
}

extension Failure {
    fileprivate init(_ error: ImportError, of file: String) {
        switch error {
        case .unknownFormat:
            let formats = Linkcond.Import.Format.names.joined(separator: ", ")
            self.init(.usage, "\(file): \(error)", remedy: "--from FORMAT, one of \(formats)")
        case .isProfile: self.init(.usage, "\(file): \(error)", remedy: "linkcond validate \(file.shellWord)")
        case .several(let names):
            self.init(.usage, "\(file): \(error)", remedy: "--name \((names.first ?? "NAME").shellWord)")
        case .noSuchName: self.init(.notFound, "\(file): \(error)")
        case .invalid: self.init(.badProfile, "\(file): \(error)")
        }
    }
}
