import Testing

/// Servers that nobody here wrote, driven through the gateway; one after the other, since they are busy ones.
///
/// `scripts/servers` installs them and prints what `LASTWORD_SERVERS` has to be.
@Suite(.serialized, .enabled(if: RealServers.isInstalled)) struct RealServerTests {}
