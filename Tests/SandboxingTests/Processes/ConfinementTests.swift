// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinuxSystem
import Testing

/// What a confined process can still do. Each trial runs in a child, which makes no allocation: this process has other
/// threads.
@Suite struct ConfinementTests {
    /// Runs `trial` in a confined child; returns the errno that it returned, 0 for success.
    private func trial(_ work: Confinement.Work, _ trial: () -> CInt) throws -> CInt {
        let process = try Fork.child {
            // A child that waited for a lock of another thread would wait for ever.
            alarm(60)
            Confinement.enter(work)
            _exit(trial() < 0 ? errno : 0)
        }
        guard case .exited(let code)? = ChildStatus.wait(for: process) else { return -1 }
        return code
    }

    @Test(arguments: [Confinement.Work.openDescriptors, .connections])
    func opensNoFileAndStartsNoProcess(work: Confinement.Work) throws {
        #expect(try trial(work) { open("/dev/null", O_RDONLY) } == EPERM)
        #expect(try trial(work) { execv("/bin/true", [nil]) } == EPERM)
        #expect(try trial(work) { lc_fork(-1) < 0 ? -1 : 0 } == EPERM)
        #expect(try trial(work) { kill(getppid(), 0) } == EPERM)
        #expect(try trial(work) { lc_unshare(CInt(lc_network_namespace)) < 0 ? -1 : 0 } == EPERM)
        #expect(try trial(work) { socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0) } == EPERM)
        #expect(try trial(work) { socket(AF_PACKET, CInt(SOCK_RAW.rawValue), 0) } == EPERM)
        #expect(try trial(work) { lc_open_tun() < 0 ? -1 : 0 } == EPERM)
    }

    @Test(arguments: [Confinement.Work.openDescriptors, .connections])
    func makesNoMemoryExecutable(work: Confinement.Work) throws {
        let isMapped = { (protection: CInt) -> CInt in
            let memory = mmap(nil, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            return memory == MAP_FAILED ? -1 : 0
        }
        #expect(try trial(work) { isMapped(PROT_READ | PROT_EXEC) } == EPERM)
        #expect(try trial(work) { isMapped(PROT_READ | PROT_WRITE) } == 0)
    }

    @Test func connectsOnlyForThatWork() throws {
        for family in [AF_INET, AF_INET6] {
            #expect(try trial(.connections) { socket(family, CInt(SOCK_STREAM.rawValue), 0) } == 0)
            #expect(try trial(.openDescriptors) { socket(family, CInt(SOCK_STREAM.rawValue), 0) } == EPERM)
        }
    }

    /// A relay listens at what it was given, and forwards one datagram at a time.
    @Test(arguments: [Confinement.Work.openDescriptors, .connections])
    func opensNoListenerAndSendsNoBatches(work: Confinement.Work) throws {
        let (here, there) = try Descriptors.socketPair(SOCK_STREAM)
        defer {
            close(here)
            close(there)
        }
        #expect(try trial(work) { listen(here, 1) } == EPERM)
        #expect(try trial(work) { Self.call(lc_receive_datagrams(here, nil, 0)) } == EPERM)
        #expect(try trial(work) { Self.call(lc_send_datagrams(here, nil, 0)) } == EPERM)
        #expect(try trial(.probes) { Self.call(lc_receive_datagrams(here, nil, 0)) } != EPERM)
    }

    /// -1 with errno for a negative one.
    private static func call(_ result: CInt) -> CInt {
        if result < 0 { errno = -result }
        return min(max(result, -1), 0)
    }

    /// A monitor reads files, asks the kernel and connects; it changes no file and starts nothing.
    @Test func probesWithoutChangingAnything() throws {
        #expect(try trial(.probes) { open("/etc/hostname", O_RDONLY) < 0 && errno != ENOENT ? -1 : 0 } == 0)
        for flags in [O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_RDONLY | O_CREAT] {
            #expect(try trial(.probes) { open("/dev/null", flags, 0o600) } == EPERM)
        }
        for family in [AF_INET, AF_INET6, AF_UNIX, AF_NETLINK] {
            #expect(try trial(.probes) { socket(family, CInt(SOCK_DGRAM.rawValue), 0) } == 0)
        }
        #expect(try trial(.probes) { socket(AF_PACKET, CInt(SOCK_RAW.rawValue), 0) } == EPERM)
        #expect(try trial(.probes) { execv("/bin/true", [nil]) } == EPERM)
        #expect(try trial(.probes) { lc_fork(-1) < 0 ? -1 : 0 } == EPERM)
        #expect(try trial(.probes) { kill(getppid(), 0) } == EPERM)
        #expect(try trial(.probes) { rename("/nonexistent", "/nonexistent") } == EPERM)
    }

    @Test func readsAndWritesWhatIsOpen() throws {
        let pipe = try Descriptors.pipe()
        defer {
            close(pipe.read)
            close(pipe.write)
        }
        #expect(try trial(.openDescriptors) { CInt(write(pipe.write, "x", 1)) } == 0)
        var byte: UInt8 = 0
        #expect(read(pipe.read, &byte, 1) == 1)
    }

    @Test(.enabled("needs root, to give it up") { geteuid() == 0 })
    func isNotRoot() throws {
        #expect(try trial(.openDescriptors) { geteuid() == 0 || getegid() == 0 ? -1 : 0 } == 0)
        #expect(try trial(.openDescriptors) { setuid(0) } == EPERM)
    }
}
