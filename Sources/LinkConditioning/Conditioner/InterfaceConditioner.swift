// SPDX-License-Identifier: Apache-2.0

public import LinuxSystem
package import Netlink

/// Conditions the interfaces of one network: the one way to apply, change, remove, suspend, resume, report and recover
/// conditions, with either engine, under the journal and the guardians.
///
/// ```swift
/// let conditioner = try InterfaceConditioner(command: "my-test")
/// try conditioner.apply(RuleRequest(profile: slowNet, origin: .here), on: "veth0")
/// defer { _ = try? conditioner.remove(from: "veth0") }
/// ```
///
/// A rule of the userspace engine, and one that ends by itself, starts processes by fork(2): the calling process must
/// have a single thread then. Conditions outlive the process unless they are removed; what a killed process left half
/// done is repaired by the next use of the interface, by any program that uses this library.
public struct InterfaceConditioner {
    let connection: RouteConnection
    let home: RouteConnection
    let command: String
    let note: (String) -> Void

    /// Whether the network is the one in which the process started.
    let isHome: Bool

    /// Works in the network that the calling thread is in.
    ///
    /// - Parameters:
    ///   - namespace: another network, which the calling thread enters for good.
    ///   - command: what the journal and other processes' errors call this process's work, in a word.
    ///   - note: is called with what the user should know, in words.
    /// - Throws: `notFound` or `notPermitted` for the namespace, or the kernel's refusal of a socket.
    public init(
        in namespace: NetworkNamespace? = nil,
        command: String,
        note: @escaping (String) -> Void = { _ in }
    ) throws(ConditioningError) {
        home = try RouteConnection.current()
        isHome = namespace == nil
        if let namespace {
            do {
                try namespace.enter()
            } catch {
                throw ConditioningError(entering: namespace, error)
            }
            connection = try RouteConnection.current()
        } else {
            connection = home
        }
        self.command = command
        self.note = note
    }

    var executor: PlanExecutor { PlanExecutor(connection, home: home) }

    /// Keeps the caller from cutting its own SSH connection.
    public var sshGuard: SSHLockoutGuard { SSHLockoutGuard.current(isHome: isHome, connection) }

    /// The networks besides the current one of which the journal knows something, if they can be entered.
    public static var otherNetworks: [NetworkNamespace] { Journal.existing()?.otherNamespaces() ?? [] }

    /// Begins a change of one interface that must be recorded.
    func open(_ interface: String) throws(ConditioningError) -> InterfaceSession {
        let journal = try openJournal()
        if journal == nil { note(Self.unrecorded) }
        let session = try InterfaceSession(interface, connection, home: home, journal: journal, command: command)
        session.notes.forEach(note)
        return session
    }

    /// Begins a removal, which goes ahead even if it cannot be recorded.
    func openForRemoval(
        _ interface: String,
        patience: Duration = .seconds(2)
    ) throws(ConditioningError) -> InterfaceSession {
        var journal: Journal?
        do {
            journal = try Journal.open()
        } catch {
            note(error.message)
        }
        return try InterfaceSession(
            interface,
            connection,
            home: home,
            journal: journal,
            command: command,
            patience: patience,
            strictness: .lenient
        )
    }

    /// A user who may not change the network should hear of that before any problem of the journal.
    private func openJournal() throws(ConditioningError) -> Journal? {
        do {
            return try Journal.open()
        } catch let failure {
            do {
                try executor.require([.netem])
            } catch  where error.code == .notPermitted {
                throw error
            } catch {}
            throw failure
        }
    }

    private static let unrecorded = """
        no journal is kept, since there is no $XDG_RUNTIME_DIR: if linkcond is killed midway, only a reset mends it
        """

    /// The devices that a command names: one, or every device with conditions and the lanes of vanished ones.
    func devices(
        named interface: String?
    ) throws(ConditioningError) -> (devices: [DeviceState], abandoned: [LaneState]) {
        let inspector = Inspector(connection)
        if let interface { return ([try inspector.state(of: interface)], []) }
        do {
            return try inspector.conditionedDevices()
        } catch {
            throw ConditioningError(error)
        }
    }
}

extension RouteConnection {
    /// Connects to the network that the calling thread is in.
    package static func current() throws(ConditioningError) -> RouteConnection {
        do {
            return RouteConnection(try RouteSocket())
        } catch {
            throw ConditioningError(error)
        }
    }
}
