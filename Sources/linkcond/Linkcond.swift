// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Sandboxing

/// The program's entry.
@main
struct Linkcond: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "linkcond",
        abstract: "See your client on a bad link before your users do.",
        discussion: """
            Applies named conditions (rate, delay, loss and more) to a network interface, and removes them.

            Exit status: 0 done, 64 usage, 65 bad profile, 66 no such profile, file or interface, 69 this machine \
            cannot do it, 70 internal error, 71 refused by the kernel, 74 output failed or no journal can be kept, \
            75 another process is changing it, 77 not permitted.
            """,
        version: "0.1.0",
        subcommands: [
            List.self, Show.self, Validate.self, Apply.self, Confirm.self, Run.self, Switch.self, Status.self,
            Off.self, On.self, Reset.self, Monitor.self, Doctor.self,
        ]
    )

    static func main() {
        // A failure of `run` must differ from its command's exit status: timeout(1) and env(1) also use 125.
        let isWrapper = CommandLine.arguments.dropFirst().first == "run"
        // A reader that closes the pipe, as in `linkcond list | head`, causes a write error. `run` passes
        // its signals on as they are.
        if !isWrapper { signal(SIGPIPE, SIG_IGN) }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            Console.failure(failure.message)
            Glibc.exit(isWrapper ? wrapperFailure : failure.status.rawValue)
        } catch let error as SandboxError {
            Console.failure(error.description)
            Glibc.exit(wrapperFailure)
        } catch  where exitCode(for: error) == .failure {
            Console.failure("internal error: \(error)")
            Glibc.exit(isWrapper ? wrapperFailure : Failure.Status.internalError.rawValue)
        } catch  where isWrapper && exitCode(for: error) != .success {
            Console.note(fullMessage(for: error))
            Glibc.exit(wrapperFailure)
        } catch {
            exit(withError: error)
        }
    }

    private static let wrapperFailure: Int32 = 125
}
