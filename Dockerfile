FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends libuv1-dev libcurl4-openssl-dev libssl-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /lastword
ENV LASTWORD_WITHOUT_TESTS=1
# What the package needs is fetched when its manifest changes, not whenever a source does.
COPY Package.swift ./
RUN swift package resolve
COPY scripts/flags scripts/static.ld scripts/
COPY Sources Sources
COPY examples/clients/browser/lastword.js examples/clients/browser/
RUN swift build $(scripts/flags static) --configuration release --product lastword
# Which revision it is does not make it anew: files of an earlier layer are all new to a build, which would compile them.
COPY scripts/build-information scripts/
ARG REVISION=unknown
RUN install -D --strip .build/release/lastword /out/lastword \
 && scripts/build-information --into /out/lastword "$REVISION" \
 && stat --format '%n has %s bytes' /out/lastword

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libuv1 libcurl4 libssl3 ca-certificates tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --no-log-init --uid 10001 --user-group --no-create-home --home-dir /nonexistent \
      --shell /usr/sbin/nologin lastword \
 && mkdir /etc/lastword \
 && echo '# Mount a configuration in the place of this file.' >/etc/lastword/lastword.toml
COPY --from=build /out/lastword /usr/local/bin/lastword
# As numbers: an orchestrator that runs nobody as root cannot look names up.
USER 10001:10001
# Everybody who reaches the container is served, which is what it is for, and what its log warns of: who that is, is
# decided where it is started.
ENV HOST=0.0.0.0 PORT=5278 LASTWORD_LISTEN_AUDIENCE=network
# Not a flag, so that the health check sees it, too.
ENV LASTWORD_CONFIG=/etc/lastword/lastword.toml
# What is logged of a crash are its calls, without the memory around them.
ENV SWIFT_BACKTRACE=registers=none,images=none,sanitize=yes
EXPOSE 5278
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["lastword", "health"]
# The first process inherits those that an upstream's program leaves behind, and has to bury them.
ENTRYPOINT ["tini", "--", "lastword"]
CMD ["serve"]
ARG REVISION=unknown
LABEL org.opencontainers.image.title="lastword" \
      org.opencontainers.image.description="A JSON-RPC gateway in which the latest request has the last word" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$REVISION"
