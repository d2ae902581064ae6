// SPDX-License-Identifier: Apache-2.0

import Glibc

extension ReportDirectory {
    /// Fails if nothing can be written there, before anything is run.
    func check() throws(Failure) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(.usage, "cannot write the report to \(path): it is not a directory\ntry: --report \(path).d")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw Failure(.notPermitted, "cannot write the report to \(path): \(reason)\ntry: another directory")
        }
    }
}
