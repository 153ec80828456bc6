// Everything below /api/v1/messages. Fixed names come before `:id`.
import { Elysia } from "elysia";
import type { Expectations, Inbox, MessageReader, Release } from "../../../app/index.ts";
import type { Store } from "../../../store/index.ts";
import { attachments } from "./attachments.ts";
import { insight } from "./insight.ts";
import { mailbox } from "./mailbox.ts";
import { message } from "./message.ts";
import { release } from "./release.ts";
import { source } from "./source.ts";
import { waiting } from "./waiting.ts";

export interface MessagesOptions {
  readonly inbox: Inbox;
  readonly store: Store;
  readonly reader: MessageReader;
  readonly expectations: Expectations;
  readonly release: Release;
  readonly basePath: string;
  readonly keepOpen: (request: Request) => void;
}

export function messages(options: MessagesOptions) {
  return new Elysia({ name: "messages" })
    .use(mailbox(options))
    .use(waiting(options))
    .use(message(options))
    .use(source(options))
    .use(attachments(options))
    .use(insight(options))
    .use(release(options));
}
