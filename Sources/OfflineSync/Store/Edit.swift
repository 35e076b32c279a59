/// One edit of `Store.commit`, as the call of the same name.
///
/// A created record whose id another edit of the commit needs brings one of its own.
public struct Edit: Sendable, Equatable {
  package enum Kind: Equatable, Sendable {
    case create(Record)
    case update(Record, id: RecordID)
    case delete(RecordID)
    case revert(RecordID)
  }
  package let kind: Kind
  package let collection: String

  /// As `Store.create`.
  public static func create(_ record: Record, in collection: String) -> Edit {
    Edit(kind: .create(record), collection: collection)
  }

  /// As `Store.update`.
  public static func update(_ record: Record, id: RecordID, in collection: String) -> Edit {
    Edit(kind: .update(record, id: id), collection: collection)
  }

  /// As `Store.delete`.
  public static func delete(_ id: RecordID, in collection: String) -> Edit {
    Edit(kind: .delete(id), collection: collection)
  }

  /// As `Store.revert`.
  public static func revert(_ id: RecordID, in collection: String) -> Edit {
    Edit(kind: .revert(id), collection: collection)
  }
}
