/// Order by one field: missing, null, false, true, numbers, strings (UTF-8 bytes), arrays and
/// objects.
///
/// Numbers are compared by value; two arrays or objects tie. Descending reverses all of it, so
/// that records without the field come last. Ties stay in the order of first arrival.
public struct SortKey: Sendable, Equatable {
  let field: ByteText
  let isDescending: Bool

  /// The least value first.
  public static func ascending(_ field: String) -> SortKey {
    SortKey(field: ByteText(field), isDescending: false)
  }

  /// The greatest value first.
  public static func descending(_ field: String) -> SortKey {
    SortKey(field: ByteText(field), isDescending: true)
  }
}
