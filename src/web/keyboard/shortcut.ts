// What a key does, and when: at once, or in turn with what was asked for before.
export interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
  readonly group: "Moving" | "Message" | "Selecting" | "Page";
  readonly run: () => void;
  /** Absent: always. */
  readonly isOffered?: () => boolean;
  /**
   * Waits for the list that was asked for, or for the mail that was chosen; or takes the place of what waits, or takes
   * that back and does nothing else.
   */
  readonly turn?: "listed" | "chosen" | "instead" | "back";
  /** What is typed behind it is meant for that. */
  readonly opensField?: true;
  /** Leads to the mail beside, and waits for it, too. */
  readonly towards?: 1 | -1;
  /** Goes on while the key is held; what changes or deletes mail does so once. */
  readonly isRepeated?: true;
}
