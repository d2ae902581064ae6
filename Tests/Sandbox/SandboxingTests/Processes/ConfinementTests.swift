// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinuxSystem
import Testing

/// What a confined process can still do. Each trial runs in a child, and each test in a process of its own.
@Suite struct ConfinementTests {
    /// Runs `trial` in a confined child, and compares the errno that it returned, 0 for success.
    private static func expect(
        _ expected: CInt,
        _ work: Confinement.Work,
        _ trial: () -> CInt,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let end = try ForkedTrial.end {
            Confinement.enter(work)
            _exit(trial() < 0 ? errno : 0)
        }
        #expect(end == .exited(expected), sourceLocation: sourceLocation)
    }

    private static let works = [Confinement.Work.openDescriptors, .connections]

    @Test func opensNoFileAndStartsNoProcess() async {
        await #expect(processExitsWith: .success) {
            for work in Self.works {
                try Self.expect(EPERM, work) { open("/dev/null", O_RDONLY) }
                try Self.expect(EPERM, work) { execv("/bin/true", [nil]) }
                try Self.expect(EPERM, work) { lc_fork(-1) < 0 ? -1 : 0 }
                try Self.expect(EPERM, work) { kill(getppid(), 0) }
                try Self.expect(EPERM, work) { lc_unshare(CInt(lc_network_namespace)) < 0 ? -1 : 0 }
                try Self.expect(EPERM, work) { socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0) }
                try Self.expect(EPERM, work) { socket(AF_PACKET, CInt(SOCK_RAW.rawValue), 0) }
                try Self.expect(EPERM, work) { lc_open_tun() < 0 ? -1 : 0 }
            }
        }
    }

    @Test func makesNoMemoryExecutable() async {
        await #expect(processExitsWith: .success) {
            let isMapped = { (protection: CInt) -> CInt in
                let memory = mmap(nil, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                return memory == MAP_FAILED ? -1 : 0
            }
            for work in Self.works {
                try Self.expect(EPERM, work) { isMapped(PROT_READ | PROT_EXEC) }
                try Self.expect(0, work) { isMapped(PROT_READ | PROT_WRITE) }
            }
        }
    }

    @Test func connectsOnlyForThatWork() async {
        await #expect(processExitsWith: .success) {
            for family in [AF_INET, AF_INET6] {
                try Self.expect(0, .connections) { socket(family, CInt(SOCK_STREAM.rawValue), 0) }
                try Self.expect(EPERM, .openDescriptors) { socket(family, CInt(SOCK_STREAM.rawValue), 0) }
            }
        }
    }

    /// A relay listens at what it was given, and forwards one datagram at a time.
    @Test func opensNoListenerAndSendsNoBatches() async {
        await #expect(processExitsWith: .success) {
            let (here, _) = try Descriptors.socketPair(SOCK_STREAM)
            for work in Self.works {
                try Self.expect(EPERM, work) { listen(here, 1) }
                try Self.expect(EPERM, work) { Self.call(lc_receive_datagrams(here, nil, 0)) }
                try Self.expect(EPERM, work) { Self.call(lc_send_datagrams(here, nil, 0)) }
            }
            try Self.expect(0, .probes) {
                Self.call(lc_receive_datagrams(here, nil, 0)) < 0 && errno == EPERM ? -1 : 0
            }
        }
    }

    /// -1 with errno for a negative one.
    private static func call(_ result: CInt) -> CInt {
        if result < 0 { errno = -result }
        return min(max(result, -1), 0)
    }

    /// A monitor reads files, asks the kernel and connects; it changes no file and starts nothing.
    @Test func probesWithoutChangingAnything() async {
        await #expect(processExitsWith: .success) {
            try Self.expect(0, .probes) { open("/etc/hostname", O_RDONLY) < 0 && errno != ENOENT ? -1 : 0 }
            for flags in [O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_RDONLY | O_CREAT] {
                try Self.expect(EPERM, .probes) { open("/dev/null", flags, 0o600) }
            }
            for family in [AF_INET, AF_INET6, AF_UNIX, AF_NETLINK] {
                try Self.expect(0, .probes) { socket(family, CInt(SOCK_DGRAM.rawValue), 0) }
            }
            try Self.expect(EPERM, .probes) { socket(AF_PACKET, CInt(SOCK_RAW.rawValue), 0) }
            try Self.expect(EPERM, .probes) { execv("/bin/true", [nil]) }
            try Self.expect(EPERM, .probes) { lc_fork(-1) < 0 ? -1 : 0 }
            try Self.expect(EPERM, .probes) { kill(getppid(), 0) }
            try Self.expect(EPERM, .probes) { rename("/nonexistent", "/nonexistent") }
        }
    }

    @Test func readsAndWritesWhatIsOpen() async {
        await #expect(processExitsWith: .success) {
            let pipe = try Descriptors.pipe()
            try Self.expect(0, .openDescriptors) { CInt(write(pipe.write, "x", 1)) }
            var byte: UInt8 = 0
            #expect(read(pipe.read, &byte, 1) == 1)
        }
    }

    @Test(.enabled("needs root, to give it up") { geteuid() == 0 })
    func isNotRoot() async {
        await #expect(processExitsWith: .success) {
            try Self.expect(0, .openDescriptors) { geteuid() == 0 || getegid() == 0 ? -1 : 0 }
            try Self.expect(EPERM, .openDescriptors) { setuid(0) }
        }
    }
}
