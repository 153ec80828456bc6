// The mail clients of the support data, by name (`outlook.windows`), family (`outlook`) or platform (`ios`).
import { nearest } from "../../lib/text.ts";
import data from "./support-data.json" with { type: "json" };

export const CLIENTS = Object.keys(data.clients);
const NAMES: Readonly<Record<string, string>> = data.clients;

/** The clients that most people use, without Windows Mail, which no longer exists. */
export const DEFAULT_CLIENTS = CLIENTS.filter((client) =>
  /^(?:apple-mail|gmail|outlook|yahoo|samsung-email|thunderbird)\.(?!windows-mail)/.test(client),
);

const FAMILIES_AND_PLATFORMS = [...new Set(CLIENTS.flatMap((client) => client.split(".")))];
export const CLIENT_WORDS: readonly string[] = ["all", ...FAMILIES_AND_PLATFORMS, ...CLIENTS];

const clientsOf = (word: string): string[] =>
  word === "all" ? CLIENTS : CLIENTS.filter((client) => client === word || client.split(".").includes(word));

/** The first word that names no client, and the most similar word that does. Null if all words name clients. */
export function unknownClient(words: readonly string[]): { given: string; nearest: string } | null {
  const given = words.find((word) => clientsOf(word).length === 0);
  return given === undefined ? null : { given, nearest: nearest(given, CLIENT_WORDS) ?? "gmail" };
}

/** The names that people know, such as "Gmail (Android)". */
export const namesOf = (clients: readonly string[]): string[] =>
  clients.map((client) => NAMES[client] ?? client);

export const clientNames = (words: readonly string[]): string[] => namesOf(clientsNamed(words));

export const clientsNamed = (words: readonly string[]): readonly string[] =>
  words.length === 0
    ? DEFAULT_CLIENTS
    : CLIENTS.filter((client) => words.some((word) => clientsOf(word).includes(client)));
