// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// One link for tests of several processes and threads.
extension PytestTests {
    private static let turns = """
        @pytest.mark.linkcond({"name": "Near", "uplink": {"delay": "1 ms"}})
        @pytest.mark.parametrize("number", range(8))
        def test_runs_alone(number):
            os.mkdir("turn")
            time.sleep(0.03)
            os.rmdir("turn")
        """

    @Test func hasTestsTakeTurnsAcrossProcesses() throws {
        let result = try pytest(Self.turns, times: 2)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.components(separatedBy: "8 passed").count == 3, "\(result.output)")
    }

    /// A child that Python knows of, and one that C has made.
    @Test(arguments: ["os.fork()", "ctypes.PyDLL(None).fork()"])
    func goesOnBesideAChildOfAnEarlierTest(fork: String) throws {
        let result = try pytest(
            """
            import ctypes, signal
            @pytest.mark.linkcond("3G")
            def test_leaves_a_child():
                if \(fork) == 0:
                    signal.pause()

            @pytest.mark.linkcond("3G")
            def test_has_its_turn(): pass
            """
        )
        #expect(result.status == 0 && result.output.contains(" 2 passed"), "\(result.output)")
    }

    @Test func hasThreadsTakeTurns() throws {
        let result = try pytest(
            """
            from concurrent.futures import ThreadPoolExecutor
            from pytest_linkcond.control import Control
            from pytest_linkcond.turn import turn

            def run_alone(number):
                with turn(Control.of_this_sandbox().turn):
                    os.mkdir("turn"); time.sleep(0.01); os.rmdir("turn")

            def test_threads():
                list(ThreadPoolExecutor(4).map(run_alone, range(12)))
            """
        )
        #expect(result.status == 0, "\(result.output)")
    }
}
