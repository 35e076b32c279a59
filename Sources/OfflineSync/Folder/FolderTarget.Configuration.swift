extension FolderTarget {
  /// How the target is stored: `path`, `collection`, `pageSize` and the names of the two fields.
  public var configuration: JSON {
    var members: JSON.Object = ["path": .string(path)]
    if !collection.isEmpty { members["collection"] = .string(collection) }
    members["pageSize"] = JSON(pageSize)
    members["idFieldName"] = .string(idFieldName)
    members["modificationDateFieldName"] = .string(modificationDateFieldName)
    return .object(members)
  }

  /// The target of a stored configuration, or of one in a configuration file.
  ///
  /// Only `path` is required. A relative path starts at `base`, without one at the current
  /// directory. Without `collection` the target reads the folder of its sync's collection.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID, naming the key.
  package init(
    configuration: JSON,
    collection: String = "",
    relativeTo base: URL? = nil
  ) throws {
    guard let members = configuration.object else {
      throw SyncError(.configInvalid, "the target is no object")
    }
    for (key, _) in members where !Self.keys.contains(key) {
      throw SyncError(.configInvalid, "the target of type folder has no key \"\(key)\"")
    }
    if let type = members["type"], type.string != Self.targetType {
      throw SyncError(.configInvalid, "the target's \"type\" is not \"\(Self.targetType)\"")
    }
    guard let path = try Self.text("path", of: members) else {
      throw SyncError(.configInvalid, "the target of type folder lacks \"path\"")
    }
    self.init(
      URL(filePath: path, directoryHint: .isDirectory, relativeTo: base).absoluteURL,
      collection: try Self.text("collection", of: members) ?? collection
    )
    if let size = members["pageSize"] {
      guard let count = size.int64.flatMap(Int.init(exactly:)), count > 0 else {
        throw SyncError(.configInvalid, "the target's \"pageSize\" is no whole number above 0")
      }
      pageSize = count
    }
    idFieldName = try Self.text("idFieldName", of: members) ?? idFieldName
    modificationDateFieldName =
      try Self.text("modificationDateFieldName", of: members) ?? modificationDateFieldName
    if !self.collection.isEmpty { _ = try folderCollection() }
    guard idFieldName != modificationDateFieldName else {
      throw SyncError(
        .configInvalid,
        "the target's \"modificationDateFieldName\" is its \"idFieldName\" too"
      )
    }
  }

  private static let keys = [
    "type", "path", "collection", "pageSize", "idFieldName", "modificationDateFieldName",
  ]

  /// The member's text; nil when it is missing.
  private static func text(_ key: String, of members: JSON.Object) throws -> String? {
    guard let value = members[key] else { return nil }
    guard let text = value.string, !text.isEmpty, !text.utf8.contains(0) else {
      throw SyncError(.configInvalid, "the target's \"\(key)\" is no text, or an empty one")
    }
    return text
  }
}

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
