// The flags of `npm run bench`.
import { existsSync } from "node:fs";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { defaultExecutable } from "./mailkeep.ts";
import { isPeerName, PEER_NAMES, type PeerName } from "./peers.ts";
import { findPostfix, type Postfix } from "./postfix.ts";

export const SECTIONS = ["cold", "ingest", "reading", "inboxes", "events", "resources", "nodes"] as const;
export type Section = (typeof SECTIONS)[number];

export type Extent = "quick" | "normal" | "full";

export interface Options {
  readonly extent: Extent;
  readonly json: boolean;
  readonly executable: string;
  /** Another executable of Mailkeep to compare with; null if none is given. */
  readonly against: string | null;
  /** Postfix's tools; null if they are not installed. */
  readonly postfix: Postfix | null;
  /** Whether to use the bench's own generator even if smtp-source is installed. */
  readonly ownGenerator: boolean;
  readonly peers: ReadonlyMap<PeerName, string>;
  readonly sections: readonly Section[];
}

export const USAGE = `npm run bench -- [flags]

  --quick              less of everything, under a minute
                       (build first: npm run build)
  --full               also one million mails; takes a long while
  --only SECTION       ${SECTIONS.join(", ")}; repeatable
  --json               the figures as JSON instead of a table (npm run -s bench -- --json > FILE)
  --mailkeep FILE      the executable (default dist/mailkeep, else from source)
  --against FILE       another one, such as an older build: the section cold compares the two in turns
  --postfix FOLDER     where postfix's package is unpacked (else smtp-source on PATH)
  --own-generator      our own generator even where smtp-source is found
  --peer NAME=FILE     another mail catcher: ${PEER_NAMES.join(", ")}; repeatable (else those on PATH)
`;

function there(flag: string, file: string): string {
  if (!existsSync(file)) throw new Error(`${flag}: there is no file '${file}'`);
  return file;
}

function postfixIn(folder: string | undefined): Postfix | null {
  const postfix = findPostfix(folder);
  if (postfix === null && folder !== undefined) {
    throw new Error(`--postfix: there are no usr/sbin/smtp-source and smtp-sink in '${folder}'`);
  }
  return postfix;
}

function peersFrom(given: readonly string[]): Map<PeerName, string> {
  const peers = new Map<PeerName, string>();
  for (const name of PEER_NAMES) {
    const found = Bun.which(name);
    if (found !== null) peers.set(name, found);
  }
  for (const text of given) {
    const [, name = "", file = ""] = /^([^=]*)=(.*)$/.exec(text) ?? [];
    if (!isPeerName(name)) {
      throw new Error(`--peer takes NAME=FILE with one of ${PEER_NAMES.join(", ")}, not '${text}'`);
    }
    peers.set(name, there("--peer", file));
  }
  return peers;
}

const FLAGS = {
  quick: { type: "boolean", default: false },
  full: { type: "boolean", default: false },
  only: { type: "string", multiple: true, default: [] },
  json: { type: "boolean", default: false },
  mailkeep: { type: "string" },
  against: { type: "string" },
  postfix: { type: "string" },
  "own-generator": { type: "boolean", default: false },
  peer: { type: "string", multiple: true, default: [] },
  help: { type: "boolean", short: "h", default: false },
} satisfies ParseArgsConfig["options"];

/** Null for --help. Throws if a flag is wrong; the error names it. */
export function readOptions(args: readonly string[]): Options | null {
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  if (values.help) return null;
  const unknown = values.only.find((name) => !SECTIONS.some((section) => section === name));
  if (unknown !== undefined) throw new Error(`--only takes ${SECTIONS.join(", ")}, not '${unknown}'`);
  if (values.quick && values.full) throw new Error("--quick and --full exclude each other");
  const sections = SECTIONS.filter((section) => values.only.length === 0 || values.only.includes(section));
  if (values.against !== undefined && !sections.includes("cold")) {
    throw new Error("--against compares the section cold, which --only leaves out");
  }
  return {
    extent: values.quick ? "quick" : values.full ? "full" : "normal",
    json: values.json,
    executable: values.mailkeep === undefined ? defaultExecutable : there("--mailkeep", values.mailkeep),
    against: values.against === undefined ? null : there("--against", values.against),
    postfix: postfixIn(values.postfix),
    ownGenerator: values["own-generator"],
    peers: peersFrom(values.peer),
    sections,
  };
}
