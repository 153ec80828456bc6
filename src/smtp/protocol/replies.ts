// Every reply of the SMTP server, as a value. All have enhanced codes (RFC 2034, RFC 3463), except
// the greeting, the replies to EHLO and HELO, and 3xx.

/** A reply as it is sent, including line ends. Always ASCII, so its length is its size. */
export interface Reply {
  readonly wire: string;
  /**
   * Whether the command failed, or succeeded without helping to deliver a mail. Replies of
   * `forgivable` and of fault rules do not count. Too many fruitless replies since the last stored
   * mail end the session.
   */
  readonly fruitless: boolean;
  /** The connection is closed after this reply. */
  readonly ends?: boolean;
}

type FirstDigit<Code extends number> = `${Code}` extends `${infer Digit}${string}` ? Digit : never;
/** RFC 2034: the class of the enhanced code is the first digit of the reply code. */
type EnhancedCode<Code extends number> = `${FirstDigit<Code>}.${number}.${number}`;

function reply<Code extends number>(code: Code, enhanced: EnhancedCode<Code>, text: string): Reply {
  return { wire: `${code} ${enhanced} ${text}\r\n`, fruitless: code >= 400 };
}

function plainReply(code: number, text: string): Reply {
  return { wire: `${code} ${text}\r\n`, fruitless: code >= 400 };
}

const fruitless = (successful: Reply): Reply => ({ ...successful, fruitless: true });
/** A failure that the client has not caused, or a refusal that clients can handle. It does not count as fruitless. */
const forgivable = (refusal: Reply): Reply => ({ ...refusal, fruitless: false });

/** The refusal of a fault rule. After 421 the server closes the connection (RFC 5321 section 3.8). */
export const refusalOnPurpose = (code: number, enhanced: string, text: string, ends: boolean): Reply => ({
  wire: `${code} ${enhanced} ${text}\r\n`,
  fruitless: false,
  ends: ends || code === 421,
});
/** No reply: the connection is closed without a word. */
export const DROPPED: Reply = { wire: "", fruitless: false, ends: true };

export const greeting = (serverName: string) => plainReply(220, `${serverName} ESMTP ready`);
export const helloReply = (serverName: string) => fruitless(plainReply(250, serverName));

export function extendedHelloReply(serverName: string, keywords: readonly string[]): Reply {
  const lines = [serverName, ...keywords];
  const last = lines.length - 1;
  const wire = lines.map((line, index) => `250${index === last ? " " : "-"}${line}\r\n`).join("");
  return { wire, fruitless: true };
}

export const storedReply = (id: string) => reply(250, "2.0.0", `Stored as ${id}`);
export function chunkReply(bytes: number): Reply {
  const received = reply(250, "2.0.0", `${bytes} octets received`);
  return bytes === 0 ? fruitless(received) : received;
}
export const challengeReply = (challenge: string) => plainReply(334, challenge);

export const SENDER_OK = reply(250, "2.1.0", "Sender ok");
export const RECIPIENT_OK = reply(250, "2.1.5", "Recipient ok");
export const RESET = fruitless(reply(250, "2.0.0", "Reset"));
export const NOOP_OK = fruitless(reply(250, "2.0.0", "Ok"));
export const GOODBYE = reply(221, "2.0.0", "Bye");
export const CANNOT_VERIFY = fruitless(
  reply(252, "2.0.0", "Cannot verify the address, but mail to it is accepted"),
);
export const READY_FOR_TLS = reply(220, "2.0.0", "Ready to start TLS");
export const AUTHENTICATED = reply(235, "2.7.0", "Authentication succeeded");
export const SEND_MESSAGE = plainReply(354, "Send the message, end with <CRLF>.<CRLF>");
export const HELP = fruitless(reply(214, "2.0.0", "EHLO lists what is offered; all mail is stored here"));

export const NOT_HTTP = reply(500, "5.5.1", "This is SMTP, not HTTP");
export const UNKNOWN_COMMAND = reply(500, "5.5.1", "Unknown command");
export const LINE_TOO_LONG = reply(500, "5.5.2", "Line too long");
export const LINE_NOT_TEXT = reply(500, "5.5.2", "Control characters in the command");
export const EXPN_REFUSED = reply(502, "5.5.1", "EXPN is not offered");
export const HELLO_WITHOUT_NAME = plainReply(501, "Say who you are: EHLO hostname");
export const NO_ARGUMENTS = reply(501, "5.5.4", "This command takes no arguments");
export const MAIL_SYNTAX = reply(501, "5.5.2", "Syntax: MAIL FROM:<address>");
export const RCPT_SYNTAX = reply(501, "5.5.2", "Syntax: RCPT TO:<address>");
/** Ends the session: without a size, the bytes of the chunk would be taken for commands. */
export const BDAT_SYNTAX: Reply = { ...reply(501, "5.5.4", "Syntax: BDAT size [LAST]"), ends: true };
export const badSender = (reason: string) => reply(501, "5.1.7", `Bad sender address: ${reason}`);
export const badRecipient = (reason: string) => reply(501, "5.1.3", `Bad recipient address: ${reason}`);
export const badParameter = (reason: string) => reply(501, "5.5.4", reason);
/** The keyword is repeated only if it is valid (RFC 5321 section 4.1.2), because replies are short and ASCII. */
export const unknownParameter = (keyword: string) =>
  reply(555, "5.5.4", `Unknown parameter${/^[A-Z\d-]{1,40}$/.test(keyword) ? ` ${keyword}` : ""}`);

export const HELLO_FIRST = reply(503, "5.5.1", "EHLO or HELO first");
export const MAIL_FIRST = reply(503, "5.5.1", "MAIL first");
export const RECIPIENT_FIRST = reply(503, "5.5.1", "RCPT first");
export const ALREADY_IN_MAIL = reply(503, "5.5.1", "The sender is already set; use RSET to start over");
export const CHUNKS_BEGUN = reply(
  503,
  "5.5.1",
  "The message was started with BDAT; continue with BDAT or RSET",
);
export const BINARY_NEEDS_BDAT = reply(503, "5.5.1", "BODY=BINARYMIME needs BDAT");

export const MESSAGE_TOO_BIG = reply(
  552,
  "5.3.4",
  "Message too big; the EHLO reply gives the limit after SIZE",
);
/** For a recipient beyond the limit. Forgivable: clients send such recipients a second mail. */
export const TOO_MANY_RECIPIENTS = forgivable(reply(452, "4.5.3", "Too many recipients"));
export const STORE_FAILED = forgivable(reply(451, "4.3.0", "Could not store the message, try again"));
export const STORE_FULL = forgivable(reply(452, "4.3.1", "No space left to store the message"));

export const TLS_UNAVAILABLE = reply(502, "5.5.1", "TLS is not offered");
export const TLS_ALREADY = reply(503, "5.5.1", "TLS is already active");
export const TLS_FIRST = reply(530, "5.7.0", "STARTTLS first");
export const AUTHENTICATION_FIRST = reply(530, "5.7.0", "Authentication required");
export const ALREADY_AUTHENTICATED = reply(503, "5.5.1", "Already authenticated");
export const AUTH_IN_MAIL = reply(503, "5.5.1", "AUTH is not allowed during a mail transaction");
export const AUTH_SYNTAX = reply(501, "5.5.4", "Syntax: AUTH mechanism [initial-response]");
export const UNKNOWN_MECHANISM = reply(504, "5.5.4", "Mechanism not offered; EHLO lists the mechanisms");
export const AUTH_CANCELLED = reply(501, "5.7.0", "Authentication cancelled");
export const AUTH_MALFORMED = reply(
  501,
  "5.5.2",
  "Response is not base64, or not what the mechanism expects",
);
export const AUTH_LINE_TOO_LONG = reply(500, "5.5.6", "Authentication line too long");
export const AUTH_FAILED = reply(535, "5.7.8", "Authentication failed");
export const LOGIN_ENDED = reply(
  550,
  "5.2.1",
  "The inbox of this login was removed, or its token expired or was revoked",
);

export const TOO_MANY_CONNECTIONS = reply(421, "4.7.0", "Too many connections");
export const TOO_MANY_FRUITLESS = reply(421, "4.7.0", "Too many commands that delivered no mail");
export const IDLE_TOO_LONG = reply(421, "4.4.2", "Idle for too long");
export const MESSAGE_TOO_SLOW = reply(421, "4.4.2", "The message took too long");
export const SHUTTING_DOWN = reply(421, "4.3.2", "Shutting down");
export const INTERNAL_FAILURE = reply(421, "4.3.0", "Internal failure");
