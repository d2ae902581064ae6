// SPDX-License-Identifier: Apache-2.0

public import LinuxSystem
package import Netlink
internal import TrafficControl

/// Conditions the interfaces of one network: applies, changes, removes, suspends, resumes, reports and recovers rules
/// of either engine, with journal and guardians.
///
/// ```swift
/// let conditioner = try InterfaceConditioner(command: "my-test")
/// try conditioner.apply(RuleRequest(profile: slowNet, origin: .here), on: "veth0")
/// defer { _ = try? conditioner.remove(from: "veth0") }
/// ```
///
/// Applying a rule of the userspace engine, or with a time limit, starts processes by fork(2), so the calling process
/// must have a single thread. Conditions outlive the process unless they are removed. The next use of an interface, by
/// any program that uses this library, repairs what a killed process left half done.
public struct InterfaceConditioner {
    let connection: RouteConnection
    let home: RouteConnection
    let command: String
    let note: (ConditioningNote) -> Void
    let machine: any Machine

    /// Whether the network is the one in which the process started.
    let isInitialNetwork: Bool

    /// Works in the network that the calling thread is in.
    ///
    /// - Parameters:
    ///   - namespace: another network, which the calling thread enters for good.
    ///   - command: the name of this process's operation in the journal and in other processes' errors.
    ///   - note: is called with notes for the user.
    /// - Throws: `notFound` or `notPermitted` for the namespace, or the kernel's error for a socket.
    public init(
        in namespace: NetworkNamespace? = nil,
        command: String,
        note: @escaping (ConditioningNote) -> Void = { _ in }
    ) throws(ConditioningError) {
        machine = .real
        home = try machine.connect()
        isInitialNetwork = namespace == nil
        if let namespace {
            do {
                try namespace.enter()
            } catch {
                throw ConditioningError(entering: namespace, error)
            }
            connection = try machine.connect()
        } else {
            connection = home
        }
        self.command = command
        self.note = note
    }

    /// Works in the only network of `machine`, a simulated one whose mounted file systems are ignored.
    init(
        on machine: any Machine,
        command: String,
        note: @escaping (ConditioningNote) -> Void = { _ in }
    ) throws(ConditioningError) {
        (self.machine, self.command, self.note, isInitialNetwork) = (machine, command, note, false)
        home = try machine.connect()
        connection = home
    }

    var executor: PlanExecutor { machine.executor(connection, home: home) }

    /// The connection to the network in which this conditioner works.
    package var network: RouteConnection { connection }

    /// Prevents conditions that would cut the user's own login connection.
    public var lockoutGuard: LockoutGuard { machine.lockoutGuard(isInitialNetwork: isInitialNetwork, connection) }

    /// The other networks with an entry in the journal that this process can enter.
    ///
    /// - Throws: `journal` if the journal cannot be read.
    public static var otherNetworks: [NetworkNamespace] {
        get throws(ConditioningError) { try journalAnswer(Journal.existing()?.otherNamespaces()) ?? [] }
    }

    /// Begins a change of one interface that must be recorded in the journal.
    func open(_ interface: String) throws(ConditioningError) -> InterfaceSession {
        // Checked first: without permission, the journal may not be readable and would wrongly seem to be absent.
        try executor.requirePermission()
        let journal = try machine.openJournal()
        if journal == nil {
            note(ConditioningNote("no $XDG_RUNTIME_DIR, so no journal", remedy: Remedy(.resetIfKilled)))
        }
        journal?.removeEndedNetworks(limit: 16)
        let session = try InterfaceSession.repairing(
            interface,
            connection,
            home: home,
            on: machine,
            journal: journal,
            command: command
        )
        tell(session.notes)
        return session
    }

    /// Begins a removal, which proceeds even if the journal cannot record it.
    func openForRemoval(_ interface: String) throws(ConditioningError) -> InterfaceSession {
        var journal: Journal?
        do {
            journal = try machine.openJournal()
        } catch {
            note(ConditioningNote(error.message))
        }
        return try InterfaceSession.repairing(
            interface,
            connection,
            home: home,
            on: machine,
            journal: journal,
            command: command,
            for: .removal
        )
    }

    func tell(_ notes: [String]) {
        for text in notes { note(ConditioningNote(text)) }
    }

    /// The device called `interface`; for nil, every device with conditions and the lanes of deleted devices.
    func devices(
        named interface: String?
    ) throws(ConditioningError) -> (devices: [DeviceState], abandoned: [LaneState]) {
        let inspector = Inspector(connection)
        if let interface { return ([try inspector.state(of: interface)], []) }
        return try kernelAnswer(inspector.conditionedDevices())
    }
}

extension RouteConnection {
    /// Connects to the network that the calling thread is in.
    package static func current() throws(ConditioningError) -> RouteConnection {
        RouteConnection(try kernelAnswer(RouteSocket()))
    }
}

/// A rule of an interface, for messages to the user.
public struct InterfaceRule: Sendable {
    /// The interface.
    public let interface: String
    /// The name of the profile.
    public let profile: String
    /// The time that the rule had left, if it had a time limit.
    public var rest: Duration?
}
