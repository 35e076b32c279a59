public import OfflineSync

extension JSONTarget {
  private static let keys = [
    "url", "credentials", "recordsKey", "recordKey", "pageParameter", "firstPage",
    "offsetParameter", "nextKey", "nextLink", "sizeParameter", "pageSize", "sinceParameter",
    "sinceFormat", "isSorted", "deletedField", "idFieldName", "modificationDateFieldName", "update",
  ]

  /// The target of a configuration.
  ///
  /// `{"type": "json", "url": …}` and, where the server is another one than `Settings()`: `recordsKey`,
  /// `recordKey`, one of `pageParameter` (with `firstPage`, 1), `offsetParameter`, `nextKey` and `nextLink`
  /// (true), `sizeParameter` with `pageSize`, `sinceParameter` with `sinceFormat` (`iso8601`,
  /// `milliseconds`, `seconds`), `isSorted`, `deletedField`, `idFieldName`, `modificationDateFieldName`,
  /// `update` (`PATCH`, `PUT`, `none`), `credentials`.
  ///
  /// - Parameters:
  ///   - configuration: The object.
  ///   - transports: Where the transport comes from.
  /// - Throws: `SyncError` CONFIG_INVALID, naming the key.
  public init(_ configuration: JSON, _ transports: HTTPTransports) throws {
    let members = try TargetMembers(configuration, of: Self.targetType, keys: Self.keys)
    let url = try members.address("url")
    let credentials = try members.text("credentials")
    var settings = Settings()
    settings.recordsKey = try members.text("recordsKey")
    settings.recordKey = try members.text("recordKey")
    settings.paging = try Self.paging(members)
    switch (try members.text("sizeParameter"), try members.number("pageSize", atLeast: 1)) {
    case (let parameter?, let count?): settings.pageSize = (parameter, count)
    case (nil, nil): break
    default:
      throw members.mistake("sizeParameter", "stands without \"pageSize\", or that without it")
    }
    settings.sinceParameter = try members.text("sinceParameter")
    settings.sinceFormat = try members.choice("sinceFormat", TimeFormat.self) ?? .iso8601
    settings.isSorted = try members.flag("isSorted") ?? false
    settings.deletedField = try members.text("deletedField")
    settings.idFieldName = try members.text("idFieldName") ?? settings.idFieldName
    settings.modificationDateFieldName =
      try members.text("modificationDateFieldName") ?? settings.modificationDateFieldName
    settings.update = try members.choice("update", Update.self) ?? .patch
    guard settings.idFieldName != settings.modificationDateFieldName else {
      throw members.mistake("modificationDateFieldName", "is the \"idFieldName\" too")
    }
    self.init(
      url,
      settings,
      credentials,
      try transports.transport(to: url, credentials: credentials)
    )
  }

  private static func paging(_ members: TargetMembers) throws -> Paging {
    let first = try members.number("firstPage", atLeast: 0)
    var ways: [Paging] = []
    if let name = try members.text("pageParameter") {
      ways.append(.page(parameter: name, first: first ?? 1))
    }
    if let name = try members.text("offsetParameter") { ways.append(.offset(parameter: name)) }
    if let key = try members.text("nextKey") { ways.append(.nextKey(key)) }
    if try members.flag("nextLink") == true { ways.append(.link) }
    guard ways.count < 2 else {
      throw members.mistake("nextKey", "is one of several ways to the next page")
    }
    return ways.first ?? .none
  }

  /// How the target is stored; closures are not.
  public var configuration: JSON {
    var members: JSON.Object = ["url": .string(url.absoluteString)]
    let texts: [(String, String?)] = [
      ("credentials", credentials), ("recordsKey", settings.recordsKey),
      ("recordKey", settings.recordKey), ("sinceParameter", settings.sinceParameter),
      ("deletedField", settings.deletedField), ("sizeParameter", settings.pageSize?.parameter),
    ]
    for (key, text) in texts where text != nil { members[key] = text.map { .string($0) } }
    switch settings.paging {
    case .none: break
    case .page(let parameter, let first):
      members["pageParameter"] = .string(parameter)
      members["firstPage"] = JSON(first)
    case .offset(let parameter): members["offsetParameter"] = .string(parameter)
    case .nextKey(let key): members["nextKey"] = .string(key)
    case .link: members["nextLink"] = true
    }
    if let count = settings.pageSize?.count { members["pageSize"] = JSON(count) }
    members["sinceFormat"] = .string(settings.sinceFormat.rawValue)
    members["isSorted"] = .bool(settings.isSorted)
    members["idFieldName"] = .string(idFieldName)
    members["modificationDateFieldName"] = .string(modificationDateFieldName)
    members["update"] = .string(settings.update.rawValue)
    return .object(members)
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
