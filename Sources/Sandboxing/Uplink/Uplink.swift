// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// The running program that carries a sandbox's traffic to the host's network.
struct Uplink {
    let program: UplinkProgram
    let process: pid_t
    private let log: CInt
    /// The program writes here when it is ready, if it supports that.
    private let ready: CInt
    /// A byte written here starts the program; closing it ends the program.
    private let control: CInt
    /// Where it makes its device; nil for in the sandbox.
    private let namespaces: UplinkNamespaces?
    private let hasIPv6: Bool

    /// Starts a process that stays in the host's network and waits until the sandbox has a network.
    static func fork(_ program: UplinkProgram) throws(SandboxError) -> Uplink {
        if let problem = TapDevice.accessProblem {
            throw SandboxError(problem.description, remedy: Remedy(.stayOffline, TapDevice.remedy))
        }
        let (log, ready, control) = try onSystem((Descriptors.pipe(), Descriptors.pipe(), Descriptors.pipe()))
        // A full pipe must not block the program.
        _ = fcntl(log.write, F_SETFL, O_NONBLOCK)
        let supervisor = getpid()
        let namespaces = program.needsNamespaces ? try? UplinkNamespaces.fork() : nil
        // The sandbox inherits this setting.
        let isDisabled = ProcFile("/proc/sys/net/ipv6/conf/default/disable_ipv6").firstLine == "1"
        let connection = try RouteConnection.here()
        let hasIPv6 = !isDisabled && Self.hasDefaultRoute(connection, .ipv6)
        let process = try onSystem(
            Fork.helper(keeping: [log.write, ready.write, control.read]) {
                // slirp4netns 1.2.0 unmounts its old root, and with it what lies below shared mounts, such as
                // /run/netns: the host would lose its named networks.
                let mayMount = lc_unshare(CInt(lc_mount_namespace)) == 0 && InterfaceFiles.keepMounts()
                let confinement = program.confinement(mayMount: mayMount)
                var order: UInt8 = 0
                guard read(control.read, &order, 1) == 1 else { _exit(0) }
                let apart = mayMount && order == Self.startApart ? namespaces.flatMap { $0.enter() ? $0 : nil } : nil
                let arguments = program.arguments(
                    process: apart?.process ?? supervisor,
                    ready: ready.write,
                    exit: control.read,
                    hasIPv6: hasIPv6,
                    configures: apart == nil,
                    confinement: confinement
                )
                for descriptor in [STDOUT_FILENO, STDERR_FILENO] { dup2(log.write, descriptor) }
                if program.endsByItself { become(arguments, keeping: [ready.write, control.read]) }
                watchOver(arguments, while: control.read)
            }
        )
        for descriptor in [log.write, ready.write, control.read] { close(descriptor) }
        return Uplink(
            program: program,
            process: process,
            log: log.read,
            ready: ready.read,
            control: control.write,
            namespaces: namespaces,
            hasIPv6: hasIPv6
        )
    }

    /// Executes the program, with `descriptors` open.
    private static func become(_ arguments: [String], keeping descriptors: [CInt] = []) -> Never {
        descriptors.forEach(Descriptors.keepOnExec)
        let code = Fork.exec(arguments)
        let message = "\(arguments[0]): \(String(cString: strerror(code)))\n"
        write(STDERR_FILENO, message, message.utf8.count)
        _exit(127)
    }

    /// Runs the program until `control` is closed, which happens at the latest when the supervisor ends.
    private static func watchOver(_ arguments: [String], while control: CInt) -> Never {
        lc_set_title("lc-uplink", "lc-uplink: ends \(arguments[0]) with its sandbox")
        let child = try? Fork.child { become(arguments) }
        // Not before: pasta limits itself.
        _ = lc_prctl(PR_SET_NO_NEW_PRIVS, 1)
        _ = lc_prctl(PR_SET_DUMPABLE, 0)
        guard let child, let ends = try? SignalQueue([SIGCHLD]) else { _exit(127) }
        // Checked first: the program may have ended before SIGCHLD was watched.
        while waitpid(child, nil, WNOHANG) != child {
            Wait.untilReadable([control, ends.descriptor])
            if Wait.isReadable(control) { kill(child, SIGKILL) }
            while ends.next() != nil {}
        }
        _exit(127)
    }

    /// Starts the program, now that this process is in the sandbox's network.
    func start() {
        var order: UInt8 = namespaces?.areMade() == true ? Self.startApart : 1
        write(control, &order, 1)
    }

    /// What `start` writes for a program that makes its device in namespaces of its own.
    private static let startApart: UInt8 = 2

    /// Waits until the interface carries traffic. Throws the program's error, or an interruption if `launcher` becomes
    /// readable.
    func wait(_ connection: RouteConnection, watching launcher: CInt) throws(SandboxError) {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.patience
        while clock.now < deadline {
            switch program.kind {
            case .slirp4netns:
                guard Wait.untilReadable([ready, launcher], limit: deadline - clock.now) else { continue }
                guard Wait.isReadable(ready) else { throw SandboxError("interrupted before the command began") }
                var byte: UInt8 = 0
                guard read(ready, &byte, 1) == 1 else { break }
                // It may have had to make it here after all.
                if if_nametoindex(UplinkProgram.interface) == 0 {
                    try namespaces?.move(UplinkProgram.interface, to: connection)
                }
                namespaces?.end()
                return awaitIPv6(connection, watching: launcher)
            case .pasta:
                // It does not report that it is ready. Adding the routes is its last step.
                if IPAddress.Family.allCases.contains(where: { Self.hasDefaultRoute(connection, $0) }) { return }
                if Wait.untilReadable([launcher], limit: .milliseconds(2)) {
                    throw SandboxError("interrupted before the command began")
                }
                if waitpid(process, nil, WNOHANG) == 0 { continue }
            }
            break
        }
        let reason = reason
        // It locks itself up by pivot_root, which Docker's seccomp filter refuses even to a container with CAP_SYS_ADMIN.
        let isFiltered = reason.contains("pivot_root")
        throw SandboxError(
            "\(program.name) did not set up the sandbox's uplink: \(reason)",
            remedy: isFiltered
                ? Remedy(.stayOffline, "docker run --security-opt seccomp=unconfined") : Remedy(.stayOffline)
        )
    }

    private static let patience = Duration.seconds(10)
    /// A router's answer takes milliseconds; a sandbox without IPv6 is better than none.
    private static let routerPatience = Duration.seconds(1)

    /// slirp4netns is ready before the kernel has received its IPv6 addresses and routes.
    private func awaitIPv6(_ connection: RouteConnection, watching launcher: CInt) {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.routerPatience
        while hasIPv6, clock.now < deadline, !Self.hasDefaultRoute(connection, .ipv6) {
            if Wait.untilReadable([launcher], limit: .milliseconds(2)) { return }
        }
    }

    /// What the program says of its failure. slirp4netns says first what failed, then what failed because of that, and
    /// flushes a list of its addresses at the very end.
    private var reason: String {
        _ = fcntl(log, F_SETFL, O_NONBLOCK)
        let lines = String(decoding: Descriptors.readToEnd(log), as: UTF8.self).split(separator: "\n")
        let reason = lines.first { $0.contains("cannot ") } ?? lines.last
        return reason.map(String.init) ?? "no output"
    }

    private static func hasDefaultRoute(_ connection: RouteConnection, _ family: IPAddress.Family) -> Bool {
        (try? connection.defaultRouteInterface(family)) != nil
    }
}
