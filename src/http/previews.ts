// `include=preview`: summaries with the From header and the first words of the text.
import type { MessagePreview, MessageSummary } from "../model/index.ts";
import type { QueryString } from "./query-string.ts";

export const wantsPreview = (query: QueryString) => query.choice("include", ["preview"]) === "preview";

export type PreviewOf = (id: string) => Promise<MessagePreview | null>;

export async function withPreview<Shape extends MessageSummary>(
  message: Shape,
  previewOf: PreviewOf,
): Promise<Shape> {
  const preview = await previewOf(message.id);
  return preview ? { ...message, preview } : message;
}
