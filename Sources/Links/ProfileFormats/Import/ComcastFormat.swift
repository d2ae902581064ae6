// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads a command line of comcast: latency in ms, rate in kbit/s and loss in percent, each for both directions.
enum ComcastFormat {
    static func read(_ context: ImportContext) throws(ImportError) -> ImportedDraft {
        let flags = try CommandFlags(context.text, program: "comcast", switches: ["stop", "dry-run", "version"])
        guard flags["stop"] == nil else {
            throw .invalid(location: "--stop", reason: "ends conditions, and describes none")
        }
        if let word = flags.words.first {
            throw .invalid(location: "", reason: "\(JSON.quoted(word)) is no flag of comcast")
        }
        var draft = ImportedDraft(name: context.fallbackName)
        var figures = Impairments()
        // -1 means none.
        func given(_ name: String) -> Field? { flags[name].flatMap { $0.text == "-1" ? nil : $0 } }
        figures.delay = try given("latency")?.time()
        figures.rate = try given("target-bw")?.rate(["": 1e3])
        figures.loss = try flags["packet-loss"]?.share().map(LossModel.random)
        (draft.downlink, draft.uplink) = (figures, figures)
        if figures != Impairments() {
            draft.remark("comcast has one figure for both directions; on Linux it conditions only what is sent")
        }
        for (name, field) in flags.flags {
            switch name {
            case "latency", "target-bw", "packet-loss", "dry-run": break
            case "device": draft.leaveOut("--device", "-i \(field.text) names the interface")
            case "target-addr": draft.leaveOut("--target-addr", select("to", field))
            case "target-port": draft.leaveOut("--target-port", select("port", field))
            case "target-proto": draft.leaveOut("--target-proto", select("protocol", field))
            case "default-bw": draft.leaveOut("--default-bw", "what is not selected is not conditioned")
            default: draft.leaveOut("--\(name)", "linkcond does not know it")
            }
        }
        return draft
    }

    private static func select(_ option: String, _ field: Field) -> String {
        let words = field.text.split(separator: ",").map { "--\(option) \($0)" }.joined(separator: " ")
        return "the options of \"apply\" select traffic: \(words)"
    }
}
