#!/usr/bin/env bash
# Starts Mailkeep in the background of the job, waits until it is ready, and tells later steps where it is.
# Reads INPUT_SMTP_PORT, INPUT_HTTP_PORT, INPUT_HTTP_AUTH, INPUT_FLAGS.
set -euo pipefail
# shellcheck source=scripts/action/find-mailkeep.sh
source "$(dirname "${BASH_SOURCE[0]}")/find-mailkeep.sh"

# A YAML block may have several lines. A given log format is removed, because this script reads the log as JSON.
read -ra flags <<<"$(tr '\r\n' '  ' <<<"${INPUT_FLAGS:-}" | sed -E 's/--log-format[= ]+[^ ]+//g')"
# Quotes around a value are refused, because they would become part of the value.
if [[ " ${flags[*]-}" == *[\ =][\"\']* ]]; then fail "flags are split at spaces: leave the quotes out"; fi

# All values of a flag, one per line.
given() { # FLAG
  local flag previous=''
  for flag in ${flags[@]+"${flags[@]}"}; do
    if [[ $flag == "$1="* ]]; then echo "${flag#*=}"; fi
    if [[ $previous == "$1" ]]; then echo "$flag"; fi
    previous=$flag
  done
}
# The server gets all users. Later steps log in as the first admin, or as the first user if none is
# an admin. Users in --http-auth flags replace those of the input.
all_users=${INPUT_HTTP_AUTH:-${MAILKEEP_HTTP_AUTH:-}}
users=$(given --http-auth)
users=${users:-$(sed -E $'s/,[[:space:]]*([^:,]+:)/\\\n\\1/g' <<<"$all_users")}
admin=$(sed -nE '/^(read|write)=/!p' <<<"$users" | sed -n 1p)
INPUT_HTTP_AUTH=$(sed -E 's/^(read|write|admin)=//' <<<"${admin:-$users}" | sed -n 1p)
# shellcheck source=scripts/action/credentials.sh
source "$(dirname "${BASH_SOURCE[0]}")/credentials.sh"

READY_WITHIN_SECONDS=30

mailkeep=$(find_mailkeep) || fail "Mailkeep could not be installed"
mkdir -p "$job_folder"
# A second server of the job gets a log of its own.
log=$job_folder/server.log
number=1
while [[ -e $log ]]; do log=$job_folder/server-$((++number)).log; done
: >"$log"

# These settings are variables and not flags, so that a flag of the workflow wins over them.
MAILKEEP_HTTP_AUTH=$all_users MAILKEEP_EPHEMERAL=true \
  MAILKEEP_SMTP_PORT=${INPUT_SMTP_PORT:-1025} MAILKEEP_HTTP_PORT=${INPUT_HTTP_PORT:-8025} \
  nohup "$mailkeep" serve ${flags[@]+"${flags[@]}"} --log-format json >"$log" 2>&1 </dev/null &
server=$!
echo "$server" >"${log%.log}.pid"

fail_start() {
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  echo "::group::Mailkeep's log"
  show "$(tail -n 100 "$log")"
  echo "::endgroup::"
  fail "$1"
}

# The line of the event "ready" has the ports, even if the system chose them.
deadline=$((SECONDS + READY_WITHIN_SECONDS))
until ready=$(grep -m 1 '"event":"ready"' "$log"); do
  if ! kill -0 "$server" 2>/dev/null; then fail_start "Mailkeep did not start: $(tail -n 1 "$log")"; fi
  if ((SECONDS >= deadline)); then fail_start "Mailkeep was not ready within $READY_WITHIN_SECONDS seconds"; fi
  sleep 0.1
done

value_of() { # KEY
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$ready"
}
smtp=$(value_of smtp)
http=$(value_of http)
# 0.0.0.0 and :: mean all addresses of the machine. Later steps get the loopback address instead.
case "$smtp" in
  0.0.0.0:*) host=127.0.0.1 ;;
  "[::]:"*) host=::1 ;;
  *) host=${smtp%:*} ;;
esac
host=${host#"["}
host=${host%"]"}
host_in_url=$host
if [[ $host == *:* ]]; then host_in_url="[$host]"; fi
smtp_port=${smtp##*:}
http_url=http://$host_in_url:${http##*:}
"$mailkeep" health --url "$http_url" --wait 10s >/dev/null || fail_start "Mailkeep is not healthy at $http_url"

# A flag wins over MAILKEEP_SMTP_AUTH_REQUIRED.
asks_for_login() {
  local flag said=${MAILKEEP_SMTP_AUTH_REQUIRED:-}
  for flag in ${flags[@]+"${flags[@]}"}; do
    if [[ $flag == --smtp-auth-required ]]; then said=true; fi
    if [[ $flag == --smtp-auth-required=* ]]; then said=${flag#*=}; fi
  done
  grep -qixE 'true|yes|on|1' <<<"$said"
}
# `mailkeep send` logs in as the first user that is given. Without users, any login is accepted.
login=$(given --smtp-auth | sed -n 1p)
variable=${MAILKEEP_SMTP_AUTH:-}
login=${login:-${variable%%[,$'\r\n']*}}
file=$(given --smtp-auth-file)${MAILKEEP_SMTP_AUTH_FILE:-}
if [[ -z $login && -z $file ]] && asks_for_login; then login=mailkeep:mailkeep; fi
mailkeep_smtp=$host_in_url:$smtp_port
if [[ -n $login ]]; then
  encoded_login=$(url_encoded "${login%%:*}"):$(url_encoded "${login#*:}")
  # The runner hides only exact text, and the encoded password may differ from the given one.
  echo "::add-mask::$(escaped "${encoded_login#*:}")"
  mailkeep_smtp=smtp://$encoded_login@$mailkeep_smtp
fi

cat >>"$GITHUB_OUTPUT" <<OUTPUT
smtp-host=$host
smtp-port=$smtp_port
smtp-url=smtp://$host_in_url:$smtp_port
http-url=$http_url
log=$(native_path "$log")
OUTPUT
cat >>"$GITHUB_ENV" <<ENVIRONMENT
SMTP_HOST=$host
SMTP_PORT=$smtp_port
SMTP_URL=smtp://$host_in_url:$smtp_port
MAILKEEP_SMTP=$mailkeep_smtp
MAILKEEP_URL=$(with_credentials "$http_url")
ENVIRONMENT
echo "Mailkeep takes mail on $host_in_url:$smtp_port and shows it on $http_url"
