// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// The program's entry.
@main
struct Linkcond: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "linkcond",
        abstract: "See your client on a bad link before your users do.",
        discussion: """
            Applies named conditions (rate, delay, loss and more) to a network interface and takes them away again.

            Exit status: 0 done, 64 usage, 65 bad profile, 66 no such profile, file or interface, 69 this machine \
            cannot do it, 70 a fault of linkcond, 71 refused by the kernel, 74 output failed, 77 not permitted.
            """,
        version: "0.1.0",
        subcommands: [
            List.self, Show.self, Validate.self, Apply.self, Switch.self, Status.self, Reset.self, Doctor.self,
        ]
    )

    static func main() {
        // A reader that goes away, as in `linkcond list | head`, is met as an error of the write.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            Console.failure(failure.message)
            Glibc.exit(failure.status.rawValue)
        } catch  where exitCode(for: error) == .failure {
            Console.failure("unforeseen: \(error)")
            Glibc.exit(Failure.Status.internalError.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}
