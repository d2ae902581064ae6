// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// A user namespace and a network of a user without an account, in which slirp4netns makes its device, so that it needs no
/// privileges over the sandbox. The supervisor moves the device into the sandbox.
///
/// For root where slirp4netns cannot have the sandbox of its own: it would lose CAP_NET_RAW, which pings need where the host
/// lets no group ping from ordinary sockets.
struct UplinkNamespaces {
    /// The process in the namespaces.
    let process: pid_t
    /// A byte arrives when they are made.
    private let ready: CInt

    /// The user and the group that own them.
    var user: UInt32 { Confinement.unusedID(of: process) }

    /// Starts a process that makes them. It ends with the calling process.
    static func fork() throws(SystemError) -> UplinkNamespaces {
        let ready = try Descriptors.pipe()
        let supervisor = getpid()
        let process = try Fork.helper(keeping: [ready.write]) {
            lc_set_title("lc-uplink", "lc-uplink: holds the network in which an uplink's device is made")
            // Systems that let only root make user namespaces ask for this.
            lc_prctl(PR_SET_KEEPCAPS, 1)
            guard Confinement.become(Confinement.unusedID(of: getpid())),
                lc_limit_capabilities(Confinement.Capabilities.namespaces.rawValue) == 0,
                lc_unshare(CInt(lc_user_namespace | lc_network_namespace)) == 0
            else { _exit(1) }
            // slirp4netns, of the same user, opens the namespaces.
            lc_prctl(PR_SET_DUMPABLE, 1)
            _ = lc_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL))
            if getppid() != supervisor { _exit(1) }
            var byte: UInt8 = 1
            write(ready.write, &byte, 1)
            while true { pause() }
        }
        close(ready.write)
        return UplinkNamespaces(process: process, ready: ready.read)
    }

    /// Waits until they are made; false if they cannot be.
    func areMade() -> Bool {
        var byte: UInt8 = 0
        return read(ready, &byte, 1) == 1
    }

    /// Becomes their user, in a process that then executes slirp4netns, with no privileges but those over the host's
    /// sockets; false, with nothing given up, if that is not possible.
    func enter() -> Bool {
        let kept: Confinement.Capabilities = [.rawSockets, .lowPorts]
        guard Self.openDeviceFile(), lc_bound_capabilities(kept.rawValue) == 0 else { return false }
        lc_prctl(PR_SET_KEEPCAPS, 1)
        guard Confinement.become(user), lc_inherit_capabilities(kept.rawValue) == 0,
            lc_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0
        else { _exit(126) }
        return true
    }

    /// Lets every user of this process's mount namespace open the device file, which on some machines only root may.
    private static func openDeviceFile() -> Bool {
        var facts = stat()
        guard stat(TapDevice.controlPath, &facts) == 0 else { return false }
        if facts.st_mode & 0o006 == 0o006 { return true }
        let directory = "/dev/net"
        guard mount("linkcond", directory, "tmpfs", UInt(MS_NOSUID | MS_NOEXEC), "mode=0755") == 0 else { return false }
        if mknod(TapDevice.controlPath, S_IFCHR | 0o666, facts.st_rdev) == 0, chmod(TapDevice.controlPath, 0o666) == 0 {
            return true
        }
        umount2(directory, CInt(MNT_DETACH))
        return false
    }

    /// Moves the device into the network of this process, and gives it the address and the routes that slirp4netns
    /// expects: slirp4netns(1).
    func move(_ device: String, to connection: RouteConnection) throws(SandboxError) {
        let (process, supervisor) = (process, getpid())
        nonisolated(unsafe) var failure: SandboxError?
        try onSystem(
            PosixThread.start {
                do throws(SandboxError) {
                    try onSystem(NetworkNamespace.ofProcess(process).enter())
                    try RouteConnection.here().performing(LinkRequest.move(device, toNetworkOf: supervisor))
                } catch {
                    failure = error
                }
            }
        ).join()
        if let failure { throw failure }
        try connection.performing(LinkRequest.setMTU(NetworkSettings.mtu, of: device))
        try connection.performing(LinkRequest.bringUp(device))
        try checked(
            lc_configure_device(device, "10.0.2.100", "255.255.255.0", "10.0.2.2"),
            "give \(device) its address"
        )
    }

    /// Ends the process. The device keeps the network as long as it needs it.
    func end() {
        close(ready)
        kill(process, SIGKILL)
        _ = ChildStatus.wait(for: process)
    }
}
