// Where to send mail, ready to copy.
import { hostAndPort } from "../format/host.ts";
import { service, smtpAddress } from "../state/service.ts";
import { CopyButton } from "../ui/copy-button.tsx";

export function SmtpAddress() {
  if (!service.value) return null;
  const { host, port } = smtpAddress();
  const address = hostAndPort(host, port);
  return (
    <span class="smtp-address" title="Send mail to this SMTP address">
      <span class="smtp-label">SMTP</span>
      <code>{address}</code>
      <CopyButton text={address} label="Copy SMTP address" />
    </span>
  );
}
