// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads a trace of mahimahi. The profile refers to the file; the trace is not copied.
enum MahimahiFormat {
    static func read(_ context: ImportContext) throws(ImportError) -> ImportedDraft {
        guard let file = context.file else {
            throw .invalid(location: "", reason: "a profile names the file of a trace, and standard input has none")
        }
        let trace: Trace
        do throws(Trace.Malformed) {
            trace = try Trace(context.text, format: .mahimahi)
        } catch {
            throw .invalid(location: "line \(error.line)", reason: error.reason)
        }
        var draft = ImportedDraft(name: context.fallbackName)
        let mean = trace.meanRate.map { ", \($0) on average" } ?? ""
        draft.summary = "A recorded link of \(trace.length.text)\(mean)"
        let isUplink = [".up", ".uplink"].contains { file.hasSuffix($0) }
        let reference = TraceReference(file: file, format: .mahimahi)
        if isUplink { draft.uplink.trace = reference } else { draft.downlink.trace = reference }
        let direction = isUplink ? "uplink" : "downlink"
        draft.remark("the trace is the \(direction)'s; a trace of mahimahi has no delay: add \"delay\" to the profile")
        return draft
    }
}
