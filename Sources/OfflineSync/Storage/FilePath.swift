/// The few operations on paths as text; names are bytes, so a `/` counts whatever follows it.
package enum FilePath {
  private static let slash = UInt8(ascii: "/")

  /// The names in the path, from the root on.
  package static func names(in path: String) -> [Substring.UTF8View] {
    path.utf8.split(separator: slash)
  }

  /// The path without its last name; of the root, the root.
  package static func parent(of path: String) -> String {
    let names = path.utf8.split(separator: slash).dropLast()
    guard let last = names.last else { return "/" }
    return String(path[..<last.endIndex])
  }

  /// The last name in the path; empty for the root.
  package static func name(of path: String) -> String {
    path.utf8.split(separator: slash).last.map { String(Substring($0)) } ?? ""
  }

  /// The path of the name in the directory.
  package static func join(_ directory: String, _ name: String) -> String {
    directory.utf8.last == slash ? directory + name : directory + "/" + name
  }
}
