// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkRules
internal import LinuxSystem

/// Where a pump listens: at an abstract name of unix(7), which belongs to the network namespace and ends with the process.
///
/// Any process in the namespace may take a name. The pump's ends with a random number, so that no other user can take it
/// first, and a client accepts no answer but root's or its own user's. The name has the device's index, which the kernel
/// does not give again, since a frozen pump goes on to listen for a device that is gone.
enum PumpAddress {
    private static func prefix(_ tap: String, _ index: CInt) -> String { "linkcond/\(tap)/\(index)/" }

    /// Opens the socket of the pump that serves the device `tap` with this index.
    ///
    /// - Returns: the socket, or a negative errno.
    static func listen(for tap: String, _ index: CInt) -> CInt {
        lc_listen_abstract(prefix(tap, index) + String(UInt64.random(in: .min ... .max), radix: 16))
    }

    /// Connects to the pump that serves `tap` in the network that the calling thread is in.
    ///
    /// - Throws: `gone` if there is no such device, or no process of root's or this user's listens for it; `silent` if it
    ///   accepts no connection; `refused` if it cannot be told.
    static func connect(to tap: String) throws(PumpFailure) -> PumpChannel {
        let index = Int32(clamping: if_nametoindex(tap))
        guard index > 0 else { throw .gone }
        for _ in 0..<100 {
            var isUnsure = false
            for name in try names(of: tap, index) {
                let descriptor = lc_connect_abstract(name)
                guard descriptor >= 0 else {
                    // It ended since it was listed, or has as many clients waiting as it may.
                    isUnsure = isUnsure || descriptor != -ECONNREFUSED
                    continue
                }
                if let channel = PumpChannel(trusting: descriptor) { return channel }
            }
            guard isUnsure else { throw .gone }
            usleep(20_000)
        }
        throw .silent
    }

    /// The names at which a process of any user listens for `tap`.
    private static func names(of tap: String, _ index: CInt) throws(PumpFailure) -> [String] {
        do {
            return try UnixListeners.names(beginningWith: prefix(tap, index))
        } catch {
            throw .refused("cannot find the process that carries the conditions: \(error)")
        }
    }
}
