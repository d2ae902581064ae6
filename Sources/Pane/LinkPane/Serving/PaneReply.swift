// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import PanePage
internal import SandboxClient
internal import SocketServing

/// A response of a pane, before it has its connection.
struct PaneReply: Sendable {
    var status: Int
    var fields: [(String, String)] = []
    var type: String?
    var body: [UInt8] = []
    var common = PaneFields.page

    init(_ answer: ControlAPI.Answer) {
        status = answer.status
        if let text = answer.body?.text { (type, body) = ("application/json", Array("\(text)\n".utf8)) }
        if let allowed = answer.allowed { fields.append(("Allow", allowed)) }
    }

    init(_ file: PaneFile) {
        (status, type, body) = (200, file.type, file.content)
        fields = [("Content-Disposition", "attachment; filename=\"\(file.name)\"")]
    }

    init(_ file: PageFile) { (status, type, body) = (200, file.type, Array(file.text.utf8)) }

    init(liveText text: [UInt8]) { (status, type, body) = (200, "application/json", text) }

    /// A refusal: an object for the API's clients, else a text for people.
    init(_ status: Int, _ reason: String, path: String) {
        if path.hasPrefix("/v1/") {
            self.init(ControlAPI.refuse(status == 401 || status == 403 ? .forbidden : .badRequest, reason))
        } else {
            self.init(status, text: "linkcond: \(reason)\n")
        }
        self.status = status
    }

    init(_ status: Int, text: String) {
        (self.status, type, body) = (status, "text/plain; charset=utf-8", Array(text.utf8))
    }

    /// Sends the browser to another path of the pane.
    init(to path: String, cookie: String? = nil) {
        status = 303
        fields = [("Location", path)] + (cookie.map { [("Set-Cookie", $0)] } ?? [])
    }

    func send(over connection: HTTPConnection) {
        let content = type.map { [("Content-Type", $0)] } ?? []
        let all = common + fields + content + [("Content-Length", "\(body.count)")]
        connection.answer(status, all, body: body)
    }
}
