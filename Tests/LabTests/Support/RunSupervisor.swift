// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// The supervisor of a `linkcond run`: the only child of the launcher.
struct RunSupervisor {
    private let process: pid_t

    /// Waits until there is one; nil if there is none for ten seconds.
    init?(of run: RunningCommand) {
        let path = "/proc/\(run.number)/task/\(run.number)/children"
        let deadline = now() + 10
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

    /// Waits until it has ended; false if it has not after twenty seconds.
    func hasEnded() -> Bool {
        let deadline = now() + 20
        while now() < deadline {
            if Foundation.kill(process, 0) != 0 { return true }
            usleep(2000)
        }
        return false
    }
}
