# Sourced by the action's scripts: user and password of the server, which no log may show.
# shellcheck shell=bash
# shellcheck source=scripts/action/runner.sh
source "$(dirname "${BASH_SOURCE[0]}")/runner.sh"

# Every byte as %XX: a password may have any of them.
url_encoded() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'; }

credentials=${INPUT_HTTP_AUTH:-${MAILKEEP_HTTP_AUTH:-}}
# That of a file from which the secret was made; the server leaves it out, too.
credentials=${credentials%"$line_end"}
credentials=${credentials%$'\r'}
if [[ -n $credentials ]]; then
  [[ $credentials == ?*:?* ]] || fail "http-auth must be user:password"
  encoded_user=$(url_encoded "${credentials%%:*}")
  encoded_password=$(url_encoded "${credentials#*:}")
  # As given, and as the address has it.
  for secret in "${credentials#*:}" "$encoded_password"; do echo "::add-mask::$(escaped "$secret")"; done
fi

# The address with the credentials in it. Those that are there give way to the input, not to a variable: a flag of the
# server may have been stronger than that.
with_credentials() { # URL
  local rest=${1#*://} authority
  authority=${rest%%/*}
  if [[ -z $credentials || (-z ${INPUT_HTTP_AUTH:-} && $authority == *@*) ]]; then
    echo "$1"
    return
  fi
  echo "${1%%://*}://$encoded_user:$encoded_password@${authority##*@}${rest#"$authority"}"
}
