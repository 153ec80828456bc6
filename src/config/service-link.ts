// Variables that Kubernetes and Docker's links make from the name of a service. For one that is called mailkeep
// or mailkeep-smtp they carry our prefix, and nobody wrote them.

const MADE_UP_NAME = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?$|_ENV_\w+$/;

/** `MAILKEEP_SMTP_PORT=tcp://10.0.0.1:1025` is no port of ours. */
const MADE_UP_VALUES: readonly (readonly [ending: string, value: RegExp])[] = [
  ["_PORT", /^(?:tcp|udp|sctp):\/\//],
  ["_NAME", /^\//],
];

export const isServiceLink = (variable: string, value: string): boolean =>
  MADE_UP_NAME.test(variable) ||
  MADE_UP_VALUES.some(([ending, shape]) => variable.endsWith(ending) && shape.test(value));
