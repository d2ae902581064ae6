// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import Netlink

/// Keeps the extended programs that a change of filters needs: the kernel frees a program once no descriptor and no
/// filter refers to it.
final class LoadedPrograms {
    private var descriptors: [UInt32: CInt] = [:]
    private var loaded: [CInt] = []
    private var watchdogs: [String: CInt] = [:]

    deinit { (loaded + descriptors.values + watchdogs.values).forEach { close($0) } }

    /// Loads a program.
    ///
    /// - Returns: the program's descriptor, which is valid until this object is released.
    func load(_ program: FailOpenProgram) throws(NetlinkError) -> CInt {
        let result = Self.load(program)
        guard result >= 0 else { throw NetlinkError(operation: "load a filter's program", code: -result) }
        loaded.append(result)
        return result
    }

    /// Takes ownership of `watchdog`, the descriptor of the watchdog of the pump that serves `tap`.
    func keep(watchdog: CInt, of tap: String) {
        watchdogs.updateValue(watchdog, forKey: tap).map { _ = close($0) }
    }

    /// The descriptor of the watchdog of the pump that serves `tap`.
    func watchdog(of tap: String) throws(NetlinkError) -> CInt {
        guard let descriptor = watchdogs[tap] else {
            throw NetlinkError(operation: "find the watchdog of \(tap)", code: ENOENT)
        }
        return descriptor
    }

    /// Opens the program with the kernel's number `id`, so that it outlives a filter that is about to be replaced or
    /// deleted.
    func keep(_ id: UInt32) {
        let result = lc_open_classifier(id)
        if result >= 0 { descriptors[id] = result }
    }

    /// The descriptor of the program with the kernel's number `id`; opens the program if it has not been kept.
    func descriptor(of id: UInt32) throws(NetlinkError) -> CInt {
        if descriptors[id] == nil { keep(id) }
        guard let descriptor = descriptors[id] else {
            throw NetlinkError(operation: "open the filter program \(id)", code: ENOENT)
        }
        return descriptor
    }

    private static func load(_ program: FailOpenProgram) -> CInt {
        let bytes = program.instructions.flatMap(\.bytes)
        return lc_load_classifier(bytes, UInt32(program.instructions.count))
    }

    /// Whether this process may load fail-open programs and the kernel accepts them: Linux 5.12, with CAP_BPF and
    /// CAP_NET_ADMIN in the initial user namespace.
    static let areSupported: Bool = {
        guard let watchdog = try? FilterWatchdog(),
            let program = FailOpenProgram(.matchAll, target: 1, watchdog: watchdog.descriptor)
        else { return false }
        let descriptor = load(program)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }()
}
