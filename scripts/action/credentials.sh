# Sourced by the action's scripts: user and password of the server. No log may show the password.
# shellcheck shell=bash
# shellcheck source=scripts/action/runner.sh
source "$(dirname "${BASH_SOURCE[0]}")/runner.sh"

# Writes every byte as %XX, because a password may contain any byte.
url_encoded() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'; }

credentials=${INPUT_HTTP_AUTH:-${MAILKEEP_HTTP_AUTH:-}}
# A secret made from a file may end with a line end. The server removes it, too.
credentials=${credentials%"$line_end"}
credentials=${credentials%$'\r'}
if [[ -n $credentials ]]; then
  [[ $credentials == ?*:?* ]] || fail "http-auth must be user:password"
  encoded_user=$(url_encoded "${credentials%%:*}")
  encoded_password=$(url_encoded "${credentials#*:}")
  # The runner must hide the password as given and as it is in the address.
  for secret in "${credentials#*:}" "$encoded_password"; do echo "::add-mask::$(escaped "$secret")"; done
fi

# Adds the credentials to an address. Those from MAILKEEP_HTTP_AUTH do not replace credentials that
# are already in the address, because a flag may have set them.
with_credentials() { # URL
  local rest=${1#*://} authority
  authority=${rest%%/*}
  if [[ -z $credentials || (-z ${INPUT_HTTP_AUTH:-} && $authority == *@*) ]]; then
    echo "$1"
    return
  fi
  echo "${1%%://*}://$encoded_user:$encoded_password@${authority##*@}${rest#"$authority"}"
}
