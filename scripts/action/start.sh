#!/usr/bin/env bash
# Starts Mailkeep in the background of the job, waits until it is ready, and tells the steps that follow
# where it is. Reads INPUT_SMTP_PORT, INPUT_HTTP_PORT, INPUT_FLAGS, INPUT_VERSION, INPUT_BINARY.
set -euo pipefail
# shellcheck source=scripts/action/find-mailkeep.sh
source "$(dirname "${BASH_SOURCE[0]}")/find-mailkeep.sh"

READY_WITHIN_SECONDS=30

mailkeep=$(find_mailkeep) || fail "Mailkeep could not be installed"
mkdir -p "$job_folder"
log=$job_folder/server.log
# A YAML block gives several lines.
read -ra flags <<<"$(tr '\r\n' '  ' <<<"${INPUT_FLAGS:-}")"

nohup "$mailkeep" serve --ephemeral --log-format json \
  --smtp-port "${INPUT_SMTP_PORT:-1025}" --http-port "${INPUT_HTTP_PORT:-8025}" \
  ${flags[@]+"${flags[@]}"} >"$log" 2>&1 </dev/null &
server=$!
echo "$server" >"$job_folder/server.pid"

# The line that says where it listens, also when the ports were left to the system.
deadline=$((SECONDS + READY_WITHIN_SECONDS))
until ready=$(grep -m 1 '"event":"ready"' "$log"); do
  if ! kill -0 "$server" 2>/dev/null; then fail "Mailkeep did not start: $(tail -n 1 "$log")"; fi
  if ((SECONDS >= deadline)); then fail "Mailkeep was not ready within $READY_WITHIN_SECONDS seconds"; fi
  sleep 0.1
done

port_of() { # KEY
  sed -n "s/.*\"$1\":\"[^\"]*:\([0-9]*\)\".*/\1/p" <<<"$ready"
}
smtp_port=$(port_of smtp)
http_url=http://127.0.0.1:$(port_of http)
"$mailkeep" health --url "$http_url" --wait 10s >/dev/null || fail "Mailkeep is not healthy at $http_url"

cat >>"$GITHUB_OUTPUT" <<EOF
smtp-host=127.0.0.1
smtp-port=$smtp_port
smtp-url=smtp://127.0.0.1:$smtp_port
http-url=$http_url
log=$(native_path "$log")
EOF
cat >>"$GITHUB_ENV" <<EOF
SMTP_HOST=127.0.0.1
SMTP_PORT=$smtp_port
SMTP_URL=smtp://127.0.0.1:$smtp_port
MAILKEEP_SMTP=127.0.0.1:$smtp_port
MAILKEEP_URL=$http_url
EOF
echo "Mailkeep takes mail on 127.0.0.1:$smtp_port and shows it on $http_url"
