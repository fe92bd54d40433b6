/// The oldest allowed version of TLS.
package enum MinimumTLSVersion: String, SettingChoice {
  case v1_2 = "1.2"
  case v1_3 = "1.3"
}
