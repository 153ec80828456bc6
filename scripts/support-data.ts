// `bun scripts/support-data.ts data.json`: makes src/checks/html/support-data.json from the data of caniemail.com,
// which is at https://www.caniemail.com/api/data.json. Only the newest version of each client counts.
import { join } from "node:path";

interface Source {
  readonly last_update_date: string;
  readonly nicenames: {
    readonly family: Readonly<Record<string, string>>;
    readonly platform: Readonly<Record<string, string>>;
  };
  readonly data: readonly {
    readonly slug: string;
    readonly title: string;
    readonly stats: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  }[];
}

/** Clients with data about fewer features are left out. */
const MIN_FEATURES = 50;

/** A version is a year, a number or the date of a test: years are oldest, dates newest. */
function newest(versions: readonly string[]): string {
  const rank = (version: string) => (/^\d{4}-\d\d/.test(version) ? 2 : /^\d{4}$/.test(version) ? 0 : 1);
  const compare = (left: string, right: string) =>
    rank(left) - rank(right) || left.localeCompare(right, "en", { numeric: true });
  return versions.toSorted(compare).at(-1) ?? "";
}

const [path = ""] = process.argv.slice(2);
const source: Source = await Bun.file(path).json();
const { family, platform } = source.nicenames;

const known = new Map<string, number>();
for (const { stats } of source.data) {
  for (const [name, platforms] of Object.entries(stats)) {
    for (const on of Object.keys(platforms)) {
      const client = `${name}.${on}`;
      known.set(client, (known.get(client) ?? 0) + 1);
    }
  }
}
const clients = [...known.entries()].filter(([, count]) => count >= MIN_FEATURES).map(([client]) => client);
clients.sort();

/** One letter for each client: y(es), a(lmost), n(o), u(nknown). */
const support = ({ stats }: Source["data"][number]) =>
  clients
    .map((client) => {
      const [name = "", on = ""] = client.split(".");
      const versions = stats[name]?.[on] ?? {};
      return (versions[newest(Object.keys(versions))] ?? "u").charAt(0);
    })
    .join("");

const named = (client: string) => {
  const [name = "", on = ""] = client.split(".");
  return `${family[name] ?? name} (${platform[on] ?? on})`;
};

const data = {
  date: source.last_update_date.slice(0, "2026-01-01".length),
  clients: Object.fromEntries(clients.map((client) => [client, named(client)])),
  features: Object.fromEntries(
    source.data.map((feature) => [feature.slug, [feature.title.trim(), support(feature)]]),
  ),
};
const target = join(import.meta.dir, "..", "src", "checks", "html", "support-data.json");
await Bun.write(target, `${JSON.stringify(data, null, 1)}\n`);
console.log(`${Object.keys(data.features).length} features of ${clients.length} clients, of ${data.date}`);
