extension RecordEncoder {
  /// What a value, or a part of it, encodes as.
  enum Value {
    case json(JSON)
    case scalar(any RecordScalar, JSON)
    case node(Node)
  }

  /// What one encoder was given so far; its containers share it.
  final class Node {
    let codingPath: [any CodingKey]
    private(set) var shape = Shape.nothing
    /// The members of an object, in the order in which their keys came first.
    private(set) var members: [(key: String, value: Value)] = []
    private(set) var elements: [Value] = []
    private var places: [ByteText: Int] = [:]
    private var missing: Set<ByteText> = []
    private var isContainer = false
    /// Whether an object has no other members than these, known to the type or not.
    var isWhole = false
    /// What the order of the elements, or of the members, is worth.
    var order = Order.given

    enum Shape {
      case nothing, object, array, contradiction
      case single(Value)
    }

    enum Order {
      case given, none
      /// Keys and values of a dictionary whose keys are no texts, one after another.
      case pairs
    }

    init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

    /// The members of an object at the top.
    init(_ object: JSON.Object) {
      codingPath = []
      shape = .object
      for (key, value) in object { set(.scalar(value, value), for: key) }
    }
  }
}

extension RecordEncoder.Node {
  /// Itself as an object or an array, or a node that goes nowhere if it is something else already.
  ///
  /// An encoder cannot throw here, so that the contradiction is found in writing.
  func shaped(as new: Shape) -> RecordEncoder.Node {
    switch (shape, new) {
    case (.nothing, _): shape = new
    case (.object, .object), (.array, .array): break
    default:
      shape = .contradiction
      return RecordEncoder.Node(codingPath: codingPath).shaped(as: new)
    }
    return self
  }

  /// Makes the node one value, which it can be once only.
  func setSingle(_ value: RecordEncoder.Value) throws {
    guard case .nothing = shape else {
      throw RecordEncoder.invalid(value, at: codingPath, "the value encodes as two values")
    }
    shape = .single(value)
  }

  /// Whether it has the form that the compiler writes for a case of an enum: `{"name":{…}}`.
  var isCase: Bool {
    guard case .object = shape, members.count == 1, case .node(let payload) = members[0].value
    else { return false }
    return payload.isContainer
  }

  func place(of key: ByteText) -> Int? { places[key] }

  func set(_ value: RecordEncoder.Value, for key: String) {
    let text = ByteText(key)
    missing.remove(text)
    if let place = places[text] {
      members[place].value = value
    } else {
      places[text] = members.count
      members.append((key, value))
    }
  }

  /// Notes that the type has no value for this key.
  func leaveOut(_ key: String) { missing.insert(ByteText(key)) }

  /// Whether the value says that there is no such member.
  func lacks(_ key: ByteText) -> Bool {
    places[key] == nil && (isWhole || missing.contains(key))
  }

  func append(_ value: RecordEncoder.Value) { elements.append(value) }

  /// The node of a container or a superclass under this key; the same again if there is one.
  func child(_ key: any CodingKey, isContainer: Bool) -> RecordEncoder.Node {
    if let place = places[ByteText(key.stringValue)], case .node(let node) = members[place].value {
      return node
    }
    let node = RecordEncoder.Node(codingPath: codingPath + [key])
    node.isContainer = isContainer
    set(.node(node), for: key.stringValue)
    return node
  }

  func nextChild() -> RecordEncoder.Node {
    let key = RecordCodingKey(intValue: elements.count)
    let node = RecordEncoder.Node(codingPath: codingPath + [key])
    append(.node(node))
    return node
  }
}
