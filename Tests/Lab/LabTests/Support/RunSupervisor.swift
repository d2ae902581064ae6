// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// The supervisor of a `linkcond run`: the only child of the launcher.
struct RunSupervisor {
    private let process: pid_t

    /// Waits until there is one; nil if there is none.
    init?(of run: RunningCommand) {
        let path = "/proc/\(run.number)/task/\(run.number)/children"
        let deadline = now() + Double(HangLimit.seconds)
        while now() < deadline {
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            if let child = text.split(separator: " ").first.flatMap({ pid_t($0) }) {
                process = child
                return
            }
            usleep(500)
        }
        return nil
    }

    /// Kills it.
    func kill() {
        Foundation.kill(process, SIGKILL)
    }

    /// Waits until it has ended; false if it does not.
    func hasEnded() -> Bool {
        HangLimit.waits { Foundation.kill(process, 0) != 0 }
    }
}
