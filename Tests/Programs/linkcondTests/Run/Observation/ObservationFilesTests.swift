// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestKit
import Testing

/// Where an observed run keeps its packets, and where it cannot.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct ObservationFilesTests {
    @Test func refusesAReportWhereAFileIsBeforeAnythingRuns() throws {
        let files = try TemporaryDirectory()
        let result = try Program.shell(
            """
            cd \(files.path) && echo words >taken && "$LINKCOND" run --offline --report taken -- touch ran; echo $?
            ls; cat taken
            """
        )
        #expect(result.output == "125\ntaken\nwords\n", "\(result.errors)")
        #expect(result.errors.contains("cannot write the report to taken: it is not a directory\n"))
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root"))
    func refusesADirectoryThatItCannotWriteToBeforeAnythingRuns() throws {
        let files = try TemporaryDirectory()
        let program = try Installation(for: .nobody)
        let result = try program.shell(
            """
            for place in / /made; do
            "$LINKCOND" run --offline --report $place -- touch \(files.path)/ran; echo $?
            done; ls \(files.path)
            """
        )
        #expect(result.output == "125\n125\n", "\(result.errors)")
        #expect(result.errors.contains("cannot write the report to /: cannot make /packets.pcapng: Permission denied"))
        #expect(result.errors.contains("make /made: Permission denied"), "\(result.errors)")
    }

    @Test func refusesNetemWithTheReason() throws {
        let result = try Program.run(
            "run",
            "--offline",
            "Slow Net",
            "--engine",
            "netem",
            "--expect",
            "exits with 0",
            "--",
            "true"
        )
        #expect(result.status == 125)
        #expect(result.errors.contains("need the userspace engine, which knows each packet's fate"), "\(result.errors)")
    }

    /// Whatever the command fills the disk with, the capture has an end, which tells why it is early.
    @Test(.enabled(if: Kernel.isRoot, "needs root"), arguments: 0..<4)
    func saysThatTheDiskWasFull(bytes: Int) throws {
        let files = try TemporaryDirectory()
        // The captured packets end at different places in the last page.
        let line = """
            mount -t tmpfs -o size=2m none \(files.path) && cd \(files.path) &&
            "$LINKCOND" run --offline --uplink 'delay=1 ms' --capture packets --expect 'at most 9 connections' -- sh -c '
            ping -q -s \(1100 + 97 * bytes) -i 0.002 -c 300 127.0.0.1 & sleep 0.3; cat /dev/zero >fill; wait'
            """
        let result = try Program.start(["unshare", "-m", "sh", "-c", line])
        #expect(
            result.errors.contains(#/inconclusive .* \d+ packets could not be captured: No space left on device\n/#),
            "\(result)"
        )
    }

    /// The capture that no user asked for must not fill a disk, and what it lacks must not be taken for silence.
    @Test(.enabled(if: Kernel.isRoot, "needs root"))
    func endsAnUnnamedCaptureWhileHalfOfTheRoomIsLeft() throws {
        let transfer = """
            import socket, threading, time
            server = socket.create_server(("127.0.0.1", 8000))
            def send():
                connection, _ = server.accept()
                for _ in range(64): connection.sendall(bytes(65536)); time.sleep(0.01)
                connection.close()
            threading.Thread(target=send).start()
            client = socket.create_connection(("127.0.0.1", 8000))
            while client.recv(65536): pass
            """
        let files = try TemporaryDirectory()
        let result = try Program.start(
            [
                "unshare", "-m", "bash", "-c",
                """
                mount -t tmpfs -o size=2m none "$1" && export TMPDIR="$1" && shift
                "$LINKCOND" run --offline --uplink "delay=1 ms" --expect "at most 99999999 bytes" \
                --expect "exits with 0" -- \
                "$@"
                """, "bash", files.path, "/usr/bin/python3", "-c", transfer,
            ]
        )
        #expect(result.status == 0, "\(result)")
        #expect(
            result.errors.contains(
                #/the capture ends early, and can be read up to there: it has taken half/#
            )
        )
        #expect(
            result.errors.contains(#/inconclusive +at most 99999999 bytes: .* \d+ packets could not be captured/#)
        )
        #expect(result.errors.contains("pass  exits with 0"))
        #expect(!result.errors.contains("No space left"))
    }

    /// A file without a name gets one; one that has lost its name, as on a file system without such files, is copied.
    @Test(arguments: [false, true]) func givesAFileItsNameAtTheEnd(isCopied: Bool) throws {
        let files = try TemporaryDirectory()
        let directory = try Directory(making: files.path)
        try files.write("packets", "older")
        let file: CInt
        if isCopied {
            file = try directory.create("draft", mode: 0o600)
            try directory.remove("draft")
        } else {
            file = try directory.createUnnamed("packets", mode: 0o600)
        }
        defer { close(file) }
        #expect(Descriptors.write(Array("newer".utf8)[...], to: file) == nil)
        #expect(try files.read("packets") == "older")
        try directory.name(file, "packets", mode: 0o600)
        #expect(try files.read("packets") == "newer" && DirectoryListing.names(in: files.path) == ["packets"])
    }
}
