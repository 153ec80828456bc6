// Near misses that may be read while the answer is written: each may hold megabytes of recipients.
import type { NearMisses } from "../app/index.ts";

export type LongMisses<Answer extends { near_misses?: unknown }> = Omit<Answer, "near_misses"> & {
  readonly near_misses?: NearMisses;
};
