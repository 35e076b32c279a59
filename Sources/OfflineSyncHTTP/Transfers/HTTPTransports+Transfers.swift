public import OfflineSync

extension HTTPTransports {
  /// The transfer of a configuration, by its type: `tus`, `webdav`; nil: it is of another type.
  ///
  /// - Parameter configuration: The object, as `TusTransfer` and `WebDAVTransfer` tell.
  /// - Returns: The transfer.
  /// - Throws: `SyncError` CONFIG_INVALID, naming the key.
  public func transfer(_ configuration: JSON) throws -> (any AttachmentTransfer)? {
    switch configuration["type"]?.string {
    case TusTransfer.transferType: try TusTransfer(configuration, self)
    case WebDAVTransfer.transferType: try WebDAVTransfer(configuration, self)
    default: nil
    }
  }
}
