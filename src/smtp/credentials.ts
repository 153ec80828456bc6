// Who may log in over SMTP.
import type { LoginAttempt } from "./protocol/index.ts";

export interface Credentials {
  /** Whether every password is known in the clear, as CRAM-MD5 needs it. */
  readonly supportsCramMd5: boolean;
  verify(attempt: LoginAttempt): boolean | Promise<boolean>;
}
