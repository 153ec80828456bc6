// A validated body as a change of messages: only what was sent, duplicate tags collapsed to the first.
import type { MessageChange, MessageChangeRequest } from "../model/index.ts";

export function readChange({ is_read, is_starred, tags }: MessageChangeRequest): MessageChange {
  return {
    ...(is_read !== undefined && { is_read }),
    ...(is_starred !== undefined && { is_starred }),
    ...(tags !== undefined && { tags: [...new Set(tags)] }),
  };
}
