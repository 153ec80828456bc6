// Keeps requests to this machine away from the HTTP proxy of the environment: the proxy cannot reach our loopback, and
// a healthy server would seem to be gone.

const LOOPBACK = "localhost,127.0.0.1,::1";
const PROXIES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables to set; none without a proxy. Programs disagree about upper and lower case, so both are set. */
export function proxyExceptions(environment: Environment): Record<string, string> {
  const given = environment.no_proxy || environment.NO_PROXY;
  // A lone asterisk means every host, and within a list nothing.
  if (given === "*" || !PROXIES.some((name) => environment[name])) return {};
  const exceptions = given ? `${given},${LOOPBACK}` : LOOPBACK;
  return { no_proxy: exceptions, NO_PROXY: exceptions };
}
