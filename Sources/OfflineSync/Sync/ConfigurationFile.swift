/// What a configuration file says: the syncs there are, and where attachments are and go.
///
/// Every mistake is CONFIG_INVALID, naming the entry and the key; nothing is passed over.
package struct ConfigurationFile: Sendable, Equatable {
  /// The syncs, in the order of the file.
  package let syncs: [Entry]
  /// What it says of attachments; nil: nothing.
  package let attachments: Attachments?

  /// One sync.
  package struct Entry: Sendable, Equatable {
    package let name: String
    package let direction: SyncDirection
    package let collection: String
    package let targetType: String
    /// The target's configuration, with its type under `type`; of a folder with an absolute path
    /// and its collection.
    package let target: JSON
    package let options: SyncOptions
    /// How an error names the entry: `syncs[1] "contactsUp"`.
    package let place: String
  }

  /// The part about attachments.
  package struct Attachments: Sendable, Equatable {
    /// The first segment of references.
    package let owner: String?
    /// How bytes are moved, with its type under `type`; of a folder with an absolute path.
    package let transfer: JSON?
    package let fields: [Field]
  }

  /// A field that holds a reference.
  package struct Field: Sendable, Hashable {
    package let collection: String
    package let field: String
  }
}

extension ConfigurationFile {
  /// Reads a configuration; relative paths start at the folder, or stay as they are without one.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID.
  package init(parsing json: JSON, relativeTo folder: URL?) throws {
    let file = try ConfigurationObject(json, at: "the configuration")
    try file.allow(["syncs", "attachments"])
    var places: [ByteText: String] = [:]
    syncs = try file.array("syncs").enumerated().map { index, json in
      let entry = try Entry(json, at: "syncs[\(index)]", relativeTo: folder)
      if let earlier = places.updateValue(entry.place, forKey: ByteText(entry.name)) {
        throw SyncError(.configInvalid, "\(entry.place): syncName: \(earlier) has the same name")
      }
      return entry
    }
    attachments = try file.value("attachments").map { try Attachments($0, relativeTo: folder) }
  }
}

extension ConfigurationFile.Entry {
  fileprivate init(_ json: JSON, at index: String, relativeTo folder: URL?) throws {
    let unnamed = try ConfigurationObject(json, at: index)
    name = try unnamed.text("syncName")
    place = "\(index) \(JSON.string(name).text)"
    let entry = try ConfigurationObject(json, at: place)
    try entry.allow(["syncName", "syncType", "soupName", "collection", "target", "options"])
    direction = try entry.choice(
      "syncType",
      [("syncDown", SyncDirection.syncDown), ("syncUp", .syncUp)]
    )
    collection = try entry.collection()
    var target = try entry.object("target")
    targetType = try target.text("type")
    if targetType == ConfigurationFile.folderType {
      try target.makeAbsolute("path", relativeTo: folder)
      if target.value("collection") == nil { target.set("collection", .string(collection)) }
    }
    self.target = target.json
    options = try entry.optionalObject("options").map { try SyncOptions($0) } ?? SyncOptions()
  }

  /// An error of the entry's target or of its creation, naming the entry.
  package func naming(_ error: SyncError) -> SyncError {
    var named = error
    named.message = "\(place): \(error.message)"
    return named
  }
}

extension ConfigurationFile.Attachments {
  fileprivate init(_ json: JSON, relativeTo folder: URL?) throws {
    let part = try ConfigurationObject(json, at: "attachments")
    try part.allow(["owner", "transfer", "fields"])
    owner = try part.optionalText("owner")
    transfer = try part.optionalObject("transfer").map { transfer in
      var transfer = transfer
      if try transfer.text("type") == ConfigurationFile.folderType {
        try transfer.allow(["type", "path"])
        try transfer.makeAbsolute("path", relativeTo: folder)
      }
      return transfer.json
    }
    fields = try (part.optionalArray("fields") ?? []).enumerated().map { index, json in
      let field = try ConfigurationObject(json, at: "attachments: fields[\(index)]")
      try field.allow(["soupName", "collection", "field"])
      return .init(collection: try field.collection(), field: try field.text("field"))
    }
    for (index, field) in fields.enumerated() {
      guard let first = fields.firstIndex(of: field), first < index else { continue }
      throw SyncError(
        .configInvalid,
        "attachments: fields[\(index)]: is declared in fields[\(first)] already"
      )
    }
  }
}

extension ConfigurationFile {
  /// The target and the transfer that every client knows.
  fileprivate static var folderType: String { "folder" }
}

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
