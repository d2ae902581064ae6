// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// The running program that carries a sandbox's traffic to the host's network.
struct Uplink {
    let program: UplinkProgram
    /// Its process.
    let process: pid_t
    /// What it says.
    private let log: CInt
    /// It says on this that it is ready, where it can.
    private let ready: CInt
    /// It begins when a byte comes through this, and ends with it, where it can.
    private let life: CInt
    /// Whether it shall carry IPv6.
    private let hasIPv6: Bool

    /// Makes the interface inside.
    static let tunDevice = TapDevice.controlPath

    /// Starts a process that stays in the host's network and waits there until the sandbox has one.
    static func fork(_ program: UplinkProgram) throws(SandboxError) -> Uplink {
        guard access(tunDevice, R_OK | W_OK) == 0 else {
            throw SandboxError("open \(tunDevice)", code: errno, remedy: "sudo chmod 0666 \(tunDevice), or --offline")
        }
        let (log, ready, life) = try onSystem { () throws(SystemError) in
            (try Descriptors.pipe(), try Descriptors.pipe(), try Descriptors.pipe())
        }
        // Words that nobody reads must not stop it.
        _ = fcntl(log.write, F_SETFL, O_NONBLOCK)
        let supervisor = getpid()
        // The sandbox inherits the setting.
        let isDisabled = ProcFile("/proc/sys/net/ipv6/conf/default/disable_ipv6").firstLine == "1"
        let connection = try RouteConnection.here()
        let hasIPv6 = !isDisabled && Self.hasDefaultRoute(connection, .ipv6)
        let arguments = program.arguments(supervisor: supervisor, ready: ready.write, exit: life.read, hasIPv6: hasIPv6)
        let process = try onSystem { () throws(SystemError) in
            try Fork.helper(keeping: [log.write, ready.write, life.read]) {
                var byte: UInt8 = 0
                guard read(life.read, &byte, 1) == 1 else { _exit(0) }
                for descriptor in [STDOUT_FILENO, STDERR_FILENO] { dup2(log.write, descriptor) }
                if program.endsByItself { become(arguments, keeping: [ready.write, life.read]) }
                watchOver(arguments, while: life.read)
            }
        }
        for descriptor in [log.write, ready.write, life.read] { close(descriptor) }
        return Uplink(
            program: program,
            process: process,
            log: log.read,
            ready: ready.read,
            life: life.write,
            hasIPv6: hasIPv6
        )
    }

    /// Becomes the program, which finds `descriptors` open.
    private static func become(_ arguments: [String], keeping descriptors: [CInt] = []) -> Never {
        descriptors.forEach(Descriptors.keepOnExec)
        let code = Fork.exec(arguments)
        let words = "\(arguments[0]): \(String(cString: strerror(code)))\n"
        write(STDERR_FILENO, words, words.utf8.count)
        _exit(127)
    }

    /// Runs the program until `life` ends, as it does with the supervisor, whatever that died of.
    private static func watchOver(_ arguments: [String], while life: CInt) -> Never {
        lc_set_title("lc-uplink", "lc-uplink: ends \(arguments[0]) with its sandbox")
        let child = try? Fork.child { become(arguments) }
        guard let child, let ends = try? SignalQueue([SIGCHLD]) else { _exit(127) }
        // Asked first: it may have ended before its end was watched for.
        while waitpid(child, nil, WNOHANG) != child {
            Wait.untilReadable([life, ends.descriptor])
            if Wait.isReadable(life) { kill(child, SIGKILL) }
            while ends.next() != nil {}
        }
        _exit(127)
    }

    /// Lets it begin, now that this process is in the sandbox's network.
    func start() {
        var byte: UInt8 = 1
        write(life, &byte, 1)
    }

    /// Waits until the interface carries traffic.
    ///
    /// - Throws: what the program said instead; or nothing but an end if `front` became readable.
    func wait(_ connection: RouteConnection, watching front: CInt) throws(SandboxError) {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.patience
        while clock.now < deadline {
            switch program.kind {
            case .slirp4netns:
                guard Wait.untilReadable([ready, front], limit: deadline - clock.now) else { continue }
                guard Wait.isReadable(ready) else { throw SandboxError("stopped before the command began") }
                var byte: UInt8 = 0
                if read(ready, &byte, 1) == 1 { return awaitIPv6(connection, watching: front) }
            case .pasta:
                // It says nothing when it is ready; it brings the interface up with its last step but the routes.
                if IPAddress.Family.allCases.contains(where: { Self.hasDefaultRoute(connection, $0) }) { return }
                if Wait.untilReadable([front], limit: .milliseconds(2)) {
                    throw SandboxError("stopped before the command began")
                }
                if waitpid(process, nil, WNOHANG) == 0 { continue }
            }
            break
        }
        throw SandboxError("\(program.name) did not give the sandbox an uplink: \(words)", remedy: "--offline")
    }

    private static let patience = Duration.seconds(10)
    /// A router's answer takes milliseconds; a sandbox without IPv6 is better than none.
    private static let routerPatience = Duration.seconds(1)

    /// slirp4netns is ready before the kernel has asked it for IPv6's addresses and routes.
    private func awaitIPv6(_ connection: RouteConnection, watching front: CInt) {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.routerPatience
        while hasIPv6, clock.now < deadline, !Self.hasDefaultRoute(connection, .ipv6) {
            if Wait.untilReadable([front], limit: .milliseconds(2)) { return }
        }
    }

    /// The last line that the program said.
    private var words: String {
        _ = fcntl(log, F_SETFL, O_NONBLOCK)
        let lines = String(decoding: Descriptors.readToEnd(log), as: UTF8.self).split(separator: "\n")
        return lines.last.map(String.init) ?? "it said nothing"
    }

    private static func hasDefaultRoute(_ connection: RouteConnection, _ family: IPAddress.Family) -> Bool {
        (try? connection.defaultRouteInterface(family)) != nil
    }
}
