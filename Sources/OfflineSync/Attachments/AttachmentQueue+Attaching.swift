// How bytes come in.

extension AttachmentQueue {
  /// Copies a file in, writes its reference into the record, and queues it for upload.
  ///
  /// The file is read once and never held in memory as a whole; it may be deleted afterwards.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - field: The field of the record; one that held another reference names the new one then.
  ///   - contentType: The media type; nil: `application/octet-stream`.
  /// - Returns: The reference.
  /// - Throws: `SyncError` CONFIG_INVALID for a field that is not declared, ATTACHMENT_OWNER_MISSING,
  ///   ATTACHMENT_ROW_GONE when the record is not live, TRANSFER when the file cannot be read;
  ///   `CancellationError`.
  @discardableResult
  public func attach(
    file: URL,
    to field: AttachmentField,
    contentType: String? = nil
  ) async throws -> String {
    let folder = folder
    return try await attach(to: field, contentType) { temporary in
      guard file.isFileURL else { throw SyncError(.transfer, "\(file) is no file URL") }
      let path = file.absoluteURL.standardizedFileURL.path(percentEncoded: false)
      return try await folder.importFile(path, of: SystemFileSystem(), as: temporary)
    }
  }

  /// Takes bytes in, writes their reference into the record, and queues them for upload.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - field: The field of the record; one that held another reference names the new one then.
  ///   - contentType: The media type; nil: `application/octet-stream`.
  /// - Returns: The reference.
  /// - Throws: `SyncError` CONFIG_INVALID for a field that is not declared, ATTACHMENT_OWNER_MISSING,
  ///   ATTACHMENT_ROW_GONE when the record is not live; `CancellationError`.
  @discardableResult
  public func attach(
    bytes: [UInt8],
    to field: AttachmentField,
    contentType: String? = nil
  ) async throws -> String {
    let folder = folder
    return try await attach(to: field, contentType) { temporary in
      try await folder.importBytes(bytes, as: temporary)
    }
  }

  private func attach(
    to field: AttachmentField,
    _ contentType: String?,
    _ take: @Sendable (String) async throws -> ContentFolder.Imported
  ) async throws -> String {
    try await store.checkOpenForWriting()
    try checkOpen()
    let owner = try checkDeclared(field)
    let field = try await store.checkAttachable(field)
    let type = contentType.flatMap { $0.isEmpty ? nil : $0 } ?? AttachmentReference.anyContentType
    let id = store.environment.makeID()
    let reference = AttachmentReference.make(
      owner: owner,
      record: field.record,
      id: id,
      contentType: type
    )
    let temporary = AttachmentPath.temporary(id)
    await store.pin(temporary)
    do {
      let imported = try await take(temporary)
      try await publish(imported, as: reference, field, type)
      await store.unpin(temporary)
      return reference
    } catch {
      await store.unpin(temporary)
      throw error
    }
  }

  /// Publishes imported bytes and commits their row; until then the file is pinned.
  private func publish(
    _ imported: ContentFolder.Imported,
    as reference: String,
    _ field: AttachmentField,
    _ contentType: String
  ) async throws {
    let path = AttachmentPath.content(of: imported.sha256)
    await store.pin(path)
    do {
      let file = try await folder.publish(
        imported.temporary,
        sha256: imported.sha256
      )
      var row = AttachmentRow(
        reference: reference,
        field: field,
        direction: .upload,
        createdAt: store.environment.now()
      )
      row.sha256 = imported.sha256
      row.byteCount = imported.byteCount
      row.contentType = contentType
      row.file = file
      try await store.attach(row)
      await store.unpin(path)
    } catch {
      await store.unpin(path)
      throw error
    }
  }

  /// The owner, if references can be made for the field.
  private func checkDeclared(_ field: AttachmentField) throws -> String {
    let column = AttachmentColumn(collection: field.collection, field: field.field)
    guard settings.columns.contains(column) else {
      var error = SyncError(
        .configInvalid,
        "\(field.field) of \(field.collection) is not declared as an attachment field"
      )
      error.collection = field.collection
      throw error
    }
    guard let owner = settings.owner, !owner.isEmpty else {
      throw SyncError(.attachmentOwnerMissing, "the client was opened without an owner")
    }
    return owner
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
