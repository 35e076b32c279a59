extension Store {
  /// The field that holds the ids of a collection, whether or not anybody used it before.
  package func idField(of collection: String) -> String {
    (state.place(of: collection).map { state[$0].rules } ?? .standard).idField
  }
}
