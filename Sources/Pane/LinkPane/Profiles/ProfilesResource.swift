// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import ProfileCatalog
package import SandboxClient

/// The profiles: the list, previews with other figures, and new profiles of the user's own.
package final class ProfilesResource: PaneResource {
    /// Runs linkcond with these arguments, and returns the answer of the API.
    package typealias Program = (_ arguments: [String]) -> ControlAPI.Answer

    private let reading: CatalogReading
    private let preview: ProfilePreview
    private let run: Program

    /// - Parameter run: runs linkcond itself, for what changes something.
    package init(_ catalog: Catalog, run: @escaping Program) {
        reading = CatalogReading(catalog)
        preview = ProfilePreview(catalog)
        self.run = run
    }

    package func answer(_ request: PaneRequest) -> ControlAPI.Answer? {
        switch (request.method, request.path) {
        case ("GET", "/v1/profiles"): ControlAPI.Answer(body: reading.list())
        case ("POST", "/v1/profiles"): add(request.body)
        case ("GET", "/v1/preview"): preview.answer(request.query)
        case (_, "/v1/profiles"): ControlAPI.refuse(allowing: "GET, POST")
        case (_, "/v1/preview"): ControlAPI.refuse(allowing: "GET")
        default: nil
        }
    }

    private func add(_ body: JSON?) -> ControlAPI.Answer {
        do throws(ControlAPI.Answer) {
            return run(try Self.arguments(body))
        } catch {
            return error
        }
    }

    /// The arguments of `linkcond new` for a request.
    static func arguments(_ body: JSON?) throws(ControlAPI.Answer) -> [String] {
        func text(_ field: String) throws(ControlAPI.Answer) -> String? {
            guard let value = body?[field] else { return nil }
            guard let text = String(json: value) else {
                throw .refuse(.badRequest, "\(field) is \(value.kind); expected a string", field: field)
            }
            return text.isEmpty ? nil : text
        }
        guard let name = try text("name") else {
            throw .refuse(.badRequest, "a new profile needs a name", field: "name")
        }
        var arguments: [String] = []
        guard try text("from").map(Catalog.isPath) != true else { throw .isPath(field: "from") }
        for field in ["from"] + ProfilePreview.lanes {
            // In one word, so that a value that starts with a dash is no option.
            if let value = try text(field) { arguments.append("--\(field)=\(value)") }
        }
        return name.hasPrefix("-") ? ["new"] + arguments + ["--", name] : ["new", name] + arguments
    }
}
