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

    /// The version, and the commit that the program was built from, if it is known.
    static var versionAndBuild: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let start = text.baseAddress else { return version }
            lc_read_build(start)
            let build = String(cString: start)
            return build.isEmpty ? version : "\(version) (\(build))"
        }
    }

    static func main() {
        // A reader that closes the pipe, as in `linkcond list | head`, causes a write error. `run` passes
        // its signals on as they are.
        if name?.runsCommand != true { signal(SIGPIPE, SIG_IGN) }
        var parsed: (any ParsableCommand)?
        do {
            let words = CommandLine.arguments
            // Swift finds them by /proc/self/maps. Without any, the parser would print help and end with status 0.
            if words.isEmpty { throw Failure(.refusedByKernel, "cannot read the command line from /proc/self/maps") }
            let arguments = Array(words.dropFirst())
            // The parser would take longer than everything else that is done for this.
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
            // The parser's messages quote arguments, too.
            let code = exitCode(for: error)
            let text = fullMessage(for: error)
            if !text.isEmpty { code.isSuccess ? Console.text(text) : Console.notes(text) }
            Glibc.exit(code.rawValue)
        }
    }

    /// The subcommand; nil if the first argument is none.
    private static let name = CommandLine.arguments.dropFirst().first.flatMap { CommandName(rawValue: $0) }
    /// The status of `run` and its like if linkcond itself failed.
    static let wrapperFailure: Int32 = 125

    /// The command that the arguments mean.
    ///
    /// It is parsed alone first, since the tree of all commands takes longer to build and to search than most
    /// commands take for their work. What a command does not understand alone, such as a request for help, is for
    /// the tree.
    private static func command(_ arguments: [String]) throws -> any ParsableCommand {
        guard let name else {
            try refuseUnknownName(arguments.first == "help" ? arguments.dropFirst().first : arguments.first)
            return try parseAsRoot(arguments)
        }
        let (type, words) = (name.type, Array(arguments.dropFirst()))
        if let command = try? type.parseAsRoot(words), Swift.type(of: command) == type { return command }
        if name.runsCommand, let command = UnmarkedCommand(type, words) {
            throw Failure(.usage, command.message)
        }
        return try parseAsRoot(arguments)
    }

    /// Fails if no command has this name. The parser would not say which one is meant, or answer with the help of all.
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
