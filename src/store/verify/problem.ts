// What `mailkeep verify` finds wrong.
export type ProblemKind =
  | "torn_tail"
  | "damaged_record"
  | "repeated_record"
  | "missing_segment"
  | "shortened_segment"
  | "missing_body"
  | "damaged_body"
  | "surplus_bytes"
  | "row_missing"
  | "row_superfluous"
  | "row_differs"
  | "index_unusable"
  | "index_wrong"
  | "search_unusable"
  | "search_differs";

export interface StoreProblem {
  readonly kind: ProblemKind;
  /** One line for a person. */
  readonly message: string;
}

/** What the checks of one verify have to say; each adds its own. */
export interface Findings {
  readonly problems: StoreProblem[];
  /** Lags that the next start makes good by itself, and what was found lost or damaged before. */
  readonly notes: string[];
}
