// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit
import Testing

/// The output of the command in its report, and the requests beside it.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct RunOutputTests {
    /// Runs a line of shell under `run --report report` with redirections, and reads the report.
    private func report(_ line: String, _ redirections: String, in files: TemporaryDirectory) throws -> JSON {
        let run = "\"$LINKCOND\" run --offline --report report -- sh -c '\(line)' \(redirections)"
        let result = try Program.shell("cd \(files.path) && \(run)")
        try #require(result.status == 0, "\(result.errors)")
        return try JSON(utf8: Array(try files.read("report/report.json").utf8))
    }

    private func parts(_ report: JSON) -> [JSON] {
        guard case .array(let parts)? = report["output"]?.value else { return [] }
        return parts
    }

    /// The command writes to the file itself, to which another had written before.
    @Test func hasTheLastLinesThatTheCommandAppendedToAFile() throws {
        let files = try TemporaryDirectory()
        _ = try files.write("out.log", "earlier\n")
        let line = #"echo "<b>one"; echo two >&2; printf "th\033[31mree""#
        let report = try report(line, ">>out.log 2>&1", in: files)
        let part = try #require(parts(report).first)
        #expect(parts(report).count == 1 && part.required("destination") == "file")
        #expect(part.required("streams") == ["standard output", "standard error"])
        #expect(part.required("lastLines") == ["<b>one", "two", "th\u{1B}[31mree"] && part.required("bytes") == 21)
        let page = try files.read("report/report.html")
        #expect(page.contains("&lt;b&gt;one\ntwo\nth\\u001b[31mree</code>") && !page.contains("earlier"))
        #expect(try files.read("out.log").hasPrefix("earlier\n<b>one\ntwo\nth\u{1B}[31mree"))
    }

    @Test func saysWhereTheOutputWentThatIsInNoFile() throws {
        let files = try TemporaryDirectory()
        let report = try report("echo words", "2>/dev/null | cat", in: files)
        #expect(parts(report).map { $0.required("destination") } == ["pipe", "nowhere"])
        #expect(!(try files.read("report/report.html").contains("<pre>")))
    }

    @Test func linksTheOutputOfEachRunOfAMatrix() throws {
        let files = try TemporaryDirectory()
        let result = try Program.shell(
            """
            cd \(files.path) && "$LINKCOND" matrix -p 3G -p LTE --offline --report all -- sh -c 'echo the words of a run'
            """
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(try files.read("all/report.html").contains("href=\"lte/output.log\""))
        let page = try files.read("all/lte/report.html")
        #expect(page.contains("the words of a run</code>") && page.contains("href=\"output.log\""))
    }

    @Test func listsTheRequestsOfAClient() throws {
        let files = try TemporaryDirectory()
        let client = """
            import http.server, threading, urllib.request
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200 if self.path == "/a" else 404)
                    self.send_header("Content-Length", "3")
                    self.end_headers()
                    self.wfile.write(b"abc")
                def log_message(self, *words): pass
            server = http.server.HTTPServer(("127.0.0.1", 8000), Handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            for path in "ab":
                try: urllib.request.urlopen("http://127.0.0.1:8000/" + path).read()
                except urllib.error.HTTPError as error: error.read()
            """
        let link = ["--offline", "--downlink", "delay=50 ms", "--report", "\(files.path)/report"]
        try Program.start([Program.path, "run"] + link + ["--", "python3", "-c", client]).requireSuccess()
        let report = try JSON(utf8: Array(try files.read("report/report.json").utf8))
        let timeline = try #require(report["timeline"])
        guard case .array(let requests)? = timeline["requests"]?.value else { throw TestFailure("no requests") }
        #expect(requests.map { $0.required("target") } == ["/a", "/b"])
        #expect(requests.map { $0.required("status") } == [200, 404])
        for request in requests {
            guard case .number(let begin)? = request["begin"]?.value, case .number(let end)? = request["end"]?.value
            else { throw TestFailure("no times") }
            #expect((0.05..<1).contains((Double(end) ?? 0) - (Double(begin) ?? 0)))
        }
        #expect(try files.read("report/summary.md").contains("2 HTTP requests; 0 DNS queries."))
    }
}
