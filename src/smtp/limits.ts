// How much one client, and all of them together, may ask of the server.

export interface SmtpLimits {
  readonly maxMessageBytes: number;
  readonly maxRecipients: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** The longest command line, its line end included. */
  readonly maxCommandBytes: number;
  /** Commands that get nowhere since the last stored mail; one more ends the session. */
  readonly maxFruitlessCommands: number;
  /** Time without a complete command, or inside a message without a byte. */
  readonly idleTimeoutMs: number;
  /** Time from the start of a message's bytes to their end. */
  readonly messageTimeoutMs: number;
}
