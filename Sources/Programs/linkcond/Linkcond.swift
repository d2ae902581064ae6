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
            Topics: linkcond help \(HelpTopic.allCases.map(\.rawValue).joined(separator: ", ")).

            Exit status: 0 done, 1 a check failed, 64 usage, 65 bad profile, 66 no such profile, file or interface, \
            69 this machine cannot do it, 70 internal error, 71 refused by the kernel, 74 output failed or no journal can be kept, \
            75 another process is changing it, 77 not permitted.
            """,
        version: versionAndBuild,
        groupedSubcommands: CommandName.Group.allCases.map { group in
            CommandGroup(name: group.rawValue, subcommands: group.commands.map(\.type))
        }
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
            if try answer(arguments) { return }
            var command = try command(arguments)
            parsed = command
            try command.run()
        } catch  where exitCode(for: error) == .failure {
            let failure = Failure(error, in: (parsed as? any NetworkCommand)?.namespace.words ?? "")
            Console.failure(failure.message)
            Glibc.exit(name?.isWrapper == true ? wrapperFailure : failure.status.rawValue)
        } catch {
            end(error)
        }
    }

    /// Answers requests that need no parser, whose setup takes longer than everything else; false if this is none.
    private static func answer(_ arguments: [String]) throws -> Bool {
        switch arguments.first {
        case "--version" where arguments.count == 1: Console.text(versionAndBuild)
        case "-h" where arguments.count == 1: Console.text(CommandName.shortList)
        case nil:
            Console.notes(CommandName.shortList)
            Glibc.exit(Failure.Status.usage.rawValue)
        case "help":
            guard arguments.count == 2, let topic = HelpTopic(rawValue: arguments[1]) else { return false }
            Console.text(topic.text)
        case Completion.commandName: Completion.run(Array(arguments.dropFirst()))
        case "--generate-completion-script": try Completion.printScript(for: arguments.dropFirst().first)
        default: return false
        }
        return true
    }

    /// Ends the process with the parser's help, or its message in the form of this program's.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        // `Console` escapes the arguments that the parser's messages quote.
        if code.isSuccess {
            let text = fullMessage(for: error)
            if !text.isEmpty { Console.text(helpText(text)) }
        } else {
            let text = message(for: error)
            let message = ParserMessage(text)
            if !text.isEmpty { Console.failure(String(message.text, try: message.remedy(name))) }
        }
        Glibc.exit(code.isSuccess ? 0 : name?.isWrapper == true ? wrapperFailure : code.rawValue)
    }

    /// The parser's help; of a subcommand in few lines if `-h` asks for it.
    private static func helpText(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: ") else { return text }
        let help = HelpText(text)
        let words = CommandLine.arguments.prefix { $0 != "--" }
        guard let name, words.contains("-h"), !words.contains("--help") else { return help.full }
        return help.short(name)
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
            try refuseUnknownName(arguments)
            return try parseAsRoot(arguments)
        }
        let (type, words) = (name.type, Array(arguments.dropFirst()))
        if let split = SplitFigure(name, words) { throw Failure(.usage, split.problem, remedy: split.remedy) }
        if let command = try? type.parseAsRoot(words), Swift.type(of: command) == type { return command }
        if let mistake = MisplacedWords(type, words) { throw Failure(.usage, mistake.problem, remedy: mistake.remedy) }
        if name.runsCommand, let command = UnmarkedCommand(type, words) {
            throw Failure(.usage, command.message)
        }
        return try parseAsRoot(arguments)
    }

    /// Fails if no subcommand has this name, since the parser would not suggest a similar name, or would print the help
    /// of all.
    private static func refuseUnknownName(_ arguments: [String]) throws {
        let isHelp = arguments.first == "help"
        let name = isHelp ? arguments.dropFirst().first : arguments.first
        guard let name, !name.hasPrefix("-"), name != "help", CommandName(rawValue: name) == nil else { return }
        let others = isHelp ? HelpTopic.allCases.map(\.rawValue) : ["help"]
        let nearest = Spelling.nearest(to: name, among: CommandName.allCases.map(\.rawValue) + others)
        throw Failure(
            .usage,
            "no command\(isHelp ? " and no topic" : "") is called \"\(name)\""
                + (nearest.map { "; did you mean \"\($0)\"?" } ?? "") + "\ntry: linkcond help"
        )
    }
}

extension NameSpecification {
    /// `-i` and `--interface`.
    static var interface: NameSpecification { [.customShort("i"), .customLong("interface")] }
}
