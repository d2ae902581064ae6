// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

/// `linkcond judge`, called by tests in shell inside of `linkcond run`.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct JudgeTests {
    /// A server at port 8099, and `search`, a client that opens a connection each time.
    private static let prelude = """
        linkcond() { "$LINKCOND" "$@"; }
        search() { curl --silent --fail --output /dev/null --max-time 120 "http://127.0.0.1:8099/?$1"; }
        /usr/bin/python3 -m http.server --bind 127.0.0.1 --directory /proc/self/fdinfo 8099 >/dev/null 2>&1 &
        until curl --silent --output /dev/null http://127.0.0.1:8099/; do sleep 0.05; done

        """

    private func run(_ script: String, options: String = "--observe") throws -> CommandResult {
        let inside = Shell.quoted(Self.prelude + script)
        return try Program.shell(#"exec "$LINKCOND" run --offline \#(options) -- sh -c \#(inside)"#)
    }

    @Test func judgesWhatCameSinceAMark() throws {
        let result = try run(
            """
            search a; search b
            linkcond mark later
            search c
            linkcond judge --since later 'at most 1 request' 'leaves no connection open' || exit 3
            linkcond judge 'at most 3 requests'
            """
        )
        #expect(result.status == 1, "\(result)")
        #expect(result.output.contains("pass  at most 1 request: 1 request\n"), "\(result)")
        #expect(result.output.contains("pass  leaves no connection open"), "\(result)")
        #expect(result.output.contains("FAIL  at most 3 requests: 4 requests: GET 127.0.0.1:8099/"), "\(result)")
        #expect(result.output.contains("      what usually helps: "), "\(result)")
    }

    @Test func judgesWhereTheUserHasNamedTheCapture() throws {
        let files = try TemporaryDirectory()
        let options = "--observe --capture \(files.path)/packets.pcapng"
        let result = try run("search a; linkcond judge 'at most 1 request'", options: options)
        #expect(result.output.contains("FAIL  at most 1 request: 2 requests"), "\(result)")
    }

    /// Tests that run side by side.
    @Test func judgesOneProcessAndItsDescendants() throws {
        let result = try run(
            """
            python="import socket, time; s = socket.create_connection(('127.0.0.1', 8099)); open('/tmp/connected.$$', 'w'); time.sleep(1000)"
            linkcond mark side-by-side
            sh -c '/usr/bin/python3 -c "$1"; :' sh "$python" &
            client=$!
            sleep 1000 &
            other=$!
            until [ -e /tmp/connected.$$ ]; do sleep 0.05; done
            rm /tmp/connected.$$
            sleep 1
            linkcond judge --since side-by-side --process $client 'leaves no connection open' 'at most 0 connections'
            linkcond judge --since side-by-side --process $other 'leaves no connection open'
            kill $client $other
            """
        )
        #expect(
            result.output.contains("FAIL  leaves no connection open: 1 connection left open: 127.0.0.1:"),
            "\(result)"
        )
        #expect(result.output.contains("held by python3"), "\(result)")
        #expect(result.output.contains("FAIL  at most 0 connections: 1 connection, by python3"), "\(result)")
        #expect(result.output.contains("pass  leaves no connection open"), "\(result)")
    }

    @Test func countsFromTheLatestMarkOfAName() throws {
        let marks = "linkcond mark x; search a; linkcond mark x"
        let result = try run("\(marks); linkcond judge --since x 'at most 0 requests'")
        #expect(result.status == 0, "\(result)")
    }

    /// The uplink alone is conditioned, so that answers pass outside of the lanes before the request.
    @Test func observesFromARequestOn() throws {
        let result = try run(
            """
            request() { curl --silent --fail --max-time 120 --unix-socket "$LINKCOND_SOCKET" -X "$1" "http://linkcond/v1/$2"; }
            search a
            request GET capture; echo "capture $?"
            request POST observation >/dev/null && request POST observation >/dev/null || exit 3
            time=$(date +%s%N)
            search b
            linkcond judge --since-time $time 'at most 1 request' 'leaves no connection open' 'at most 0 connections'
            linkcond judge 'at most 1 request'; echo "begin $?"
            request GET events | grep -c observing
            """,
            options: "--engine userspace --uplink delay=5ms"
        )
        #expect(result.output.contains("capture 22\n"), "\(result)")
        #expect(result.output.contains("pass  at most 1 request: 1 request\n"), "\(result)")
        #expect(result.output.contains("pass  leaves no connection open"), "\(result)")
        #expect(result.output.contains("FAIL  at most 0 connections: 1 connection"), "\(result)")
        #expect(result.output.contains("begin 64\n"), "\(result)")
        #expect(result.errors.contains("try: linkcond run --observe"), "\(result)")
        #expect(result.output.hasSuffix("\n1\n"), "\(result)")
    }

    @Test func judgesFromATimeAndPrintsJSON() throws {
        let result = try run(
            """
            search a
            time=$(date +%s%N)
            search b
            linkcond judge --json --since-time $time 'at most 1 request' 'at most 0 connections to 127.0.0.1:8099'
            echo "status $?" >&2
            linkcond judge --json --since-time $(date +%s%N) 'at most 0 requests' >/dev/null || exit 3
            """
        )
        #expect(result.status == 0 && result.errors.contains("status 1"), "\(result)")
        let json = try JSON(utf8: Array(result.output.utf8))
        #expect(json["verdict"]?.text == #""fail""#)
        guard case .array(let verdicts)? = json["expectations"]?.value else { throw TestFailure("\(result)") }
        #expect(verdicts.map { $0["verdict"]?.text } == [#""pass""#, #""fail""#], "\(result)")
        #expect(verdicts.last?["remedy"] != nil && verdicts.last?["packets"]?.text != "[]", "\(result)")
    }

    /// What is inconclusive is a failure with --strict only.
    @Test func exitsWithOneForDoubtIfAsked() throws {
        let line = #"linkcond judge "closes within 1 s of 'never'""#
        let result = try run("\(line) || exit 3; \(line) --strict; echo status $?")
        #expect(result.status == 0 && result.output.contains("inconclusive  closes"), "\(result)")
        #expect(result.output.contains("status 1"), "\(result)")
    }

    @Test(arguments: [
        ("judge 'at most 1 connection'", "", 64, "linkcond run --observe -- COMMAND"),
        ("judge --since nowhere 'at most 1 connection'", "--observe", 66, "try: linkcond mark nowhere"),
        ("judge 'at most 1 conections'", "--observe", 64, "did you mean \"connections\"?"),
        ("judge 'exits with 0'", "--observe", 64, "run --expect"),
        ("judge --since a --since-time 1 'at most 1 connection'", "--observe", 64, "cannot be combined"),
    ])
    func saysWhatToType(_ arguments: String, options: String, status: Int32, words: String) throws {
        let result = try run("linkcond \(arguments)", options: options)
        #expect(result.status == status, "\(result)")
        #expect(result.errors.contains(words), "\(result)")
    }

    /// Outside of a run, too.
    @Test func checksTheSpelling() throws {
        let line = #"env -u LINKCOND_SOCKET "$LINKCOND" judge --check"#
        let good = try Program.shell("\(line) 'at most 1 connection' 'completes within 3 s'")
        #expect(good.status == 0 && good.output.isEmpty && good.errors.isEmpty, "\(good)")
        let bad = try Program.shell("\(line) 'at most 1 connection' 'at mst 2 requests' 'exits with 0'")
        #expect(bad.status == 64)
        let words = "linkcond: at mst 2 requests\nlinkcond:    ^^^ found \"mst\"; did you mean \"most\"?\n"
        #expect(bad.errors == words, "\(bad)")
        let end = try Program.shell("\(line) 'exits with 0'")
        #expect(end.status == 64 && end.errors.contains("run --expect"), "\(end)")
    }

    @Test func needsASandbox() throws {
        let result = try Program.shell(#"env -u LINKCOND_SOCKET "$LINKCOND" judge 'at most 1 connection'"#)
        #expect(result.status == 64)
        #expect(result.errors.contains("try: linkcond run --observe"), "\(result)")
    }

    /// What was sent before the question counts, although the link delivers it a second later, and others go on to
    /// send.
    @Test func judgesWhatTheLinkHasStillToDeliver() throws {
        let result = try run(
            """
            while true; do search background; sleep 0.02; done &
            sleep 1
            /usr/bin/python3 - <<'END'
            import os, socket, subprocess
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", 4000))
            subprocess.run([os.environ["LINKCOND"], "judge", "at most 0 connection attempts to 127.0.0.1:4000"])
            END
            """,
            options: "--observe --uplink 'delay=500 ms'"
        )
        let words = "FAIL  at most 0 connection attempts to 127.0.0.1:4000: 1 connection attempt to 127.0.0.1:4000"
        #expect(result.output.hasPrefix(words), "\(result)")
    }

    /// As at the end of the run. A test's own failure stays one.
    @Test(.enabled(if: Kernel.isRoot, "needs root"))
    func isInconclusiveWhenTheDiskIsFull() throws {
        let files = try TemporaryDirectory()
        let inside = Shell.quoted(
            Self.prelude + """
                search a
                cat /dev/zero >fill 2>/dev/null
                for number in $(seq 200); do search $number; done
                linkcond judge 'at most 999 connections' 'at most 0 connections'
                echo "status $?"
                curl --silent --unix-socket "$LINKCOND_SOCKET" -X POST http://linkcond/v1/observation
                """
        )
        let line = """
            mount -t tmpfs -o size=2m none \(files.path) && cd \(files.path) && export TMPDIR=\(files.path) &&
            "$LINKCOND" run --offline --observe --capture packets -- sh -c \(inside)
            """
        let result = try Program.start(["unshare", "-m", "sh", "-c", line])
        #expect(
            result.output.contains(
                #/inconclusive  at most 999 connections: .*not all could be recorded: .*No space left/#
            ),
            "\(result)"
        )
        #expect(result.output.contains("FAIL  at most 0 connections: "), "\(result)")
        #expect(result.output.contains("status 1\n"), "\(result)")
        #expect(result.output.contains("since"), "\(result)")
    }

    /// Its connection is too short for a look at the sockets.
    @Test func failsNoProcessForWhatAnotherMayHaveDone() throws {
        let result = try run(
            """
            cat >connect.py <<'END'
            import socket
            for _ in range(5): socket.create_connection(("127.0.0.1", 8099)).close()
            END
            sleep 1000 & client=$!
            linkcond mark begin
            sh -c '/usr/bin/python3 connect.py; sleep 30' & other=$!
            sleep 1
            linkcond judge --since begin --process $client 'at most 2 connections'
            kill $client $other
            rm connect.py
            """.replacing("connect.py", with: "/tmp/connect.$$.py")
        )
        #expect(result.output.contains(#/(pass|inconclusive)  at most 2 connections/#), "\(result)")
        #expect(!result.output.contains("FAIL"), "\(result)")
    }

    /// A failure is told when nothing can change it, and the end of the run ends the program.
    @Test func printsVerdictsAsTheyChange() throws {
        let files = try TemporaryDirectory()
        let result = try run(
            """
            cd \(files.path)
            linkcond judge --follow --json 'at most 3 requests' 'completes within 60 s' >verdicts &
            until grep -q pass verdicts; do sleep 0.1; done
            search a; search b; search c
            until grep -q '"fail"' verdicts; do sleep 0.1; done
            cat verdicts
            """,
            options: "--observe --timeout 250"
        )
        let lines = try result.output.split(separator: "\n").map { try JSON(utf8: Array($0.utf8)) }
        let counts = lines.filter { $0["expectation"]?.text == #""at most 3 requests""# }
        #expect(result.status == 0 && counts.first?["verdict"]?.text == #""pass""#, "\(result)")
        #expect(counts.last?["verdict"]?.text == #""fail""#, "\(result)")
        #expect(counts.last?["finding"]?.text.hasPrefix(#""4 requests: GET "#) == true, "\(result)")
        #expect(lines.contains { $0["finding"]?.text.contains("the command has not ended") == true }, "\(result)")
    }

    @Test func followsFromAMarkThatIsStillToCome() throws {
        let files = try TemporaryDirectory()
        let result = try run(
            """
            cd \(files.path)
            linkcond judge --follow --since later 'at most 0 requests' >verdicts & follower=$!
            search a; sleep 1; wc -c <verdicts; linkcond mark later
            until grep -q pass verdicts; do sleep 0.1; done
            kill -INT $follower; kill -TERM $follower; wait $follower; echo "status $?"; cat verdicts
            """,
            options: "--observe --timeout 250"
        )
        let words = #/0\nstatus 1(30|43)\npass  at most 0 requests: 0 requests\n/#
        #expect(try words.wholeMatch(in: result.output) != nil, "\(result)")
    }

    @Test func answersOverTheControlSocket() throws {
        let result = try run(
            """
            ask() {
                curl --silent --max-time 200 --unix-socket "$LINKCOND_SOCKET" --write-out '%{http_code}\\n' \\
                    --data "$1" http://linkcond/v1/judge
            }
            search a
            ask '{"expectations": ["at most 1 request", "at most 9 requests"]}'
            ask '{"expectations": ["at mst 1 requests"]}'
            ask '{"expectations": ["at most 1 request"], "since": "nowhere"}'
            ask '{"expectations": []}'
            ask '{"expectations": ["at most 1 request"], "untill": 5}'
            """
        )
        let parts = result.output.split(separator: #/\}\n(?=\d)/#)
        #expect(
            result.output.matches(of: #/(?m)^\d{3}$/#).map(\.output) == ["200", "422", "404", "400", "400"],
            "\(result)"
        )
        #expect(parts[0].contains(#""finding": "2 requests: GET "#) && parts[0].contains(#""packets": ["#), "\(result)")
        #expect(result.output.contains(#"did you mean \"most\"?"#), "\(result)")
        #expect(result.output.contains(#""kind": "unknownLabel""#), "\(result)")
    }

    /// Many at once, clients that leave, and requests as long as they may be: others are served.
    @Test func servesOthersBesideAClientThatAsksTooMuch() throws {
        let result = try run(
            """
            /usr/bin/python3 - <<'END'
            import json, os, socket
            body = json.dumps({"expectations": ["at most 1 request"] * 100}).encode()
            head = b"POST /v1/judge HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body)
            for number in range(200):
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(os.environ["LINKCOND_SOCKET"])
                    client.sendall(head + body)
            END
            for turn in $(seq 2000); do linkcond judge 'at most 1 request' && break; sleep 0.1; done
            """
        )
        #expect(result.status == 0 && result.output.hasSuffix("pass  at most 1 request: 1 request\n"), "\(result)")
    }

    /// A client may read slowly for as long as it likes; one that takes nothing holds its connection for ten seconds.
    @Test func streamsACaptureForLongerThanAnIdleConnectionLives() throws {
        let files = try TemporaryDirectory()
        let result = try run(
            """
            cd \(files.path)
            head -c 2500000 /dev/zero >file
            /usr/bin/python3 -m http.server --bind 127.0.0.1 8098 >/dev/null 2>&1 &
            until curl --silent --fail --output /dev/null http://127.0.0.1:8098/file; do sleep 0.05; done
            sleep 1
            /usr/bin/python3 - <<'END'
            import os, re, socket, time
            def ask():
                client = socket.socket(socket.AF_UNIX)
                client.connect(os.environ["LINKCOND_SOCKET"])
                client.sendall(b"GET /v1/capture HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
                return client
            def read(client, pause):
                data = b""
                while piece := client.recv(100000):
                    data += piece
                    time.sleep(pause)
                head, body = data.split(b"\\r\\n\\r\\n", 1)
                return len(body) / int(re.search(rb"(?i)content-length: (\\d+)", head)[1])
            idle, start = ask(), time.monotonic()
            print("slow", read(ask(), 0.5), time.monotonic() - start > 11)
            print("idle", read(idle, 0) < 1)
            END
            """,
            options: "--observe --timeout 250"
        )
        #expect(result.output == "slow 1.0 True\nidle True\n", "\(result)")
    }

    /// The example in shell of the guide does what the guide says.
    @Test func runsTheExampleOfTheGuide() throws {
        let page = "\(Package.path)/Sources/Programs/linkcond/linkcond.docc/other-languages.md"
        let text = try String(contentsOfFile: page, encoding: .utf8)
        let match = try #require(text.firstMatch(of: #/<!-- file: search-test -->\n```sh\n(?<lines>(?s:.*?))```/#))
        let result = try run("set -e\n\(match.lines)")
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 1 && lines.count == 5, "\(result)")
        for (line, begin) in zip(lines, ["pass  at most 1", "pass  first byte", "FAIL  at most 0", "      packets:"]) {
            #expect(line.hasPrefix(begin), "\(result)")
        }
    }
}
