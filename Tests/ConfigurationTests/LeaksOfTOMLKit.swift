/// Tells the leak sanitizer what to pass over: TOMLKit never frees what it has read, a fixed cost per file.
@_cdecl("__lsan_default_suppressions")
public func leaksToPassOver() -> UnsafePointer<UInt8> { suppressions.utf8Start }

private let suppressions: StaticString = "leak:TOMLKit\n"
