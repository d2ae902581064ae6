// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Scenarios that change the conditions of a running command. Times are checked against lower bounds, and against
/// orders of magnitude.
@Suite(.enabled(if: Kernel.canPump && Kernel.hasSandboxes, "needs namespaces and /dev/net/tun"))
struct ScenarioRunTests {
    private static let near = profile("Near", delay: 5)
    private static let far = profile("Far", delay: 50)

    private static func profile(_ name: String, delay: Int) -> String {
        #"{ "name": "\#(name)", "uplink": { "delay": "\#(delay) ms" }, "downlink": { "delay": "\#(delay) ms" } }"#
    }

    private static func step(_ label: String, after trigger: String, _ profile: String = far) -> String {
        #"{ "label": "\#(label)", "after": \#(trigger), "profile": \#(profile) }"#
    }

    private static func scenario(_ steps: String..., first: String = near, repeat passes: Int = 1) -> String {
        #"{ "name": "Test", "profile": \#(first), "steps": [\#(steps.joined(separator: ", "))], "repeat": \#(passes) }"#
    }

    /// Runs a command under a scenario.
    private func run(
        _ scenario: String,
        _ command: [String],
        options: [String] = [],
        limit: Int = HangLimit.seconds
    ) throws -> CommandResult {
        let files = try TemporaryDirectory()
        try files.write("scenario.json", scenario)
        let options = ["--offline", "--scenario", "\(files.path)/scenario.json"] + options
        return try Program.start([Program.path, "run"] + options + ["--"] + command, limit: limit)
    }

    /// Runs a function of scenario.py under a scenario, and returns what it prints.
    private func talk(_ scenario: String, _ call: String) throws -> [Substring] {
        let outcome = try run(scenario, ControlTalk.command("\(Script("scenario.py").text)\n\(call)"))
        try outcome.requireSuccess()
        return outcome.lines
    }

    @Test func beginsAStepAfterATime() throws {
        let lines = try talk(Self.scenario(Self.step("away", after: #""2 s""#)), "comesAfterTime()")
        #expect(lines == ["True True", "True True", "away Far"])
    }

    @Test func beginsAStepAfterBytesOfBothDirections() throws {
        let step = Self.step("away", after: #"{ "bytes": "100 kB" }"#)
        #expect(try talk(Self.scenario(step), "comesAfterBytes()") == ["False", "True True"])
    }

    @Test func beginsAStepAfterConnections() throws {
        let trigger = #"{ "connections": 2 }"#
        let steps = Self.scenario(Self.step("away", after: trigger), Self.step("back", after: trigger, Self.near))
        #expect(try talk(steps, "comesAfterConnections()") == ["False", "True True", "False", "True"])
    }

    @Test func answersAMarkWhenItsStepIsInEffect() throws {
        let steps = Self.scenario(
            Self.step("away", after: #"{ "mark": "far" }"#),
            Self.step("back", after: #"{ "mark": "near" }"#, Self.near),
            repeat: 10
        )
        #expect(try talk(steps, "comesWithItsMark()") == ["True 0", "10 20 22", "True"])
    }

    @Test func keepsLivingConnections() throws {
        let steps = Self.scenario(
            Self.step("away", after: #"{ "mark": "far" }"#),
            Self.step("back", after: #"{ "mark": "near" }"#, Self.near),
            repeat: 2
        )
        #expect(try talk(steps, "keepsConnections()") == ["True", "True", "True", "True"])
    }

    @Test func losesNoPacketAndHasNoMomentWithoutConditions() throws {
        let steps = Self.scenario(
            Self.step("a", after: #"{ "mark": "a" }"#, Self.profile("A", delay: 30)),
            Self.step("b", after: #"{ "mark": "b" }"#, Self.profile("B", delay: 20)),
            first: Self.profile("First", delay: 25),
            repeat: 1000
        )
        #expect(try talk(steps, "hasNoMomentWithoutConditions()") == ["700 True", "True"])
    }

    /// A server has sent all that the client waits for, and the link still holds most of it.
    @Test(arguments: [false, true]) func dropsWhatTheLinkHoldsIfTheStepSaysSo(isDropped: Bool) throws {
        let slow = #"{ "name": "Slow", "downlink": { "rate": "200 kbit/s", "queue": "1 MB" } }"#
        let queued = isDropped ? #", "queued": "dropped""# : ""
        let step = #"{ "label": "cut", "after": { "mark": "cut" }, "profile": "Black Hole"\#(queued) }"#
        let files = try TemporaryDirectory()
        let options = ["--seed", "1", "--log", "\(files.path)/packets.tsv", "--report", "\(files.path)/report"]
        let client = """
            import os, socket, subprocess
            server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            server.bind(("127.0.0.1", 8000))
            client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            client.settimeout(1)
            client.sendto(b"ask", ("127.0.0.1", 8000))
            address = server.recvfrom(99)[1]
            for number in range(100):
                server.sendto(bytes(1000), address)
            client.recv(2000)
            subprocess.run([os.environ["LINKCOND"], "mark", "cut"], check=True, stdout=subprocess.DEVNULL)
            # What came until then is in the socket's buffer.
            client.setblocking(False)
            try:
                while True: client.recv(2000)
            except BlockingIOError: pass
            client.settimeout(1)
            count = 0
            try:
                while client.recv(2000): count += 1
            except TimeoutError: print(count)
            """
        let outcome = try run(Self.scenario(step, first: slow), ["python3", "-c", client], options: options)
        try outcome.requireSuccess()
        let count = try #require(Int(outcome.lines.first ?? ""))
        let dropped = try files.read("packets.tsv").matches(of: #/downlink\tdropped\tstep/#).count
        // By time.
        let total = try files.read("report/report.json").firstMatch(of: #/"step": \[([^\]]*)\]/#).map { match in
            match.1.split { !$0.isNumber }.compactMap { Int($0) }.reduce(0, +)
        }
        if isDropped {
            // What is written while the step takes effect.
            #expect(count <= 2 && dropped > 50 && total == dropped, "\(count) \(dropped) \(String(describing: total))")
        } else {
            #expect(count > 50 && dropped == 0 && total == nil, "\(count) \(dropped)")
        }
    }

    @Test func appliesTheSeedToEveryStep() throws {
        let lossy = #"{ "name": "Lossy", "uplink": { "loss": "50 %" } }"#
        let steps = Self.scenario(Self.step("lossy", after: #"{ "mark": "now" }"#, lossy))
        func answers(_ seed: String) throws -> [String] {
            let line = #""$LINKCOND" mark now && ping -n -c 40 -i 0.01 -W 1 127.0.0.1"#
            let outcome = try run(steps, ["sh", "-c", line], options: ["--seed", seed])
            return outcome.output.matches(of: /icmp_seq=(\d+)/).map { String($0.1) }
        }
        let first = try answers("7")
        #expect((3...37).contains(first.count), "\(first)")
        #expect(try answers("7") == first)
        #expect(try answers("8") != first)
    }

    @Test func streamsEventsToEarlyAndLateReaders() throws {
        let list = #"True ['begin', 'mark', 'mark', 'conditions'] ['one', 'two']"#
        let lines = try talk(Self.scenario(Self.step("a", after: #""1 min""#)), "streamsEvents()")
        #expect(lines == [list[...], list[...], "True True", "chunked application/x-ndjson"])
    }

    @Test func isNotHeldUpByReadersThatDoNotRead() throws {
        let lines = try talk(Self.scenario(Self.step("a", after: #""1 min""#)), "isNotHeldUpByReaders()")
        #expect(lines == ["200", "True 2999"])
    }

    @Test func tellsTheConditionsForLater() throws {
        let lines = try talk(Self.scenario(Self.step("a", after: #""1 min""#)), "tellsConditions()")
        #expect(lines == ["200 Near", "Black Hole", "200 True"])
        let bare = try Program.start(
            [Program.path, "run", "--offline", "--"]
                + ControlTalk.command("\(Script("scenario.py").text)\ntellsConditions()")
        )
        #expect(bare.lines == ["204 True", "Black Hole"], "\(bare)")
    }

    @Test(arguments: [
        (#"{ "bytes": "5 MB" }"#, "it waited for 5 MB, 0 bytes came"),
        (#"{ "connections": 3 }"#, "it waited for 3 connections, 0 came"),
        (#"{ "mark": "done" }"#, "it waited for mark 'done', which did not come"),
        (#""5 min""#, "it waited for 300 s, "),
    ])
    func saysWhichStepNeverBegan(trigger: String, words: String) throws {
        let steps = Self.scenario(Self.step("gone", after: trigger), Self.step("back", after: #""1 s""#))
        let outcome = try run(steps, ["sh", "-c", "exit 7"])
        #expect(outcome.status == 7)
        #expect(outcome.errors.contains("linkcond: note: step 'gone' never began: \(words)"), "\(outcome.errors)")
        #expect(outcome.errors.contains("; nor did 'back' after it"), "\(outcome.errors)")
    }

    @Test func saysNothingWhenAllStepsBegan() throws {
        let outcome = try run(Self.scenario(Self.step("a", after: #""0 s""#)), ["sleep", "0.5"])
        #expect(outcome.status == 0)
        #expect(!outcome.errors.contains("never began"), "\(outcome.errors)")
    }

    @Test func tellsTheEndAndWhatWasMissedToReaders() throws {
        let files = try TemporaryDirectory()
        let path = "\(files.path)/events"
        let command = ControlTalk.command("\(Script("scenario.py").text)\nreadsToTheEnd('\(path)')")
        _ = try run(Self.scenario(Self.step("gone", after: #"{ "bytes": "5 MB" }"#)), command)
        let events = try files.read("events").split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        #expect(events.compactMap { $0["event"] as? String } == ["begin", "missed", "part", "end"])
        #expect(events.dropFirst().first?["label"] as? String == "gone")
        #expect(events.dropFirst().first?["for"] as? String == "5 MB")
    }

    @Test func reportsAllMistakesBeforeAnythingRuns() throws {
        let outcome = try run(
            #"{ "name": "Bad", "profile": "Slow Nut", "steps": [{ "label": "", "after": "5", "profile": "3G" }] }"#,
            ["echo", "ran"]
        )
        #expect(outcome.status == 125)
        #expect(outcome.output.isEmpty)
        for words in [#"did you mean "Slow Net"?"#, "the label is empty", #""5" has no unit"#] {
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
    }

    /// netem refuses schedules by name.
    @Test func refusesAStepThatTheEngineCannotCarry() throws {
        let steps = Self.scenario(
            Self.step("sky", after: #""1 s""#, "\"Starlink\""),
            first: #"{ "name": "Free" }"#
        )
        let outcome = try run(steps, ["echo", "ran"], options: ["--engine", "netem"])
        #expect(outcome.status == 125)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("step 'sky': "), "\(outcome.errors)")
    }

    @Test func usesRecordingsOfLaterSteps() throws {
        let files = try TemporaryDirectory()
        try files.write("slow.txt", "100\n200\n")
        let trace = #"{ "name": "Bus", "downlink": { "trace": { "file": "slow.txt", "format": "mahimahi" } } }"#
        try files.write("scenario.json", Self.scenario(Self.step("bus", after: #"{ "mark": "on" }"#, trace)))
        let outcome = try Program.start(
            [
                Program.path, "run", "--offline", "--scenario", "scenario.json", "--", "sh", "-c",
                #""$LINKCOND" mark on && "$LINKCOND" status"#,
            ],
            directory: files.path
        )
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("rate from"), "\(outcome)")
        #expect(!outcome.errors.contains("failed"), "\(outcome)")
    }

    @Test(arguments: [
        (["Slow Net"], "leave out PROFILE"), (["--uplink", "loss=5 %"], "leave out PROFILE"),
        (["-i", "lo"], "cannot be combined with -i"),
    ])
    func refusesWhatAScenarioExcludes(options: [String], words: String) throws {
        let outcome = try run(Self.scenario(), ["echo", "ran"], options: options)
        #expect(outcome.status == 125)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func saysWhereAMarkCanBeSet() throws {
        let outside = try Program.run("mark", "here")
        #expect(outside.status == 64)
        #expect(outside.errors.contains("try: linkcond run"), "\(outside.errors)")
        let bad = try Program.run("mark", "it's")
        #expect(bad.status == 64)
        #expect(bad.errors.contains("contains an apostrophe"), "\(bad.errors)")
    }

    @Test(
        .enabled(if: PrivateWorld.isAvailable && Kernel.isRoot, PrivateWorld.need),
        arguments: ["killLauncher", "killSupervisor", "killGroup", "endPolitely"]
    )
    func leavesNothingWhenKilledWhileStepsBegin(way: String) throws {
        let steps = Self.scenario(
            Self.step("a", after: #""5 ms""#),
            Self.step("b", after: #""5 ms""#, Self.near),
            repeat: 1000
        )
        let call = """
            open("/tmp/scenario.json", "w").write('''\(steps)''')
            leavesNothing(\(way), [PROGRAM, "run", "--offline", "--scenario", "/tmp/scenario.json", "--"], 20, 0.15)
            """
        try PrivateWorld.check(.tester, "run-cleanup.py", call)
    }
}
