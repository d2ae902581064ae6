// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Foundation
import LinkProfiles
import TestKit
import Testing

/// The file of `run --capture`.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct RunCaptureTests {
    /// A packet as the log tells it, and as a comment of the capture does.
    private struct Fate: Hashable {
        var lane: String
        var fate: String
        var reason: String?
        /// Nanoseconds from arrival.
        var due: Int64
        var delay: Int64?
        var bytes: Int
    }

    private func run(_ options: String, _ command: String, in files: TemporaryDirectory) throws -> CommandResult {
        let run = "\"$LINKCOND\" run --offline --capture packets.pcapng \(options) -- sh -c '\(command)'"
        return try Program.shell("cd \(files.path) && \(run)")
    }

    private func packets(_ files: TemporaryDirectory) throws -> [CapturedPacket] {
        var reader = CaptureReader()
        reader.append(try Data(contentsOf: URL(fileURLWithPath: "\(files.path)/packets.pcapng")))
        var packets: [CapturedPacket] = []
        while let record = try reader.next() {
            if case .packet(let packet) = record { packets.append(packet) }
        }
        #expect(!reader.isCut)
        return packets
    }

    private func nanoseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
    }

    private func fates(_ packets: [CapturedPacket]) throws -> [Fate: Int] {
        try packets.reduce(into: [:]) { counts, packet in
            let fate = try #require(packet.comments.compactMap { PacketFate(comment: $0) }.first)
            let found = Fate(
                lane: fate.lane.name,
                fate: fate.fate.name,
                reason: fate.fate.reasonName,
                due: nanoseconds(try #require(fate.due)),
                delay: fate.delay.map(nanoseconds),
                bytes: packet.length
            )
            counts[found, default: 0] += 1
        }
    }

    private func logged(_ files: TemporaryDirectory) throws -> [Fate: Int] {
        func time(_ text: Substring) throws -> Int64 { try #require(Int64(text.filter { $0 != "." })) }
        return try files.read("log").split(separator: "\n").dropFirst().reduce(into: [:]) { counts, line in
            let fields = line.split(separator: "\t")
            guard fields.count == 9 else { return }
            let arrival = try time(fields[0])
            let found = Fate(
                lane: String(fields[5]),
                fate: String(fields[6]),
                reason: fields[7] == "-" ? nil : String(fields[7]),
                due: try time(fields[1]) - arrival,
                delay: fields[2] == "-" ? nil : try time(fields[2]) - arrival,
                bytes: try #require(Int(fields[3]))
            )
            counts[found, default: 0] += 1
        }
    }

    private static func difference(_ captured: [Fate: Int], _ logged: [Fate: Int]) -> [String] {
        Set(captured.keys).union(logged.keys).filter { captured[$0] != logged[$0] }.prefix(10)
            .map { "\($0): \(captured[$0] ?? 0) captured, \(logged[$0] ?? 0) logged" }
    }

    static let traffic = """
        python3 -m http.server 8000 >/dev/null 2>&1 & sleep 0.5; head -c 200000 /dev/zero >zeros
        ping -n -q -i 0.01 -W 1 -c 100 127.0.0.1; ping -n -q -i 0.01 -W 1 -c 30 ::1
        curl -s --max-time 3 http://127.0.0.1:8000/zeros
        """

    @Test(arguments: [
        "--uplink \"loss=30 %\" --downlink \"loss=1 %\"",
        "--uplink \"loss=10 %, delay=20 ms\" --downlink \"loss=10 %\"",
        "--uplink \"loss=20 %, delay=30 ms, duplicate=20 %, rate=5 Mbit/s\" --downlink \"corrupt=10 %\"",
    ])
    func holdsExactlyTheLoggedPackets(conditions: String) throws {
        let files = try TemporaryDirectory()
        _ = try run("--seed 7 --log log \(conditions)", Self.traffic, in: files)
        let (packets, logged) = (try packets(files), try logged(files))
        #expect(packets.count > 200)
        let captured = try fates(packets)
        #expect(captured == logged, "\(Self.difference(captured, logged))")
        #expect(captured.keys.contains { $0.fate == "dropped" || $0.fate == "corrupted" })
        // As the command saw them.
        #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    /// In one file; the first packet that the new conditions apply to says so.
    @Test func goesOnAfterASwitch() throws {
        let files = try TemporaryDirectory()
        let pings = "ping -n -q -c 3 -i 0.05 -W 1 127.0.0.1"
        let change = #""$LINKCOND" switch"#
        let line = "\(pings); \(change) \"Black Hole\"; \(pings); \(change) LTE; \(pings)"
        _ = try run("3G", line, in: files)
        let packets = try packets(files)
        let notes = packets.map { $0.comments.compactMap(ConditionsNote.profile(inComment:)) }
        #expect(notes.flatMap(\.self) == ["Black Hole", "LTE"])
        let changes = notes.indices.filter { !notes[$0].isEmpty }
        try #require(changes.count == 2)
        let dropped = try packets.map {
            try #require($0.comments.compactMap { PacketFate(comment: $0) }.first).fate.reasonName
        }
        #expect(changes[0] >= 6 && dropped[..<changes[0]].allSatisfy { $0 == nil })
        #expect(dropped[changes[0]..<changes[1]].count { $0 == "randomLoss" } == 3)
        #expect(packets.count - changes[1] == 6 && dropped[changes[1]...].allSatisfy { $0 == nil })
        let lines = try Program.run("capture", "-r", "\(files.path)/packets.pcapng", "-n", "-t").lines
        let told = ["Black Hole", "LTE"].map { "-- conditions from here on: \($0)" }
        #expect(lines.filter { $0.hasPrefix("--") }.map(String.init) == told)
    }

    private static let upload = """
        import socket, threading
        listener = socket.create_server(("127.0.0.1", 0))
        def receive():
            peer = listener.accept()[0]
            while peer.recv(65536): pass
            peer.close()
        server = threading.Thread(target=receive)
        server.start()
        client = socket.create_connection(listener.getsockname())
        client.sendall(bytes(600000))
        client.shutdown(socket.SHUT_WR)
        server.join()
        """

    /// A loss is decided before the parts that are delivered; tshark would take those for reordered.
    @Test func holdsThePartsOfSuperPacketsInTheirOrder() throws {
        let files = try TemporaryDirectory()
        try files.write("upload.py", Self.upload)
        let conditions = "--uplink \"rate=50 Mbit/s, delay=10 ms, loss=5 %\""
        try run("--seed 3 \(conditions)", "python3 upload.py", in: files).requireSuccess()
        let filter = ["-Y", "tcp.len > 0 && frame.comment contains \"lane=uplink\"", "-T", "fields"]
        let columns = ["-e", "frame.time_epoch", "-e", "tcp.seq"]
        let found = try Program.start(["tshark", "-r", "\(files.path)/packets.pcapng"] + filter + columns)
        let parts = try found.lines.map { line in
            let fields = line.split(separator: "\t")
            return (time: fields[0], sequence: try #require(Int(fields[1])))
        }
        let together = zip(parts, parts.dropFirst()).filter { $0.time == $1.time }
        #expect(together.count > 50 && together.allSatisfy { $0.sequence < $1.sequence }, "\(found)")
    }

    @Test func isReadWithoutComplaint() throws {
        let files = try TemporaryDirectory()
        _ = try run("--uplink \"loss=30 %\"", Self.traffic, in: files)
        let count = try packets(files).count
        let facts = try Program.start(["capinfos", "-c", "-M", "\(files.path)/packets.pcapng"])
        #expect(facts.status == 0 && facts.output.contains("Number of packets:   \(count)\n"), "\(facts)")
        let details = try Program.start(["tshark", "-r", "\(files.path)/packets.pcapng", "-V"])
        #expect(details.status == 0 && !details.output.contains("Malformed"), "\(details.errors)")
        let filter = "frame.comment contains \"fate=dropped\""
        let lost = try Program.start(["tshark", "-r", "\(files.path)/packets.pcapng", "-Y", filter])
        let dropped = try fates(packets(files)).filter { $0.key.fate == "dropped" }.values.reduce(0, +)
        #expect(lost.lines.count == dropped)
    }

    @Test func isForItsOwnerAlone() throws {
        let files = try TemporaryDirectory()
        try files.write("packets.pcapng", "older")
        try Program.start(["chmod", "0644", "\(files.path)/packets.pcapng"]).requireSuccess()
        try run("\"Slow Net\"", "ping -c 1 127.0.0.1", in: files).requireSuccess()
        #expect(try Program.start(["stat", "-c", "%a", "\(files.path)/packets.pcapng"]).output == "600\n")
        #expect(try packets(files).count == 2)
    }

    @Test func cutsPacketsWhereAskedTo() throws {
        let files = try TemporaryDirectory()
        try run("--capture-snap 60 \"Slow Net\"", "ping -c 1 -s 1000 127.0.0.1", in: files).requireSuccess()
        #expect(try packets(files).map { [$0.bytes.count, $0.length] } == [[60, 1042], [60, 1042]])
    }

    /// Keys that the command logs are in the file, before the packets that they decrypt.
    @Test func decryptsWhatTheCommandHasLoggedKeysOf() throws {
        let files = try TemporaryDirectory()
        let command = """
            openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out certificate -subj /CN=localhost 2>errors
            openssl s_server -quiet -www -key key -cert certificate -accept 8443 >server 2>&1 &
            curl -sk --max-time 120 --retry 99 --retry-delay 1 --retry-connrefused https://127.0.0.1:8443/ >answer
            """
        let line = """
            cd \(files.path) && SSLKEYLOGFILE=keys "$LINKCOND" run --offline --capture packets.pcapng \\
                --uplink 'delay=20 ms' -- sh -c '\(command)'
            """
        try Program.shell(line).requireSuccess()
        let filter = ["-Y", "http.request", "-T", "fields", "-e", "http.request.uri"]
        let found = try Program.start(["tshark", "-r", "\(files.path)/packets.pcapng"] + filter)
        #expect(found.output == "/\n", "\(found)")
    }

    @Test func takesAnEmptyNameForNoKeyLog() throws {
        let files = try TemporaryDirectory()
        let line = "SSLKEYLOGFILE= \"$LINKCOND\" run --offline --capture packets.pcapng 'Slow Net' -- true"
        try Program.shell("cd \(files.path) && \(line)").requireSuccess()
    }

    /// The command goes on, and the file is readable as far as there was room.
    @Test(.enabled(if: Kernel.isRoot, "needs root"))
    func saysThatTheDiskIsFull() throws {
        let files = try TemporaryDirectory()
        let line = """
            mount -t tmpfs -o size=64k none \(files.path) && cd \(files.path) &&
            "$LINKCOND" run --offline --capture packets.pcapng 'Slow Net' -- \\
                sh -c 'ping -q -s 1400 -i 0.01 -c 60 127.0.0.1 && exit 5'
            echo "status $?"; capinfos -c packets.pcapng
            """
        let outcome = try Program.start(["unshare", "-m", "sh", "-c", line])
        #expect(outcome.output.contains("status 5\n"), "\(outcome)")
        // Which of the two it meets first depends on when it looks.
        let reasons = ["No space left", "it has taken half of the room"]
        let early = "note: the capture ends early, and can be read up to there: "
        #expect(reasons.contains { outcome.errors.contains(early + $0) }, "\(outcome)")
        #expect(outcome.output.contains(#/Number of packets: +[2-4]\d\n/#), "\(outcome)")
        #expect(!outcome.errors.contains("cut short"), "\(outcome)")
    }

    @Test func isReadableAfterAKill() throws {
        let files = try TemporaryDirectory()
        let line = """
            cd \(files.path)
            "$LINKCOND" run --offline --capture packets.pcapng 'Slow Net' -- ping -q -i 0.02 127.0.0.1 & run=$!
            until [ "$(stat -c %s packets.pcapng 2>/dev/null || echo 0)" -gt 8000 ]; do sleep 0.05; done
            kill -KILL $run; wait $run
            capinfos -c packets.pcapng
            """
        let outcome = try Program.shell(line)
        #expect(!outcome.errors.contains("cut short"), "\(outcome)")
        #expect(try packets(files).count > 20)
    }

    @Test(arguments: [
        ("--capture /nonexistent/x --offline", 125, "cannot write the capture /nonexistent/x: No such file"),
        ("--capture x -i lo --engine netem Wi-Fi", 125, "linkcond capture -i lo -w x"),
        ("--log x -i lo Wi-Fi", 125, "--log cannot be combined with -i"),
        ("--capture-snap 5", 125, "--capture-snap needs --capture"),
        ("--capture x --capture-snap 0", 125, "--capture-snap is 1 to 262144"),
    ])
    func refusesMistakes(options: String, status: Int32, words: String) throws {
        let outcome = try Program.shell("\"$LINKCOND\" run \(options) -- true")
        #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome)")
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root to run as another user"))
    func followsNoLinkOfAnotherUser() throws {
        let files = try TemporaryDirectory()
        try files.write("target", "kept")
        try Program.start(["ln", "-s", "target", "\(files.path)/packets.pcapng"]).requireSuccess()
        let outcome = try run("--user nobody \"Slow Net\"", "true", in: files)
        #expect(outcome.status == 125 && outcome.errors.contains("symbolic links are not followed"), "\(outcome)")
        #expect(try files.read("target") == "kept")
    }
}
