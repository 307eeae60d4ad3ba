# The program `kilter`, with Python and git, which mappings and `--since` need. It opens no port and needs no network but loopback:
#   docker build --tag kilter .
#   docker run --rm --network none --user "$(id -u):$(id -g)" --volume "$PWD:/work" kilter test kilter.toml

FROM rust:1.90-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package kilter-cli

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 kilter \
    && install --directory --owner=kilter --group=kilter /work
COPY --from=build /source/target/release/kilter /usr/local/bin/kilter
USER kilter
WORKDIR /work
ENTRYPOINT ["kilter"]
CMD ["--help"]
