// SPDX-License-Identifier: Apache-2.0

/// The header fields of a pane's responses.
enum PaneFields {
    /// The page's own policy: nothing from elsewhere, and no script or style within the page's text.
    private static let pagePolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
        "frame-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ]
    /// A report's policy: it is another's text, so it gets an origin of its own, and loads nothing. Its script and style
    /// are within its text.
    private static let reportPolicy = [
        "sandbox allow-scripts", "default-src 'none'", "script-src 'unsafe-inline'", "style-src 'unsafe-inline'",
        "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'self'",
    ]

    static let page = fields(pagePolicy)
    static let report = fields(reportPolicy)

    private static func fields(_ policy: [String]) -> [(String, String)] {
        [
            ("Content-Security-Policy", policy.joined(separator: "; ")), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"),
        ]
    }
}
