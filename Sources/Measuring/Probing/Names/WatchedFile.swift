// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// A configuration file that is parsed again when it has changed.
final class WatchedFile<Value: Sendable>: Sendable {
    private let path: String
    private let parse: @Sendable (String) -> Value
    private let reading: Mutex<(version: FileVersion?, value: Value)>

    /// Watches the file at `path`; a missing file counts as empty.
    init(_ path: String, _ parse: @escaping @Sendable (String) -> Value) {
        self.path = path
        self.parse = parse
        reading = Mutex((nil, parse("")))
    }

    var value: Value {
        reading.withLock { reading in
            let version = FileVersion(path)
            if version != reading.version { reading = (version, parse(text)) }
            return reading.value
        }
    }

    /// The file's text, without a size limit: a list of blocked hosts in hosts(5) may have several megabytes.
    private var text: String {
        (try? SmallFile.read(path, followsLinks: true, limit: .max)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
