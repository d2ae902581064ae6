// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Which connections are a test's own.
extension PytestTests {
    /// A server, and what tests do with it.
    private static let clients = """
        LEFT = []

        @pytest.fixture(scope="session")
        def server():
            server = socket.create_server(("127.0.0.1", 0))
            yield server.getsockname()

        @pytest.fixture
        def client(server):
            connections = []
            yield connections
            for one in connections: one.close()

        class Pool:
            def __init__(self, server): self.server, self.connections = server, []
            def use(self):
                if not self.connections: self.connections.append(socket.create_connection(self.server))

        @pytest.fixture(scope="module")
        def pool(server): return Pool(server)

        @pytest.fixture(scope="class")
        def early(server):
            with socket.create_connection(server) as connection: yield connection

        pytestmark = pytest.mark.linkcond(expect=["leaves no connection open", "at most 2 connections"])

        """

    /// By what began in it, after the teardown of its own fixtures, and without what belongs to several tests.
    @Test func judgesATestByWhatIsItsOwn() throws {
        let result = try pytest(
            Self.clients + """
                def test_has_a_fixture_that_closes(client, server): client.append(socket.create_connection(server))
                def test_leaves(server): LEFT.append(socket.create_connection(server))
                def test_comes_after(server): pass
                def test_uses_the_pool(pool): pool.use()
                def test_uses_the_pool_again(pool): pool.use()
                def test_makes_a_fixture_itself(request): request.getfixturevalue("early")
                def test_leaves_one_beside_the_pool(pool, server):
                    pool.use()
                    LEFT.append(socket.create_connection(server))
                def test_closes_what_another_left(): LEFT.clear()
                @pytest.mark.linkcond(expect=["at most 0 connections"])
                def test_uses_the_pool_without_connecting(pool): pool.use()
                """,
            under: #""$LINKCOND" run --offline --observe --"#
        )
        let text = result.output
        #expect(text.contains(" 2 failed, 7 passed"), "\(text)")
        for test in ["test_leaves", "test_leaves_one_beside_the_pool"] {
            #expect(text.contains("::\(test) FAILED"), "\(text)")
        }
        let leak =
            /leaves no connection open: 1 connection left open: 127.0.0.1:\d+ to 127.0.0.1:\d+, held by python3 \(\d+\)/
        #expect(text.matches(of: leak).count == 2, "\(text)")
        #expect(text.contains("what usually helps: closing the client in the test"), "\(text)")
    }

    /// What a verdict fails is the test, as other plugins and reports see it; the teardown has its own errors.
    @Test func failsTheTestAfterItsTeardown() throws {
        let result = try pytest(
            Self.clients + """
                @pytest.fixture
                def broken():
                    yield
                    raise ValueError("of the teardown")

                def test_leaves(broken, server): LEFT.append(socket.create_connection(server))

                @pytest.mark.xfail(strict=True)
                def test_is_to_leave(server): LEFT.append(socket.create_connection(server))

                @pytest.fixture
                def careless(server): LEFT.append(socket.create_connection(server))

                def test_has_a_careless_fixture(careless): pass

                def test_fails_itself(server):
                    LEFT.append(socket.create_connection(server))
                    assert "its own" == "reason"

                import unittest
                class TestCases(unittest.TestCase):
                    def test_of_unittest(self): socket.create_server(("127.0.0.1", 0)).close()
                """
        )
        let text = result.output
        #expect(text.contains(" 3 failed, 1 passed, 1 xfailed, 1 error in"), "\(text)")
        #expect(text.contains("::test_leaves FAILED") && text.contains("::test_leaves ERROR"), "\(text)")
        #expect(text.components(separatedBy: "fail: leaves no connection open").count == 4, "\(text)")
    }

    /// Each way of holding a connection beside a test is found, and is no other test's.
    @Test func findsWhatChildrenHold() throws {
        let result = try pytest(
            Self.clients + """
                import subprocess, sys
                CODE = (
                    "import socket, sys, time; s = socket.create_connection(('127.0.0.1', int(sys.argv[1])));"
                    "print('', flush=True); time.sleep(60)"
                )
                def child(server, *prefix):
                    process = subprocess.Popen([*prefix, sys.executable, "-c", CODE, str(server[1])], stdout=-1)
                    process.stdout.readline()
                    LEFT.append(process)
                    return process
                def test_leaves_a_child(server): child(server)
                def test_leaves_a_daemon(server): child(server, "setsid", "-f").wait()
                def test_leaves_a_forked_child(server):
                    reader, writer = os.pipe()
                    if os.fork() == 0:
                        socket_ = socket.create_connection(server)
                        os.write(writer, b"."); time.sleep(60); os._exit(0)
                    os.read(reader, 1)
                def test_ends_its_child(server):
                    process = child(server)
                    process.kill()
                    process.wait()
                """
        )
        #expect(result.output.contains(" 3 failed, 1 passed"), "\(result.output)")
    }

    /// The workers of pytest-xdist, and other runs of pytest, leave connections open at the same time.
    @Test(arguments: ["-n 2 --dist load", ""])
    func tellsWorkersApart(options: String) throws {
        let result = try pytest(
            Self.clients + """
                @pytest.mark.parametrize("number", range(12))
                def test_worker(number, server, client):
                    client.append(socket.create_connection(server))
                    if number in (2, 3, 8): LEFT.append(socket.create_connection(server))
                    time.sleep(0.05)
                """,
            times: options.isEmpty ? 2 : 1,
            options: options
        )
        let text = result.output
        let count = options.isEmpty ? 2 : 1
        #expect(text.components(separatedBy: " 3 failed, 9 passed").count == count + 1, "\(text)")
        for number in [2, 3, 8] {
            let failed = "_ test_worker[\(number)] _"
            #expect(text.components(separatedBy: failed).count == count + 1, "\(text)")
        }
        #expect(text.contains(/worker: gw[01] \(process \d+\)/) != options.isEmpty, "\(text)")
    }
}
