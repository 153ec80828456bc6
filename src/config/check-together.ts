// Settings that only make sense with each other.
import { flagName } from "./setting.ts";
import type { ServeSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

const CERTIFICATES = "--smtp-tls-cert with --smtp-tls-key, or --smtp-tls self-signed";

/** `certificates` are the flags by which the command is given one. */
export function checkTogether(settings: ServeSettings, certificates = CERTIFICATES): void {
  refuseSharedPorts(settings);
  const { smtpTlsCert, smtpTlsKey, smtpTls, smtpsPort, smtpTlsRequired } = settings;
  const hasFiles = smtpTlsCert !== undefined || smtpTlsKey !== undefined;
  const hasTls = smtpTls === "self-signed" || hasFiles;
  if (smtpTlsCert !== undefined && smtpTlsKey === undefined) {
    throw new UsageError("--smtp-tls-cert needs --smtp-tls-key");
  }
  if (smtpTlsKey !== undefined && smtpTlsCert === undefined) {
    throw new UsageError("--smtp-tls-key needs --smtp-tls-cert");
  }
  const needsTls = smtpsPort !== undefined ? "--smtps-port" : smtpTlsRequired ? "--smtp-tls-required" : null;
  if (needsTls && !hasTls) {
    throw new UsageError(`${needsTls} needs a certificate: ${certificates}`);
  }
}

/** The system would say that a port is in use, and not by whom. */
function refuseSharedPorts({ smtpPort, smtpsPort, httpPort }: ServeSettings): void {
  const ports = Object.entries({ smtpPort, smtpsPort, httpPort }).filter(([, port]) => port);
  for (const [index, [name, port]] of ports.entries()) {
    const other = ports.slice(index + 1).find(([, taken]) => taken === port)?.[0];
    if (other === undefined) continue;
    throw new UsageError(
      `--${flagName(name)} and --${flagName(other)} are both ${port}: each needs a port of its own`,
    );
  }
}
