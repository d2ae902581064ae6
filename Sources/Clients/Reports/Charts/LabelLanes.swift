// SPDX-License-Identifier: Apache-2.0

/// Places the labels of a plot so that none covers another: inside its own bar if it fits there, else below.
///
/// The width of text and plot is not known before a browser draws them. So labels are placed for the narrowest plot of
/// each of two layouts, and the style sheet shows those of the present one.
struct LabelLanes {
    /// The layouts of a page, by the names of their classes.
    enum Layout: String, CaseIterable {
        /// Names left of the plots.
        case wide
        /// Names above the plots, as on a phone.
        case narrow

        /// The width of the narrowest plot, in pixels.
        fileprivate var width: Double { self == .wide ? 540 : 250 }
    }

    /// A label, and the room of its bar, in per cent of the width.
    struct Label {
        let text: String
        let begin: Double
        let end: Double
    }

    /// A label with its place.
    struct Placed {
        let text: String
        /// The left end of the bar.
        let begin: Double
        /// The left end of the text.
        let position: Double
        /// 0 inside the bar; 1 for the first lane below.
        let lane: Int
    }

    /// The number of lanes below a plot in each layout.
    struct Counts: Equatable {
        private var (wide, narrow) = (0, 0)

        subscript(layout: Layout) -> Int {
            get { layout == .wide ? wide : narrow }
            set { if layout == .wide { wide = max(wide, newValue) } else { narrow = max(narrow, newValue) } }
        }

        var isEmpty: Bool { wide == 0 && narrow == 0 }

        /// The heights of the drawing as properties of CSS.
        func style(_ height: Double) -> String {
            Layout.allCases.map { "--\($0.rawValue):\((height + LabelLanes.height * Double(self[$0])).figure)px" }
                .joined(separator: ";")
        }
    }

    /// The height of a lane.
    static let height = 15.0
    /// The maximum number of lanes. Labels that find no room have a title only.
    private static let limit = 6
    /// The width of a character of 12 pixels, in a font that is not narrow.
    private static let character = 7.0
    private static let margin = 10.0

    private(set) var placed: [Placed] = []

    /// Places labels, which are in the order of their starts. A label that others follow closely lies below them, so
    /// that their lines do not cross it.
    init(_ labels: [Label], in layout: Layout) {
        let longest = Int((layout.width - Self.margin) / Self.character)
        var below: [Placed] = []
        for label in labels.reversed() {
            let text = label.text.shortened(to: longest)
            let width = (text.columns * Self.character + Self.margin) / layout.width * 100
            if label.begin + width <= label.end {
                placed.append(Placed(text: text, begin: label.begin, position: label.begin, lane: 0))
                continue
            }
            let position = max(min(label.begin, 100 - width), 0)
            let lane = 1 + (below.lazy.filter { $0.position < position + width }.map(\.lane).max() ?? 0)
            guard lane <= Self.limit else { continue }
            below.append(Placed(text: text, begin: label.begin, position: position, lane: lane))
        }
        placed += below
    }
}

extension String {
    /// The width in columns of a terminal, roughly: characters of East Asia are as wide as two others.
    var columns: Double {
        unicodeScalars.reduce(0) { $0 + ($1.value >= 0x1100 ? 2 : 1) }
    }
}
