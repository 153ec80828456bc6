// Settings that only make sense with each other.
import type { ServeSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

export function checkTogether(settings: ServeSettings): void {
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
    throw new UsageError(
      `${needsTls} needs a certificate: --smtp-tls-cert with --smtp-tls-key, or --smtp-tls self-signed`,
    );
  }
}
