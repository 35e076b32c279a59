import OfflineSync

/// What an answer of sObject collections says of one record: `{"id": …, "success": …, "errors": […]}`.
struct SObjectResult {
  /// The id, of a good answer.
  let id: RecordID?
  /// Why it was not taken; nil: it was.
  let failure: SalesforceFailure?

  /// One element of an answer; nil: it is none.
  init?(_ json: JSON) {
    guard let isGood = json["success"]?.bool else { return nil }
    id = json["id"].flatMap { RecordID(token: $0) }
    failure = isGood ? nil : SalesforceFailure(json["errors"]?.array?.first)
  }
}
