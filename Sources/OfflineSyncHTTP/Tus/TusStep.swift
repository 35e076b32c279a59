/// A request of the tus protocol, by what it is for.
package enum TusStep: Sendable, CaseIterable {
  /// `POST` to the endpoint, without bytes.
  case create
  /// `POST` to the endpoint, with the first bytes.
  case createWithUpload
  /// `HEAD` of an upload.
  case probe
  /// `PATCH` of an upload.
  case send
  /// `DELETE` of an upload.
  case terminate
}
