// `import --store` and `export --store`: move a mailbox between the data folder of a stopped server
// and PostgreSQL. Mails keep their order, time, flags, tags and inbox, and get new ids.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVE_SETTINGS, UsageError } from "../../config/index.ts";
import { counted } from "../../lib/text.ts";
import type { MessageSummary } from "../../model/index.ts";
import { openFileStore, openPostgresStore, type Store } from "../../store/index.ts";
import { type CommandContext, readSettings, StartError } from "../command/command.ts";
import { dataFolder, folderFailure } from "../command/data-folder.ts";
import { progressOn, startProgress } from "../command/terminal.ts";
import { storeParts, warningLogger } from "../server/bundle.ts";
import { OUTCOME_PREFIX } from "../server/deliveries.ts";

const { store, bodies, dataDir, config } = SERVE_SETTINGS;
const MOVE_FLAGS = { store, bodies, dataDir, config };

/** The flags of a move, for the help of `import` and `export`. `moveMailbox` reads them itself. */
export const moveFlags = (group: string, help: string) => {
  const asFlag = { group, flagOnly: true } as const;
  return {
    store: { ...store, ...asFlag, help },
    bodies: { ...bodies, ...asFlag },
    dataDir: { ...dataDir, ...asFlag, help: "With --store: the data folder of the stopped server" },
  };
};

/** Whether --store is given. If so, `moveMailbox` refuses all flags except MOVE_FLAGS. */
export function isMove({ args }: CommandContext): boolean {
  const isGiven = (flag: string) => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (isGiven("--store")) return true;
  const alone = ["--data-dir", "--bodies"].find(isGiven);
  if (alone !== undefined) throw new UsageError(`${alone} needs --store`);
  return false;
}

const AGAIN = {
  export:
    "If an export was cut off, run this SQL in the database and export again: DROP TABLE mailkeep_head, mailkeep_record, mailkeep_piece",
  import: "If an import was cut off, remove the data folder and import again",
};

export async function moveMailbox(direction: "import" | "export", context: CommandContext): Promise<number> {
  const settings = readSettings(SERVE_SETTINGS, context, MOVE_FLAGS);
  const folder = dataFolder(settings.dataDir, context.environment);
  const indexes = mkdtempSync(join(tmpdir(), "mailkeep-move-"));
  const now = () => new Date();
  const common = storeParts(warningLogger(context.err, now), now);
  const progress = startProgress(progressOn(context));
  const opened: Store[] = [];
  try {
    const mustExist = direction === "export";
    const files = await openFileStore({ ...common, dir: folder, durability: "disk", mustExist });
    opened.push(files);
    const url = settings.store ?? "";
    const shared = await openPostgresStore({ ...common, url, dir: indexes, bodies: settings.bodies });
    opened.push(shared);
    const [from, to] = direction === "import" ? [shared, files] : [files, shared];
    const { messages: present } = await to.stats();
    if (present > 0)
      throw new StartError(
        `the target must be empty, but it holds ${counted(present, "mail")}. ${AGAIN[direction]}`,
      );
    const moved = await copyMailbox(from, to, (done, total) =>
      progress.update(`${direction}ing`, done, total, counted(done, "mail")),
    );
    progress.end();
    context.out(`${counted(moved, "mail")} ${direction}ed\n`);
    return 0;
  } catch (error) {
    progress.end();
    throw folderFailure(folder, error);
  } finally {
    for (const one of opened) await one.close();
    rmSync(indexes, { recursive: true, force: true });
  }
}

const AT_ONCE = 100;
/** A mail above this size is stored before the next one is read: else later mails would overtake it. */
const ALONE_BYTES = 256 << 10;

async function copyMailbox(
  from: Store,
  to: Store,
  onProgress: (done: number, total: number) => void,
): Promise<number> {
  for (const { key, value } of await from.settings(""))
    if (!key.startsWith(OUTCOME_PREFIX)) await to.set(key, value);
  const inboxOf = new Map<string, string>();
  for (const name of (await from.inboxes()).keys())
    for await (const ids of pagesOf(from.within([name]))) for (const id of ids) inboxOf.set(id, name);
  let done = 0;
  for await (const ids of pagesOf(from)) {
    const copied: { summary: MessageSummary; stored: Promise<MessageSummary> }[] = [];
    for (const id of ids) {
      const [summary, raw] = [await from.get(id), await from.raw(id)];
      if (summary === null || raw === null) continue;
      const { sender, recipients, tags, created_at, size } = summary;
      const draft = to.begin({ sender, recipients, receivedAt: Date.parse(created_at) });
      for await (const chunk of raw.stream()) await draft.append(chunk);
      // Commits are started in order, so smaller mails keep their order.
      const stored = draft.commit(tags, inboxOf.get(id));
      copied.push({ summary, stored });
      if (size > ALONE_BYTES) await stored;
    }
    await copyFlags(copied, to);
    done += copied.length;
    onProgress(done, inboxOf.size);
  }
  return done;
}

async function copyFlags(
  copied: readonly { summary: MessageSummary; stored: Promise<MessageSummary> }[],
  to: Store,
): Promise<void> {
  const ids = await Promise.all(copied.map(({ stored }) => stored));
  for (const flag of ["is_read", "is_starred"] as const) {
    const flagged = ids.filter((_, at) => copied[at]?.summary[flag]).map(({ id }) => id);
    if (flagged.length > 0) await to.update(flagged, { [flag]: true });
  }
}

async function* pagesOf(mail: Pick<Store, "walk">): AsyncGenerator<string[], void, void> {
  for (let after: string | undefined; ; ) {
    const ids = await mail.walk({}, { ...(after !== undefined && { after }), limit: AT_ONCE });
    if (ids.length === 0) return;
    yield ids;
    after = ids.at(-1);
  }
}
