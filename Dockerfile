# syntax=docker/dockerfile:1
# The image: the musl executable on Alpine, nothing else. `npm run release` puts the executables in place:
#
#   npm run release && docker build -t mailkeep .
#   docker run -p 127.0.0.1:1025:1025 -p 127.0.0.1:8025:8025 -v mail:/data mailkeep
#
# Alpine is pinned by its exact version, not by digest.
FROM alpine:3.22.6

# The executable is linked to musl and libstdc++; all else is inside it.
RUN apk add --no-cache libstdc++ \
 && adduser -D -H -u 10001 mailkeep \
 && install -d -o mailkeep -g mailkeep -m 700 /data

ARG TARGETARCH
COPY --chmod=755 dist/docker/${TARGETARCH}/mailkeep /usr/local/bin/mailkeep

# Mail is kept in /data/mailkeep. It is the default folder and no setting, so that MAILKEEP_EPHEMERAL=true
# is enough to keep nothing.
ENV MAILKEEP_BIND=0.0.0.0 \
    XDG_DATA_HOME=/data

USER 10001:10001
VOLUME /data
EXPOSE 1025 8025
# Follows the variables that the server follows: port, address, the file of MAILKEEP_CONFIG. Health needs no password.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --start-interval=1s CMD ["mailkeep", "health"]
ENTRYPOINT ["mailkeep"]
CMD ["serve"]
