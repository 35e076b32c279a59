// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .strictMemorySafety(), .treatAllWarnings(as: .error),
  .treatWarning("ExplicitSendable", as: .error),
]

// Each folder below Tests is one test target.
let tests = [
  "AttachmentTests",
  "ConfigurationTests",
  "ConformanceTests",
  "FileSystemTests",
  "FolderTests",
  "FuzzTests",
  "GoldenTests",
  "HTTPTests",
  "JSONTests",
  "JournalTests",
  "PushTests",
  "QueryTests",
  "ReadmeTests",
  "SimulationTests",
  "StoreTests",
  "SyncTests",
  "ToolTests",
  "TwoDeviceTests",
  "TypedRecordTests",
]

let package = Package(
  name: "OfflineSync",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "OfflineSync", targets: ["OfflineSync"]),
    .library(name: "OfflineSyncHTTP", targets: ["OfflineSyncHTTP"]),
    .library(name: "OfflineSyncTesting", targets: ["OfflineSyncTesting"]),
    .executable(name: "offlinesync", targets: ["OfflineSyncTool"]),
    .executable(name: "offlinesync-http", targets: ["OfflineSyncHTTPTool"]),
    .executable(name: "OfflineSyncBenchmark", targets: ["OfflineSyncBenchmark"]),
  ],
  targets: [
    .target(name: "OfflineSync", swiftSettings: strict),
    .target(name: "OfflineSyncHTTP", dependencies: ["OfflineSync"], swiftSettings: strict),
    .target(name: "OfflineSyncTesting", dependencies: ["OfflineSync"], swiftSettings: strict),
    // What the two tools share.
    .target(name: "OfflineSyncCommands", dependencies: ["OfflineSync"], swiftSettings: strict),
    .executableTarget(
      name: "OfflineSyncTool",
      dependencies: ["OfflineSyncCommands"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "OfflineSyncHTTPTool",
      dependencies: ["OfflineSync", "OfflineSyncCommands", "OfflineSyncHTTP"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "OfflineSyncBenchmark",
      dependencies: ["OfflineSync", "OfflineSyncTesting"],
      swiftSettings: strict
    ),
    // What tests start as processes.
    .target(name: "ChildProcesses", path: "Tests/ChildProcesses", swiftSettings: strict),
  ]
    + tests.map {
      .testTarget(
        name: $0,
        // The tests of the tool run it as a process, so it has to be built.
        dependencies: ["OfflineSync", "OfflineSyncTesting"]
          + ($0 == "ToolTests" ? ["OfflineSyncCommands", "OfflineSyncTool", "ChildProcesses"] : [])
          + ($0 == "FileSystemTests" ? ["ChildProcesses"] : [])
          + ($0 == "HTTPTests"
            ? ["ChildProcesses", "OfflineSyncHTTP", "OfflineSyncHTTPTool"] : []),
        // The scripts of the servers that the tests start.
        exclude: $0 == "HTTPTests" ? ["Servers"] : [],
        swiftSettings: strict
      )
    }
)
