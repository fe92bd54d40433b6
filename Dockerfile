FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends libuv1-dev libcurl4-openssl-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /lastword
COPY . .
RUN build="swift build $(scripts/flags | tr '\n' ' ') --configuration release --static-swift-stdlib" \
 && $build --product lastword \
 && install -D --strip "$($build --show-bin-path)/lastword" /out/lastword

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libuv1 libcurl4 ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin lastword
COPY --from=build /out/lastword /usr/local/bin/lastword
USER lastword
# Inside the container only: what reaches this port is decided where the container is started.
EXPOSE 5278
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["lastword", "health"]
ENTRYPOINT ["lastword"]
CMD ["serve", "--listen", "0.0.0.0:5278"]
