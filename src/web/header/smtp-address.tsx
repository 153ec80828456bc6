// Where to send mail, ready to copy.
import { hostAndPort } from "../../lib/host-and-port.ts";
import { smtpAddress } from "../state/service.ts";
import { CopyButton } from "../ui/copy-button.tsx";

export function SmtpAddress() {
  const target = smtpAddress();
  if (!target) return null;
  const address = hostAndPort(target.host, target.port);
  return (
    <span class="smtp-address" title={`Send mail to ${address} by SMTP`}>
      <span class="smtp-label">SMTP</span>
      <code>{address}</code>
      <CopyButton text={address} label="Copy SMTP address" />
    </span>
  );
}
