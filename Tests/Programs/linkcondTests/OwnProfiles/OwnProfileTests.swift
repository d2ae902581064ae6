// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// `new`, `edit`, `remove` and `list --mine`, in a configuration directory of their own.
@Suite struct OwnProfileTests {
    private let home: TemporaryDirectory

    init() throws { home = try TemporaryDirectory() }

    private var directory: String { "\(home.path)/.config/linkcond/profiles" }

    /// Runs the program with the home directory and these variables.
    private func run(_ arguments: String..., variables: [String: String] = [:], input: String = "") throws
        -> CommandResult
    {
        let variables = ["HOME": home.path].merging(variables) { $1 }
        return try Program.start([Program.path] + arguments, input: input, variables: variables)
    }

    /// Runs `edit` with a line of shell as the editor, in which "$1" is the text.
    private func edit(_ name: String, _ line: String) throws -> CommandResult {
        let editor = try home.write("editor", "#!/bin/sh\n\(line)\n").path
        try Program.start(["chmod", "755", editor]).requireSuccess()
        return try run("edit", name, variables: ["VISUAL": editor, "EDITOR": "false"])
    }

    private func text(_ name: String) throws -> String { try home.read(".config/linkcond/profiles/\(name)") }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    @Test func copiesAProfileAndSaysWhere() throws {
        let outcome = try run("new", "My Slow Net", "--from", "slow-net")
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("made \"My Slow Net\": \(directory)/my-slow-net.json;"), "\(outcome)")
        let shown = try run("show", "my slow net", "--json").output
        #expect(
            shown == (try run("show", "Slow Net", "--json").output).replacing("\"Slow Net\"", with: "\"My Slow Net\"")
        )
        #expect(try run("validate", "\(directory)/my-slow-net.json").status == 0)
        #expect(files == ["my-slow-net.json"])
    }

    @Test func changesFiguresOfTheCopy() throws {
        #expect(
            try run("new", "Mine", "--from", "3G", "--uplink", "loss=5 %,delay=1 ms", "--dns", "delay=1 s").status == 0
        )
        let output = try run("show", "mine").output
        #expect(output.contains("uplink    5 % lost, 1 ms delay, 330 kbit/s"), "\(output)")
        #expect(output.contains("dns       1 s more") && output.contains("source    3G, changed:"), "\(output)")
    }

    @Test func makesAProfileOfFiguresAlone() throws {
        #expect(try run("new", "Train", "--downlink", "rate=4 Mbit/s").status == 0)
        #expect(try text("train.json").contains(#""rate": "4 Mbit/s""#))
        let bare = try run("new", "Bus")
        #expect(bare.status == 64 && bare.errors.contains("--from"), "\(bare)")
        let wrong = try run("new", "Bus", "--downlink", "rate=4")
        #expect(wrong.status == 65 && files == ["train.json"], "\(wrong)")
    }

    /// A name that is taken, however it is spelt, or a file that is in the way: both stay as they are.
    @Test func neverOverwrites() throws {
        #expect(try run("new", "My Train", "--downlink", "delay=1 ms").status == 0)
        let before = try text("my-train.json")
        for name in ["My Train", "my-train", "MYTRAIN"] {
            let outcome = try run("new", name, "--downlink", "delay=2 ms")
            #expect(outcome.status == 64 && outcome.errors.contains("my-train.json"), "\(outcome)")
        }
        try home.write(".config/linkcond/profiles/bus.json", #"{"name": "Another", "uplink": {"delay": "1 ms"}}"#)
        let blocked = try run("new", "Bus", "--downlink", "delay=2 ms")
        #expect(blocked.status == 64 && blocked.errors.contains("bus.json is there already"), "\(blocked)")
        #expect(try text("my-train.json") == before && text("bus.json").contains("Another"))
        #expect(files == ["bus.json", "my-train.json"])
    }

    @Test(arguments: ["a/b", "x.json", "\u{1B}[31m", "-", "++", String(repeating: "x", count: 101)])
    func refusesWhatIsNoName(name: String) throws {
        let outcome = try run("new", "--from", "3G", "--", name)
        #expect(outcome.status == 65 || outcome.status == 64, "\(outcome)")
        #expect(files.isEmpty)
    }

    @Test(arguments: ["LTE+", "100% Mine", "5.1", "a.schema", "Zug nach Köln", String(repeating: "語", count: 100)])
    func findsAProfileUnderItsName(name: String) throws {
        #expect(try run("new", name, "--downlink", "delay=7 ms").status == 0)
        #expect(try run("show", name).output.contains("7 ms delay"))
        #expect(try run("remove", name).status == 0 && files.isEmpty)
    }

    @Test func usesTheConfigurationDirectory() throws {
        let variables = ["XDG_CONFIG_HOME": "\(home.path)/x/y"]
        #expect(try run("new", "Mine", "--from", "3G", variables: variables).status == 0)
        #expect(try home.read("x/y/linkcond/profiles/mine.json").contains("Mine"))
        #expect(try run("list", "--mine", variables: variables).lines.count == 2)
        let none = try Program.start(["env", "-u", "HOME", Program.path, "new", "Mine", "--from", "3G"])
        #expect(none.status == 64 && none.errors.contains("XDG_CONFIG_HOME"), "\(none)")
    }

    @Test func findsTheRecordingsOfTheCopy() throws {
        try home.write("lte.down", "1\n2\n3\n")
        let json = #"{"name": "Rec", "downlink": {"trace": {"file": "lte.down", "format": "mahimahi"}}}"#
        let file = try home.write("rec.json", json).path
        #expect(try run("new", "Mine", "--from", file).status == 0)
        #expect(try run("show", "Mine").output.contains("3 ms"))
    }

    @Test func saysWhichProfileIsUsed() throws {
        let hiding = try run("new", "3G", "--downlink", "delay=1 ms")
        #expect(hiding.status == 0 && hiding.errors.contains("in place of the built-in profile"), "\(hiding)")
        try home.write("mine.json", #"{"name": "Mine", "uplink": {"delay": "1 ms"}}"#)
        let hidden = try run("new", "Mine", "--from", "LTE", variables: ["LINKCOND_PROFILE_PATH": home.path])
        #expect(hidden.status == 0 && hidden.errors.contains("mine.json, which is searched before"), "\(hidden)")
        let again = try run("remove", "3G")
        #expect(again.errors.contains("\"3G\" is the built-in profile again"), "\(again)")
    }

    @Test func listsOnesOwn() throws {
        let empty = try run("list", "--mine")
        #expect(empty.status == 0 && empty.output.isEmpty && empty.errors.contains("linkcond new"), "\(empty)")
        #expect(try run("list", "--mine", "--json").output == "[]\n")
        for name in ["Train", "Bus"] { #expect(try run("new", name, "--from", "3G").status == 0) }
        let lines = try run("list", "--mine").lines
        #expect(lines.dropFirst().map { $0.split(separator: " ").first } == ["bus", "train"], "\(lines)")
        #expect(try run("list", "--mine", "bus").lines.count == 2)
        let none = try run("list", "--mine", "slow")
        #expect(none.status == 66 && none.errors.contains("no profile of your own has \"slow\""), "\(none)")
    }

    @Test func editsWithTheUsersEditor() throws {
        #expect(try run("new", "Mine", "--from", "Slow Net").status == 0)
        let outcome = try edit("mine", #"sed -i 's/32 kbit/64 kbit/' "$1""#)
        #expect(outcome.status == 0 && outcome.errors.contains("changed \"Mine\""), "\(outcome)")
        #expect(try run("show", "Mine").output.contains("64 kbit/s"))
        #expect(files == ["mine.json"])
        let same = try edit("mine", "true")
        #expect(same.status == 0 && same.errors.contains("nothing is changed"), "\(same)")
        #expect(files == ["mine.json"])
    }

    @Test func takesTheEditorsArguments() throws {
        #expect(try run("new", "Mine", "--from", "Slow Net").status == 0)
        let outcome = try run("edit", "Mine", variables: ["VISUAL": "", "EDITOR": "sed -i 's/32 kbit/64 kbit/'"])
        #expect(outcome.status == 0, "\(outcome)")
        let missing = try run("edit", "Mine", variables: ["EDITOR": "no-such-editor"])
        #expect(missing.status == 69 && missing.errors.contains("no-such-editor"), "\(missing)")
        #expect(files == ["mine.json"])
    }

    @Test func keepsAnInvalidTextAndGoesOnWithIt() throws {
        #expect(try run("new", "Mine", "--from", "Slow Net").status == 0)
        let before = try text("mine.json")
        let outcome = try edit("mine", #"sed -i 's/32 kbit\/s/32 kbit/; s/"delay"/"dely"/' "$1""#)
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.errors.matches(of: /\.mine\.draft\.json:\d+:\d+: \$\./).count >= 3, "\(outcome)")
        #expect(outcome.errors.contains("your text is in \(directory)/.mine.draft.json"), "\(outcome)")
        #expect(try text("mine.json") == before && text(".mine.draft.json").contains("dely"))
        #expect(try run("list", "--mine").lines.count == 2)
        let again = try edit("mine", #"sed -i 's/kbit"/kbit\/s"/; s/"dely"/"delay"/; s/100 ms/50 ms/' "$1""#)
        #expect(again.status == 0 && again.errors.contains("going on with the draft"), "\(again)")
        #expect(try run("show", "Mine").output.contains("50 ms delay, 32 kbit/s"))
        #expect(files == ["mine.json"])
    }

    /// SIGKILL of the program, of its editor, and an editor that fails.
    @Test(arguments: ["kill -9 $PPID", "kill -9 $$", "exit 3"])
    func losesNoTextWhenKilled(end: String) throws {
        #expect(try run("new", "Mine", "--from", "Slow Net").status == 0)
        let before = try text("mine.json")
        let outcome = try edit("mine", "echo ' typed' >>\"$1\"; \(end)")
        #expect(outcome.status != 0, "\(outcome)")
        #expect(try text("mine.json") == before && text(".mine.draft.json") == before + " typed\n")
        let clean = try edit("mine", #"sed -i '/typed/d; s/32 kbit/33 kbit/' "$1""#)
        #expect(clean.status == 0, "\(clean)")
        #expect(try text("mine.json").contains("33 kbit") && files == ["mine.json"])
    }

    @Test func editsABrokenFileByItsName() throws {
        #expect(try run("new", "Mine", "--from", "Slow Net").status == 0)
        try home.write(".config/linkcond/profiles/mine.json", "{ broken")
        let outcome = try edit("Mine", #"echo '{"name": "Mine", "uplink": {"delay": "9 ms"}}' >"$1""#)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try run("show", "Mine").output.contains("9 ms"))
    }

    @Test func keepsASymbolicLink() throws {
        #expect(try run("new", "Mine", "--from", "Slow Net").status == 0)
        try Program.shell("cd \(directory) && mv mine.json ../kept && ln -s ../kept mine.json").requireSuccess()
        #expect(try edit("mine", #"sed -i 's/32 kbit/64 kbit/' "$1""#).status == 0)
        #expect(try home.read(".config/linkcond/kept").contains("64 kbit"))
        #expect(try Program.shell("test -L \(directory)/mine.json").status == 0)
    }

    @Test func replacesNothingThatHasChangedMeanwhile() throws {
        #expect(try run("new", "Mine", "--from", "Slow Net").status == 0)
        let other = #"{"name": "Mine", "uplink": {"delay": "9 ms"}}"#
        let outcome = try edit("mine", "sed -i 's/32 kbit/64 kbit/' \"$1\"; echo '\(other)' >\(directory)/mine.json")
        #expect(outcome.status == 75 && outcome.errors.contains("your text is in"), "\(outcome)")
        #expect(try text("mine.json") == other + "\n" && text(".mine.draft.json").contains("64 kbit"))
    }

    @Test func refusesASecondEditor() throws {
        #expect(try run("new", "Mine", "--from", "Slow Net").status == 0)
        let outcome = try edit(
            "mine",
            "VISUAL=true \(Program.path) edit mine 2>\(home.path)/second; echo $? >>\(home.path)/second"
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try home.read("second").contains("another process is changing"))
        #expect(try home.read("second").hasSuffix("\n75\n"))
    }

    @Test func refusesANameThatIsTaken() throws {
        for name in ["Mine", "Other"] { #expect(try run("new", name, "--from", "3G").status == 0) }
        let outcome = try edit("Mine", #"sed -i 's/"Mine"/"other"/' "$1""#)
        #expect(outcome.status == 64 && outcome.errors.contains("other.json"), "\(outcome)")
        #expect(try text("mine.json").contains("\"Mine\""))
    }

    @Test(arguments: ["edit", "remove"])
    func changesOnlyOnesOwn(command: String) throws {
        let builtIn = try run(command, "slow-net")
        #expect(builtIn.status == 64 && builtIn.errors.contains("\"Slow Net\" is built in"), "\(builtIn)")
        #expect(
            builtIn.errors.contains("try: linkcond new \"My Slow Net\" --from \"Slow Net\"")
                || builtIn.errors.contains("try: linkcond new 'My Slow Net' --from 'Slow Net'"),
            "\(builtIn)"
        )
        let unknown = try run(command, "nothing")
        #expect(unknown.status == 66 && unknown.errors.contains("linkcond list --mine"), "\(unknown)")
        try home.write("mine.json", #"{"name": "Mine", "uplink": {"delay": "1 ms"}}"#)
        let elsewhere = try run(command, "mine", variables: ["LINKCOND_PROFILE_PATH": home.path])
        #expect(elsewhere.status == 64 && elsewhere.errors.contains("not among your own"), "\(elsewhere)")
        #expect(try run(command, "./mine.json").status == 64)
    }

    @Test func removesItsDraftToo() throws {
        #expect(try run("new", "Mine", "--from", "3G").status == 0)
        #expect(try edit("mine", "echo x >>\"$1\"").status == 65)
        let outcome = try run("remove", "MINE")
        #expect(outcome.status == 0 && outcome.errors.contains("removed \"Mine\"") && files.isEmpty, "\(outcome)")
    }

    @Test(.enabled(if: PrivateWorld.isAvailable, PrivateWorld.need))
    func asksToEditAgainOnATerminal() throws {
        try PrivateWorld.check(.tester, "edit-profile.py", "editAgain()")
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to be called by sudo"))
    func leavesTheCallerOfSudoTheirFiles() throws {
        try Program.start(["chown", "65534", home.path]).requireSuccess()
        let outcome = try run("new", "Mine", "--from", "3G", variables: ["SUDO_UID": "65534"])
        #expect(outcome.status == 0, "\(outcome)")
        let owners = try Program.shell("stat -c %u \(home.path)/.config \(directory) \(directory)/mine.json").lines
        #expect(owners == ["65534", "65534", "65534"])
        // What another user may write to is not for root.
        let refused = try run("new", "Other", "--from", "3G")
        #expect(refused.status == 77 && refused.errors.contains("uid 65534"), "\(refused)")
        for command in ["edit", "remove"] { #expect(try run(command, "mine").status == 77) }
        #expect(files == ["mine.json"])
    }
}
