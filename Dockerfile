# syntax=docker/dockerfile:1
# The image: the musl executable on Alpine, nothing else. `npm run release` puts the executables in place:
#
#   npm run release && docker build -t mailkeep .
#   docker run -p 127.0.0.1:1025:1025 -p 127.0.0.1:8025:8025 -v mail:/data mailkeep
#
# Alpine has an exact version but no digest, which nobody can check without the registry.
FROM alpine:3.22.6

# The executable is linked to musl and libstdc++; all else is inside it.
RUN apk add --no-cache libstdc++ \
 && adduser -D -H -u 10001 mailkeep \
 && install -d -o mailkeep -g mailkeep -m 700 /data

ARG TARGETARCH
COPY --chmod=755 dist/docker/${TARGETARCH}/mailkeep /usr/local/bin/mailkeep

# Makes /data/mailkeep the default folder for mail. MAILKEEP_DATA_DIR would do so, too, but the
# server refuses it together with MAILKEEP_EPHEMERAL=true.
ENV MAILKEEP_BIND=0.0.0.0 \
    XDG_DATA_HOME=/data

USER 10001:10001
VOLUME /data
EXPOSE 1025 8025
# Reads the server's settings, so it asks the right address and port. It needs no password.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --start-interval=1s CMD ["mailkeep", "health"]
ENTRYPOINT ["mailkeep"]
CMD ["serve"]
