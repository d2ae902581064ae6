// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import LinuxSystem
import Sandboxing

/// Shows the progress of a run on a terminal that belongs to its command.
///
/// The title is the only part of a terminal that does not mix with the command's output. Nothing is shown while another
/// job is in the foreground, or while a program reads keys instead of lines, as editors and shells do: these use the
/// whole terminal, and set the title themselves.
final class RunDisplay {
    enum Place: String, ExpressibleByArgument, CaseIterable {
        case title
        case line
        case none
    }

    private let place: Place
    /// A file to which the progress is written as well; nil for none.
    private let file: CInt?
    private let timeout: Duration?
    private var shown: String?

    /// Prepares a display; nil if there is neither a usable terminal nor a file.
    ///
    /// - Parameter timeout: the time limit of the command; nil for none.
    init?(_ place: Place, file: CInt?, timeout: Duration?) {
        let isUsable = Self.canShow(place)
        guard isUsable || file != nil else { return nil }
        self.place = isUsable ? place : .none
        (self.file, self.timeout) = (file, timeout)
        // The command must not inherit the file.
        if let file { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    }

    private static func canShow(_ place: Place) -> Bool {
        guard place != .none, isatty(STDERR_FILENO) == 1 else { return false }
        let kind = getenv("TERM").map { String(cString: $0) } ?? ""
        // A dumb terminal and the Linux console have no title, and a dumb terminal would print the control sequence.
        return place == .line || !["", "dumb", "linux"].contains(kind)
    }

    func show(_ progress: RunProgress) {
        if let file { Self.replace(file, with: progress.words(timeout: timeout)) }
        guard place != .none, Self.isFree else { return }
        let text = "linkcond: \(progress.words(timeout: timeout))".escapingControls()
        switch place {
        case .title where text == shown: break
        case .title:
            // Saves the previous title on a stack (XTWINOPS 22 and 23), which terminals without such a stack ignore.
            write((shown != nil ? "" : "\u{1B}[22;2t") + "\u{1B}]2;\(text.prefix(200))\u{7}")
        case .line: write("\r\(text.prefix(TerminalSize(of: STDERR_FILENO).columns - 1))\u{1B}[K")
        case .none: break
        }
        shown = text
    }

    func erase() {
        guard shown != nil else { return }
        shown = nil
        write(place == .title ? "\u{1B}]2;\u{7}\u{1B}[23;2t" : "\r\u{1B}[K")
    }

    private func write(_ text: String) { _ = Descriptors.write(Array(text.utf8)[...], to: STDERR_FILENO) }

    private static func replace(_ file: CInt, with text: String) {
        let bytes = Array(text.utf8)
        ftruncate(file, 0)
        _ = pwrite(file, bytes, bytes.count, 0)
    }

    /// Whether this job is in the foreground, and the terminal in line mode.
    private static var isFree: Bool {
        var settings = termios()
        return tcgetattr(STDERR_FILENO, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) != 0
            && tcgetpgrp(STDERR_FILENO) == getpgrp()
    }
}

extension RunProgress {
    /// Such as "in the lift, 'out again' in 2 s, 14 connections, 31 packets lost, 48 s left".
    func words(timeout: Duration?) -> String {
        var parts = [conditions ?? "no conditions"]
        if let next {
            let isNamed = next.trigger.hasPrefix("mark ")
            let wait =
                next.rest.map { "in \($0.wholeSeconds)" } ?? (isNamed ? "at \(next.trigger)" : "after \(next.trigger)")
            parts.append("'\(next.label)' \(wait)")
        }
        parts.append(counted(connections, "connection"))
        parts.append("\(counted(droppedPackets, "packet")) lost")
        parts.append(timeout.map { "\(max($0 - elapsed, .zero).wholeSeconds) left" } ?? elapsed.wholeSeconds)
        return parts.joined(separator: ", ")
    }
}

extension Duration {
    /// The duration rounded up to seconds: "7 s", "3 min 20 s".
    var wholeSeconds: String { Duration.seconds((self / .seconds(1)).rounded(.up)).words }
}
