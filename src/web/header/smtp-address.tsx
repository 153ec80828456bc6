// Where to send mail, ready to copy.
import { service, smtpAddress } from "../state/service.ts";
import { CopyButton } from "../ui/copy-button.tsx";

export function SmtpAddress() {
  if (!service.value) return null;
  const { host, port } = smtpAddress();
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return (
    <span class="smtp-address" title="Send mail to this SMTP address">
      <span class="smtp-label">SMTP</span>
      <code>{address}</code>
      <CopyButton text={address} label="Copy SMTP address" />
    </span>
  );
}
