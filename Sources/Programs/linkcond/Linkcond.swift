// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinuxCalls
import Glibc
import LinkProfiles

@main
struct Linkcond: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "linkcond",
        abstract: "See your client on a bad link before your users do.",
        discussion: """
            Applies named conditions (rate, delay, loss and more) to a network interface, and removes them.

            Exit status: 0 done, 1 a check failed, 64 usage, 65 bad profile, 66 no such profile, file or interface, \
            69 this machine cannot do it, 70 internal error, 71 refused by the kernel, 74 output failed or no journal can be kept, \
            75 another process is changing it, 77 not permitted.
            """,
        version: versionAndBuild,
        subcommands: CommandName.allCases.map(\.type)
    )

    static let version = "0.1.0"

    /// The version, and the commit from which the program was built, if known.
    static var versionAndBuild: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let start = text.baseAddress else { return version }
            lc_read_build(start)
            let build = String(cString: start)
            return build.isEmpty ? version : "\(version) (\(build))"
        }
    }

    static func main() {
        // Ignores SIGPIPE, so that a reader that closes the pipe, as in `linkcond list | head`, causes a write error. A
        // command that `run` starts must inherit the original disposition.
        if name?.runsCommand != true { signal(SIGPIPE, SIG_IGN) }
        var parsed: (any ParsableCommand)?
        do {
            let words = CommandLine.arguments
            // Swift reads the arguments by means of /proc/self/maps. Without any, the parser would print help and exit
            // with 0.
            if words.isEmpty { throw Failure(.refusedByKernel, "cannot read the command line from /proc/self/maps") }
            let arguments = Array(words.dropFirst())
            // These two are answered directly, since setting up the parser takes longer than everything else.
            if arguments == ["--version"] { return Console.text(versionAndBuild) }
            if arguments == ["help", "expectations"] { return ExpectationHelp.lines.forEach(Console.text) }
            var command = try command(arguments)
            parsed = command
            try command.run()
        } catch  where exitCode(for: error) == .failure {
            let failure = Failure(error, in: (parsed as? any NetworkCommand)?.namespace.words ?? "")
            Console.failure(failure.message)
            Glibc.exit(name?.isWrapper == true ? wrapperFailure : failure.status.rawValue)
        } catch  where name?.isWrapper == true && exitCode(for: error) != .success {
            Console.notes(fullMessage(for: error))
            Glibc.exit(wrapperFailure)
        } catch {
            // `Console` escapes the arguments that the parser's messages quote.
            let code = exitCode(for: error)
            let text = fullMessage(for: error)
            if !text.isEmpty { code.isSuccess ? Console.text(text) : Console.notes(text) }
            Glibc.exit(code.rawValue)
        }
    }

    /// The subcommand; nil if the first argument does not name one.
    private static let name = CommandLine.arguments.dropFirst().first.flatMap { CommandName(rawValue: $0) }
    /// The exit status of commands that run another command, if linkcond itself fails.
    static let wrapperFailure: Int32 = 125

    /// Parses the arguments into a command.
    ///
    /// The subcommand is first parsed alone, since building and searching the tree of all commands takes longer than
    /// most commands run. If that fails, as for a request for help, the whole tree parses the arguments.
    private static func command(_ arguments: [String]) throws -> any ParsableCommand {
        guard let name else {
            try refuseUnknownName(arguments.first == "help" ? arguments.dropFirst().first : arguments.first)
            return try parseAsRoot(arguments)
        }
        let (type, words) = (name.type, Array(arguments.dropFirst()))
        if let command = try? type.parseAsRoot(words), Swift.type(of: command) == type { return command }
        if let mistake = MisplacedWords(type, words) { throw Failure(.usage, mistake.problem, remedy: mistake.remedy) }
        if name.runsCommand, let command = UnmarkedCommand(type, words) {
            throw Failure(.usage, command.message)
        }
        return try parseAsRoot(arguments)
    }

    /// Fails if no subcommand has this name, since the parser would not suggest a similar name, or would print the help
    /// of all.
    private static func refuseUnknownName(_ name: String?) throws {
        guard let name, !name.hasPrefix("-"), name != "help", CommandName(rawValue: name) == nil else { return }
        let nearest = Spelling.nearest(to: name, among: CommandName.allCases.map(\.rawValue) + ["help"])
        throw Failure(
            .usage,
            "no command is called \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
                + "\ntry: linkcond help"
        )
    }
}

extension NameSpecification {
    /// `-i` and `--interface`.
    static var interface: NameSpecification { [.customShort("i"), .customLong("interface")] }
}
