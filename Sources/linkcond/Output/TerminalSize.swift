// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How much text a terminal shows.
struct TerminalSize {
    var rows = 24
    var columns = 80

    /// The size of the terminal of `descriptor`, or that of a usual one where it is not known, as on a serial line.
    init(of descriptor: CInt) {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) != 0 { size = winsize() }
        if size.ws_row > 4 { rows = Int(size.ws_row) }
        if size.ws_col > 10 {
            columns = Int(size.ws_col)
        } else if let text = getenv("COLUMNS"), let count = Int(String(cString: text)), count > 10 {
            columns = count
        }
    }
}
