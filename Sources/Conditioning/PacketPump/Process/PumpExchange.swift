// SPDX-License-Identifier: Apache-2.0

internal import LinkRules
internal import LinuxSystem
internal import Synchronization

/// Requests to a pump's process over one channel, from any thread: one after the other, each with its answer.
final class PumpExchange: Sendable {
    private let channel: MessageChannel
    /// The final message of the process: a request that waits when the process ends may read it in place of an answer.
    private let end = Mutex<PumpAnswer?>(nil)

    init(_ channel: MessageChannel) { self.channel = channel }

    /// Sends a request, followed by what `attach` sends, and waits for the answer.
    @discardableResult
    func ask(
        _ request: PumpRequest,
        attach: (MessageChannel) -> Void = { _ in }
    ) throws(ConditioningError) -> PumpAnswer {
        try end.withLock { end throws(ConditioningError) in
            channel.send(request.json)
            attach(channel)
            let answer = channel.receive().flatMap { PumpAnswer(json: $0) }
            if let answer, answer.isFinal { end = answer }
            guard let answer, !answer.isFinal else {
                throw ConditioningError(.unsupported, "the process that was to carry the conditions has ended")
            }
            if let refusal = answer.refusal { throw ConditioningError(.unsupported, refusal) }
            return answer
        }
    }

    /// Waits for the final message of the process; nil if there is none.
    func final() -> PumpAnswer? {
        end.withLock { end in
            end = end ?? channel.receive().flatMap { PumpAnswer(json: $0) }
            return end
        }
    }
}
