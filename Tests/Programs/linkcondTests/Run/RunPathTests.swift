// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// What root writes for another user's command, where that user, or the command itself, puts something in the way.
@Suite(.enabled(if: Kernel.isRoot && Kernel.canPump && Kernel.hasSandboxes, "needs root, namespaces and /dev/net/tun"))
struct RunPathTests {
    /// What stands where a file is to be written.
    enum Obstacle: String, CaseIterable, Sendable {
        case link = "ln -s $secret $1"
        case hardLink = "ln $secret $1"
        case pipe = "mkfifo $1"
        case directory = "mkdir $1"
    }

    /// Files whose paths are given to linkcond, and what the command's user can put there.
    private static let names =
        "report.json report.html junit.xml summary.md summary.json events.jsonl report.schema.json packets.pcapng output.log"

    /// Runs `script` in mounts of its own. /mnt/root is root's alone, with a file that nobody else may read; /mnt/user
    /// belongs to the user nobody. `obstruct NAME...` puts the obstacle there. The last lines of the output say what became
    /// of root's file, and what is in root's directory.
    private func check(_ obstacle: Obstacle, _ script: String) throws -> CommandResult {
        // Hard links to files of others are forbidden by fs.protected_hardlinks, so root makes them.
        let text = """
            mount -t tmpfs none /mnt && install -d -m 0700 /mnt/root && install -d -o nobody /mnt/user || exit 99
            echo kept >/mnt/root/secret; chmod 0600 /mnt/root/secret
            cp "$LINKCOND" /mnt/linkcond; export LINKCOND=/mnt/linkcond secret=/mnt/root/secret TMPDIR=/mnt/user
            put() { \(obstacle.rawValue); }
            obstruct() { for each; do rm -rf "$each"; put "$each"; done; }
            export -f put obstruct
            \(script)
            stat -c '%a %U' $secret; cat $secret; ls /mnt/root
            """
        return try Program.start(["unshare", "-m", "bash", "-c", text])
    }

    private func check(_ script: String) throws -> CommandResult { try check(.link, script) }

    private static let untouched = "600 root\nkept\nsecret\n"

    @Test(arguments: Obstacle.allCases)
    func writesAReportOverWhatTheUserHasPutThere(obstacle: Obstacle) throws {
        let result = try check(
            obstacle,
            """
            mkdir /mnt/user/report; (cd /mnt/user/report; obstruct \(Self.names)); chown nobody /mnt/user/report
            "$LINKCOND" run --offline --user nobody --report /mnt/user/report --expect 'exits with 7' -- sh -c 'exit 7'
            echo $?; cd /mnt/user/report; stat -c '%F %U' report.json junit.xml packets.pcapng
            """
        )
        let file = "regular file nobody\n"
        let expected =
            obstacle == .directory
            ? result.output.hasPrefix("125\n") : result.output.hasPrefix("7\n\(file)\(file)\(file)")
        #expect(expected && result.output.hasSuffix(Self.untouched), "\(result)")
        if obstacle == .directory {
            #expect(result.errors.contains("cannot write the report to /mnt/user/report as nobody: "), "\(result)")
        } else {
            #expect(result.errors.contains("pass  exits with 7"), "\(result)")
        }
    }

    @Test(arguments: Obstacle.allCases)
    func keepsTheStatusOfACommandThatObstructsItsReport(obstacle: Obstacle) throws {
        let result = try check(
            obstacle,
            """
            (cd /mnt/user; mkdir traps; cd traps; obstruct \(Self.names); chown nobody .)
            "$LINKCOND" run --offline --user nobody --report /mnt/user/report --expect 'exits with 7' -- \
            sh -c 'cd /mnt/user/report; rm -f *; mv ../traps/* .; exit 7'; echo $?
            """
        )
        #expect(result.output == "7\n\(Self.untouched)", "\(result)")
        #expect(result.errors.contains("pass  exits with 7"), "\(result)")
    }

    @Test func writesToTheDirectoryThatItOpenedWhateverTakesItsPlace() throws {
        let result = try check(
            """
            "$LINKCOND" run --offline --user nobody --report /mnt/user/report --expect 'exits with 7' -- \
            sh -c 'cd /mnt/user; mv report old; ln -s /mnt/root report; exit 7'; echo $?; ls /mnt/user/old
            """
        )
        let files = ["events.jsonl", "junit.xml", "packets.pcapng", "report.html", "report.json", "report.schema.json"]
        #expect(result.output == "7\n\(files.joined(separator: "\n"))\nsummary.md\n\(Self.untouched)", "\(result)")
    }

    /// The directory itself is a link into root's.
    @Test(arguments: [
        "run --offline", "run --offline --repeat 1", "matrix --offline -p 3G", "limits --vary loss=0..1%",
    ])
    func makesNoReportWhereTheUserMayNotWrite(command: String) throws {
        let result = try check(
            """
            ln -s /mnt/root /mnt/user/report
            "$LINKCOND" \(command) --user nobody --report /mnt/user/report -- touch /mnt/user/ran; echo $?; ls /mnt/user
            """
        )
        #expect(result.output == "125\nreport\n\(Self.untouched)", "\(result)")
        #expect(result.errors.contains("as nobody"), "\(result)")
    }

    @Test(
        arguments: [("run --offline --repeat 2", "run-1"), ("matrix --offline -p 3G -p LTE", "3g")],
        [Obstacle.link, .hardLink, .pipe]
    )
    func givesTheReportsOfManyRunsToTheUser(run: (command: String, directory: String), obstacle: Obstacle) throws {
        let result = try check(
            obstacle,
            """
            mkdir -p /mnt/user/report/\(run.directory); cd /mnt/user/report; obstruct \(Self.names)
            (cd \(run.directory); obstruct \(Self.names)); chown nobody . \(run.directory)
            "$LINKCOND" \(run.command) --user nobody --report . -- sh -c 'echo words; exit 7' >table; echo $?
            cat \(run.directory)/output.log; stat -c '%F %U' summary.json
            """
        )
        #expect(result.output == "7\nwords\nregular file nobody\n\(Self.untouched)", "\(result)")
    }

    @Test(arguments: Obstacle.allCases)
    func readsTheCaptureThatItMade(obstacle: Obstacle) throws {
        let result = try check(
            obstacle,
            """
            (cd /mnt/user; mkdir traps; cd traps; obstruct trap; chown nobody .)
            "$LINKCOND" run --offline --user nobody --capture /mnt/user/file --expect 'at most 9 connections' -- \
            sh -c 'cd /mnt/user; mv file old; mv traps/trap file; exit 7'; echo $?
            """
        )
        #expect(result.output == "7\n\(Self.untouched)", "\(result)")
        #expect(result.errors.contains("pass  at most 9 connections: 0 connections"), "\(result)")
    }

    @Test(arguments: ["--log", "--capture", "--capture /mnt/user/other --log"])
    func writesNoFileOfRootsForTheUser(option: String) throws {
        let result = try check(
            """
            ln -s /mnt/root/secret /mnt/user/file
            "$LINKCOND" run --offline --user nobody 3G \(option) /mnt/user/file -- true; echo $?
            "$LINKCOND" run --offline --user nobody 3G \(option) /mnt/root/secret -- true; echo $?
            """
        )
        #expect(result.output == "125\n125\n\(Self.untouched)", "\(result)")
        #expect(result.errors.contains("symbolic links are not followed"), "\(result)")
        #expect(result.errors.contains("as nobody: Permission denied"), "\(result)")
    }

    @Test func readsNoKeysThatTheUserMayNotRead() throws {
        let result = try check(
            """
            ln -s /mnt/root/secret /mnt/user/keys; export SSLKEYLOGFILE=/mnt/user/keys
            "$LINKCOND" run --offline --user nobody --capture /mnt/user/file -- true; echo $?
            """
        )
        #expect(result.output == "125\n\(Self.untouched)", "\(result)")
    }

    /// The command may append to root's file, which does not let its user read what others append.
    @Test func showsNoOutputInAFileThatTheUserMayNotRead() throws {
        let result = try check(
            """
            echo earlier >/mnt/root/out; chmod 0600 /mnt/root/out
            "$LINKCOND" run --offline --user nobody --report /mnt/user/report -- sh -c 'echo zy""gote' >>/mnt/root/out
            cat /mnt/root/out; rm /mnt/root/out; grep -rl zygote /mnt/user/report
            grep -o 'went to a file that linkcond cannot read' /mnt/user/report/report.html | head -1
            """
        )
        let expected = "earlier\nzygote\nwent to a file that linkcond cannot read\n\(Self.untouched)"
        #expect(result.output == expected, "\(result)")
    }

    @Test func refusesToJudgeByAPipe() throws {
        let result = try check(
            """
            "$LINKCOND" run --offline --capture /dev/stdout --expect 'exits with 0' -- touch /mnt/user/ran | cat
            echo ${PIPESTATUS[0]}; ls /mnt/user
            """
        )
        #expect(result.output == "125\n\(Self.untouched)", "\(result)")
        #expect(result.errors.contains("--capture /dev/stdout is not a file"), "\(result)")
    }

    @Test(arguments: ["", "--user nobody"])
    func keepsTheStatusAndTheVerdictsOnAFullDisk(user: String) throws {
        let result = try check(
            """
            mkdir /mnt/small; mount -t tmpfs -o size=8m,uid=65534 none /mnt/small
            "$LINKCOND" run --offline \(user) --report /mnt/small/report --expect 'exits with 0' -- \
            sh -c 'head -c 20M /dev/zero >/mnt/small/fill; exit 7' 2>/dev/null
            echo $?; cd /mnt/small/report; grep -c 'exits with 0' report.json junit.xml; df --output=avail /mnt/small | tail -n 1
            """
        )
        #expect(result.output.hasPrefix("7\nreport.json:"), "\(result)")
        #expect(!result.output.contains(":0\n"), "\(result)")
    }

    /// The room that is kept for the report may be too little, if another process takes what is given back.
    @Test func saysWhatCouldNotBeWrittenAndKeepsTheStatus() throws {
        for (own, status) in [("7", "7"), ("0", "125")] {
            let result = try check(
                """
                mkdir /mnt/small; mount -t tmpfs -o size=64k,nr_inodes=5,uid=65534 none /mnt/small
                "$LINKCOND" run --offline --user nobody --report /mnt/small/report -- \
                sh -c 'touch /mnt/small/1 /mnt/small/2 /mnt/small/3; exit \(own)'; echo $?; umount /mnt/small
                """
            )
            #expect(result.output == "\(status)\n\(Self.untouched)", "\(result)")
            #expect(result.errors.contains("No space left on device"), "\(result)")
        }
    }

    @Test(arguments: ["--report /mnt/small/report", "--capture /mnt/small/file", "--log /mnt/small/file"])
    func refusesAReadOnlyFileSystemBeforeAnythingRuns(option: String) throws {
        let result = try check(
            """
            mkdir /mnt/small; mount -t tmpfs -o ro none /mnt/small
            "$LINKCOND" run --offline --user nobody 3G \(option) -- touch /mnt/user/ran; echo $?; ls /mnt/user
            """
        )
        #expect(result.output == "125\n\(Self.untouched)", "\(result)")
        #expect(result.errors.contains("Read-only file system"), "\(result)")
    }

    /// A capture by root in a directory of another user's, who exchanges its next file.
    @Test func followsNoLinkOfTheOwnerOfADirectory() throws {
        let result = try check(
            """
            ln -s /mnt/root/secret /mnt/user/file
            timeout 200 unshare -n "$LINKCOND" capture -i lo --for 1s -w /mnt/user/file; echo $?
            """
        )
        #expect(result.output == "74\n\(Self.untouched)", "\(result)")
        #expect(result.errors.contains("Too many levels of symbolic links"), "\(result)")
    }
}
