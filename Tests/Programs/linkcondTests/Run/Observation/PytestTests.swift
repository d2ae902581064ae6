// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The plugin for pytest, on tests that run inside of `linkcond run` and outside.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct PytestTests {
    private static let plugin = "\(Package.path)/Sources/Sandbox/pytest-linkcond"
    private static let pytest = "/usr/bin/python3 -B -m pytest -p pytest_linkcond.plugin -p no:cacheprovider -v -rs"
    static let sandbox = #""$LINKCOND" run --offline --"#

    /// Runs the tests in a file that holds `text` after the imports.
    func pytest(
        _ text: String,
        under prefix: String = sandbox,
        times: Int = 1,
        options: String = ""
    ) throws -> CommandResult {
        let files = try TemporaryDirectory()
        try files.write("test_client.py", "import os, socket, time, pytest\n\(text)\n")
        return try run("\(options) test_client.py", in: files.path, under: prefix, times: times)
    }

    func run(
        _ tests: String,
        in directory: String,
        under prefix: String,
        times: Int = 1
    ) throws -> CommandResult {
        let all = (0..<times).map { _ in "\(Self.pytest) \(tests) & children=\"$children $!\"\n" }.joined()
        let script = "children=\n\(all)status=0; for one in $children; do wait $one || status=$?; done; exit $status"
        return try Program.shell(
            "cd \(Shell.quoted(directory)) && export PYTHONPATH=\(Shell.quoted(Self.plugin))"
                + " && \(prefix) sh -c \(Shell.quoted(script)) 2>&1"
        )
    }

    /// pip takes a name of any other form for that of another version.
    @Test func theWheelHasTheVersionAndNotTheCommit() throws {
        let files = try TemporaryDirectory()
        let outcome = try Program.start(
            ["\(Package.path)/scripts/packages/wheel", files.path],
            variables: ["LINKCOND": Program.path]
        )
        let name = /pytest_linkcond-[0-9.]+-py3-none-manylinux2014_[a-z0-9_]+\.whl/
        #expect(outcome.status == 0 && outcome.output.contains(name), "\(outcome)")
    }

    @Test func runsTheExamples() throws {
        let examples = "\(Self.plugin)/examples"
        let result = try run("\(Shell.quoted(examples)) --strict-markers -W error", in: "/", under: Self.sandbox)
        #expect(result.status == 0 && result.output.contains(" 8 passed"), "\(result.output)")
    }

    private static let connecting = """
        def connect(times):
            server = socket.create_server(("127.0.0.1", 0))
            for _ in range(times):
                socket.create_connection(server.getsockname()).close()

        def is_near():
            # A busy machine makes some late, and none early.
            for _ in range(20):
                begin = time.monotonic(); connect(1)
                if time.monotonic() - begin < 0.3: return True
            return False

        """

    @Test func failsATestThatViolatesAnExpectation() throws {
        let result = try pytest(
            Self.connecting + """
                pytestmark = pytest.mark.linkcond(expect=["at most 9 connection attempts"])

                @pytest.mark.linkcond(expect=["at most 2 connection attempts"])
                def test_violates():
                    connect(3)

                @pytest.mark.linkcond(expect="at most 2 connection attempts")
                def test_keeps():
                    connect(2)

                def test_violates_its_modules():
                    connect(10)
                """
        )
        let text = result.output
        #expect(result.status == 1 && text.contains("2 failed, 1 passed"), "\(text)")
        #expect(text.contains("fail: at most 2 connection attempts: 3 connection attempts"), "\(text)")
        #expect(text.contains("fail: at most 9 connection attempts: 10 connection attempts"), "\(text)")
        #expect(text.contains("    packets: ") && text.contains("    what usually helps: "), "\(text)")
        // The marker has set them, and the plugin restores them.
        #expect(!text.contains("set the conditions to"), "\(text)")
        // Newer versions of pytest say this below a failure without frames.
        #expect(!text.contains("traceback entries are hidden"), "\(text)")
        #expect(text.contains("\n3 conditioned tests; verdicts: 3 passed, 2 failed\nno report: add "), "\(text)")
    }

    /// A bad link fails assertions, too: the verdicts often say why.
    @Test func explainsATestThatFailsItself() throws {
        let result = try pytest(
            Self.connecting + """
                @pytest.mark.linkcond(expect=["at most 2 connection attempts", "at most 9 connection attempts"])
                def test_counts():
                    connect(3)
                    assert 3 == 2
                """
        )
        let text = result.output
        #expect(result.status == 1 && text.contains("1 failed") && text.contains("assert 3 == 2"), "\(text)")
        #expect(text.contains("fail: at most 2 connection attempts: 3 connection attempts"), "\(text)")
        #expect(!text.contains("at most 9 connection attempts: "), "\(text)")
    }

    /// The run's own verdict is pytest's exit status: a failure that is expected is none.
    @Test(arguments: [false, true]) func hasItsVerdictsInTheReportOfTheRun(isExpected: Bool) throws {
        let reports = try TemporaryDirectory()
        let result = try pytest(
            Self.connecting + """
                @pytest.mark.linkcond(expect=["at most 2 connection attempts"])
                @pytest.mark.parametrize("times", [2, pytest.param(3, marks=\(isExpected ? "pytest.mark.xfail" : "[]"))])
                def test_connects(times):
                    connect(times)

                @pytest.fixture(scope="session")
                def pool(): return [socket.create_server(("127.0.0.1", 0))]

                @pytest.mark.linkcond(expect=["leaves no connection open"])
                def test_uses_a_pool(pool): pool.append(socket.create_connection(pool[0].getsockname()))
                """,
            under: #""$LINKCOND" run --offline --report \#(Shell.quoted(reports.path)) --"#
        )
        #expect(result.status == (isExpected ? 0 : 1), "\(result.output)")
        let summary = try reports.read("summary.md")
        #expect(summary.hasPrefix(isExpected ? "## done" : "## failed"), "\(summary)")
        let lines = "3 conditioned tests; verdicts: 2 passed, 1 failed\nreport: \(reports.path)/report.html, when"
        #expect(result.output.contains(lines), "\(result.output)")
        #expect(summary.contains("Verdicts of tests inside: 2 pass, 1 FAIL.\n"), "\(summary)")
        let words = #"test\_client.py::test\_connects\[3\] | at most 2 connection attempts | 3 connection attempts"#
        #expect(summary.contains("| FAIL | \(words)"), "\(summary)")
        let suite = try reports.read("junit.xml")
        #expect(suite.contains("tests=\"4\" failures=\"\(isExpected ? 0 : 1)\" errors=\"0\" skipped=\"1\""), "\(suite)")
        let page = try reports.read("report.html")
        for test in ["connects[2]", "connects[3]", "uses_a_pool"] {
            #expect(page.contains("test_client.py::test_\(test)"), "\(test)")
        }
    }

    @Test func warnsOfWhatIsInconclusive() throws {
        let result = try pytest(
            """
            @pytest.mark.linkcond(expect=["closes within 1 s of 'never'"])
            def test_says_nothing(): pass
            """
        )
        #expect(result.status == 0 && result.output.contains("1 passed, 1 warning"), "\(result.output)")
        #expect(result.output.contains("test_client.py:2: LinkWarning: inconclusive: closes"), "\(result.output)")
    }

    /// A test that fails by itself restores the conditions, too, and is not judged.
    @Test func restoresTheConditionsAfterAFailure() throws {
        let result = try pytest(
            Self.connecting + """
                @pytest.mark.linkcond({"name": "Far", "uplink": {"delay": "300 ms"}}, expect=["at most 0 connections"])
                def test_fails():
                    connect(1)
                    assert "its own" == "reason"

                def test_is_near(linkcond):
                    assert is_near()
                """
        )
        #expect(result.output.contains("1 failed, 1 passed"), "\(result.output)")
        #expect(result.output.contains("its own") && result.output.contains("at most 0 connections:"))
    }

    /// Its expectations are judged, too, and a step that never begins is a warning.
    @Test func playsAScenario() throws {
        let result = try pytest(
            Self.connecting + """
                FAR = {"name": "Far", "uplink": {"delay": "300 ms"}}
                LIFT = {
                    "name": "Lift", "profile": {"name": "Near"}, "expect": ["at most 1 connection during 'away'"],
                    "steps": [{"label": "away", "after": {"mark": "go"}, "profile": FAR}],
                }

                @pytest.mark.linkcond(scenario=LIFT)
                class TestInTheLift:
                    def test_becomes_far(self, linkcond):
                        assert is_near()
                        linkcond.mark("go")
                        begin = time.monotonic(); connect(2)
                        assert time.monotonic() - begin >= 0.6

                    def test_never_leaves(self): pass

                    @pytest.mark.linkcond("Slo Net")
                    def test_has_its_own_profile(self): pass

                def test_is_near_again():
                    assert is_near()
                """
        )
        let text = result.output
        #expect(text.contains("2 failed, 2 passed, 2 warnings"), "\(text)")
        #expect(text.contains("fail: at most 1 connection during 'away': 2 connections"), "\(text)")
        #expect(text.contains("LinkWarning: step 'away' never began"), "\(text)")
        #expect(text.contains("Slow Net"), "\(text)")
    }

    @Test func saysWhichProfileIsUnknown() throws {
        let result = try pytest("@pytest.mark.linkcond('Slo Net')\ndef test_a(): pass")
        #expect(result.status == 1, "\(result.output)")
        #expect(result.output.components(separatedBy: "did you mean \"Slow Net\"?").count == 2, "\(result.output)")
        #expect(!result.output.contains("another exception"), "\(result.output)")
    }

    @Test func saysThatTheRunCannotBeObserved() throws {
        let test = "@pytest.mark.linkcond(expect=['at most 1 connection'])\ndef test_a(): pass"
        let result = try pytest(test, under: #""$LINKCOND" run --offline --capture packets.pcapng --"#)
        #expect(result.status == 1 && result.output.contains("linkcond run --observe"), "\(result.output)")
    }

    /// Once, at its place, and before anything of the test has run.
    @Test func saysWhatIsWrongWithAMarker() throws {
        let result = try pytest(
            """
            @pytest.fixture
            def costly(): print("the fixture ran")

            @pytest.mark.linkcond(expect=["at mst 2 connection attempts"])
            def test_a(costly): print("the test ran")

            SCENARIO = {"name": "s", "profile": "3G", "steps": [], "expect": ["completes wthin 3 s"]}
            @pytest.mark.linkcond(scenario=SCENARIO)
            def test_b(): print("the test ran")

            @pytest.mark.linkcond(profle="3G")
            def test_c(): pass

            @pytest.mark.linkcond(expect=[3])
            def test_d(): pass

            @pytest.mark.linkcond(expect=["at most 2 connection attempts"])
            def test_e(): pass
            """
        )
        let text = result.output
        #expect(result.status == 1 && text.contains("1 passed, 4 errors"), "\(text)")
        for (line, words) in [
            (5, "linkcond: at mst 2 connection attempts\nlinkcond:    ^^^ found \"mst\"; did you mean \"most\"?"),
            (9, "linkcond: completes wthin 3 s\nlinkcond:           ^^^^^ found \"wthin\"; did you mean \"within\"?"),
            (12, "a marker of linkcond is: linkcond(\"Slow Net\""), (15, "an expectation is a text such as"),
        ] {
            #expect(text.components(separatedBy: "test_client.py:\(line):\n\(words)").count == 2, "\(text)")
        }
        for words in [" ran", "Traceback", "Error", "Usage", "exception"] {
            #expect(!text.contains(words), "\(words) is in \(text)")
        }
    }

    private static let outside = """
        @pytest.fixture
        def costly():
            raise SystemError("was made")

        @pytest.mark.linkcond("Slow Net")
        def test_a(): pass

        @pytest.mark.linkcond("Slow Net")
        def test_b(costly): pass

        def test_c(linkcond): pass

        def test_is_not_concerned(): pass
        """

    @Test func skipsTestsWithoutASandbox() throws {
        let result = try pytest(Self.outside, under: "env -u LINKCOND_SOCKET")
        #expect(result.status == 0 && result.output.contains("1 passed, 3 skipped"), "\(result.output)")
        #expect(result.output.contains("type: linkcond run --offline -- pytest"), "\(result.output)")
    }

    @Test func failsTestsWithoutASandboxIfOneIsRequired() throws {
        let result = try pytest(Self.outside, under: "env -u LINKCOND_SOCKET LINKCOND_REQUIRED=1")
        #expect(result.status == 1 && result.output.contains("1 passed"), "\(result.output)")
        #expect(result.output.contains("type: linkcond run --offline -- pytest"), "\(result.output)")
    }
}
