// The one row that says where the rows stand and what they add up to. It has a checksum, for nothing else would tell
// that a total has changed by itself.

export interface RowsState {
  /** Log position up to which the rows are complete. */
  segment: number;
  at: number;
  last_seq: number;
  last_id: string;
  /** Everything up to this seq was removed by a clear. */
  cleared_seq: number;
  last_change: number;
  messages: number;
  unread: number;
  bytes: number;
}

export const FIRST_STATE: Readonly<RowsState> = {
  segment: 0,
  at: 0,
  last_seq: 0,
  last_id: "",
  cleared_seq: 0,
  last_change: 0,
  messages: 0,
  unread: 0,
  bytes: 0,
};

/** In the order of the columns. */
export const valuesOf = (state: RowsState): (string | number)[] => [
  state.segment,
  state.at,
  state.last_seq,
  state.last_id,
  state.cleared_seq,
  state.last_change,
  state.messages,
  state.unread,
  state.bytes,
];

export const sumOfState = (state: RowsState): number => Bun.hash.xxHash32(valuesOf(state).join(" "));
