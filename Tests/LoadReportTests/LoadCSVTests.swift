import Testing

@testable import LoadTest

@Suite struct LoadCSVTests {
  private static let header =
    "start_ns,length_ns,intended_requests,sent_requests,results,superseded,cancelled,errors,"
    + "stale_results,open_requests,latency_p50_ns,latency_p99_ns,latency_max_ns,client_lag_max_ns\r\n"

  @Test func `every interval is a row under names with units`() {
    #expect(
      LoadCSV.text(SampleRuns.full()) == Self.header
        + "0,1000000000,706,705,500,200,0,5,0,3,500000,990000,1000000,10000\r\n"
        + "1000000000,1000000000,706,705,500,200,0,5,0,3,500001,990000,1000000,10000\r\n")
  }

  @Test func `a run without intervals is a header alone`() {
    #expect(LoadCSV.text(LoadMeasurement()) == Self.header)
  }
}
