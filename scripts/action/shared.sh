#!/usr/bin/env bash
# Creates an inbox for this job on a shared server and tells later steps how to use it. The inbox
# expires, because a composite action cannot remove it at the end of the job.
# Reads INPUT_URL, INPUT_TOKEN, INPUT_EXPIRES.
set -euo pipefail
# shellcheck source=scripts/action/find-mailkeep.sh
source "$(dirname "${BASH_SOURCE[0]}")/find-mailkeep.sh"

if [[ -n ${INPUT_TOKEN:-} ]]; then echo "::add-mask::$(escaped "$INPUT_TOKEN")"; fi
mailkeep=$(find_mailkeep) || fail "Mailkeep could not be installed"
# Arguments are visible to other processes, and both the address and the token may be secret.
created=$(MAILKEEP_URL=$INPUT_URL MAILKEEP_TOKEN=${INPUT_TOKEN:-} \
  "$mailkeep" inbox create --expires "${INPUT_EXPIRES:-6h}" --format json) ||
  fail "no inbox could be created at the server of the input url"

value_of() { # KEY
  sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$created"
}
token=$(value_of token)
echo "::add-mask::$token"
host=$(value_of host)
port=$(value_of port)
smtp_url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' <<<"$created")
# Later steps use the token of the inbox, not the credentials in INPUT_URL.
url=$(sed -E 's#^(https?://)[^/@]*@#\1#' <<<"$INPUT_URL")

cat >>"$GITHUB_OUTPUT" <<OUTPUT
smtp-host=$host
smtp-port=$port
smtp-url=$smtp_url
http-url=$url
inbox=$(value_of name)
address=$(value_of address)
OUTPUT
cat >>"$GITHUB_ENV" <<ENVIRONMENT
SMTP_HOST=$host
SMTP_PORT=$port
SMTP_USER=$(value_of username)
SMTP_PASSWORD=$token
SMTP_URL=$smtp_url
MAILKEEP_SMTP=$smtp_url
MAILKEEP_URL=$url
MAILKEEP_TOKEN=$token
ENVIRONMENT
echo "Mailkeep keeps the mail of this job in the inbox $(value_of name)"
