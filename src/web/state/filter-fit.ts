// Whether a mail fits a filter, as far as the page can tell: its flags and tags are known here, what is in its
// text only to the server.
import type { MessageSummary } from "../../model/index.ts";
import { askedParameters, type ListFilter } from "../api/messages.ts";

const TEXT_PARAMETERS = ["q", "sender", "recipient", "subject"];

export interface FilterFit {
  /** Flags and tags; undefined where too little is known of the mail. */
  readonly flagsFit: (mail: Partial<MessageSummary>) => boolean | undefined;
  readonly hasText: boolean;
}

export function fitOf(filter: ListFilter): FilterFit {
  const asked = askedParameters(filter);
  const tags = asked.getAll("tag");
  const flagsFit = ({ is_read, is_starred, has_attachments, tags: own }: Partial<MessageSummary>) => {
    const answers = [
      asked.has("unread") ? (is_read === undefined ? undefined : !is_read) : true,
      asked.has("starred") ? is_starred : true,
      asked.has("has_attachments") ? has_attachments : true,
      tags.length > 0 ? own && tags.some((tag) => own.includes(tag)) : true,
    ];
    if (answers.includes(false)) return false;
    return answers.includes(undefined) ? undefined : true;
  };
  return { flagsFit, hasText: TEXT_PARAMETERS.some((name) => asked.has(name)) };
}
