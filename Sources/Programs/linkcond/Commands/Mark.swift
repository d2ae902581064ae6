// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles
import SandboxClient

extension Linkcond {
    struct Mark: ParsableCommand {
        static let configuration = CommandConfiguration(
            .mark,
            abstract: "Inside of a run: name this moment, for scenarios and expectations.",
            discussion: """
                A scenario's step can wait for the mark, and an expectation can refer to it. When a step has waited for \
                it, its conditions are in effect when this command returns.
                """,
            examples: "mark cancelled"
        )

        @Argument(help: ArgumentHelp("The name of the point, such as \"cancelled\".", valueName: "NAME"))
        var name: String

        mutating func validate() throws {
            if let problem = Label.problem(with: name) { throw ValidationError("The mark's name \(problem).") }
        }

        func run() throws {
            guard let sandbox = ControlClient.ofThisSandbox else {
                throw Failure(
                    .usage,
                    "no run to mark: this is not inside of \"linkcond run\"\n"
                        + "try: linkcond run PROFILE -- sh -c 'linkcond mark \"\(name)\"'"
                )
            }
            try sandbox.mark(name)
        }
    }
}
