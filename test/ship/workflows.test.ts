import { describe, expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const FILES = [".github/workflows/ci.yml", ".github/workflows/release.yml", "action.yml"];

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job {
  readonly steps: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string;
  readonly "timeout-minutes": number;
}
interface Workflow {
  readonly permissions: unknown;
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { description: string; default: string }>>;
  readonly outputs: Readonly<Record<string, { description: string; value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const text = (path: string) => Bun.file(join(root, path)).text();
const parse = async <Shape>(path: string) => Bun.YAML.parse(await text(path)) as Shape;

describe.each(FILES)("%s", (path) => {
  test("is valid YAML", async () => {
    expect(await parse<object>(path)).toBeObject();
  });

  test("pins every action to a commit and names its version", async () => {
    const uses = (await text(path)).match(/^.*\buses:.*$/gm) ?? [];
    const foreign = uses.filter((line) => !line.trim().endsWith("uses: ./"));
    expect(foreign.length).toBeGreaterThan(0);
    for (const line of foreign) expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});

describe.each([".github/workflows/ci.yml", ".github/workflows/release.yml"])("%s", (path) => {
  test("gives jobs only the right to read by default, and a time limit", async () => {
    const { permissions, jobs } = await parse<Workflow>(path);
    expect(permissions).toEqual({ contents: "read" });
    for (const job of Object.values(jobs)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });
});

test("no script of a workflow contains an expression whose text a stranger could choose", async () => {
  for (const path of FILES) {
    const parsed = await parse<Workflow & Action>(path);
    const steps = parsed.runs?.steps ?? Object.values(parsed.jobs).flatMap((job) => job.steps);
    for (const { run } of steps)
      expect(run ?? "").not.toMatch(/\$\{\{\s*(inputs|github\.event|github\.head_ref)/);
  }
});

describe("a release", () => {
  const jobs = async () => (await parse<Workflow>(".github/workflows/release.yml")).jobs;
  const does = (words: string) => (step: Step) => `${step.uses} ${step.run}`.includes(words);

  test("runs the code of dependencies only in a job without a token that can write", async () => {
    const { build, ...others } = await jobs();
    expect(build?.permissions).toBeUndefined();
    expect(build?.steps.some(does("npm run release"))).toBe(true);
    for (const { steps } of Object.values(others)) expect(steps.some(does("npm "))).toBe(false);
  });

  test("has the rights that attestations need", async () => {
    const { publish } = await jobs();
    const attestation = { "id-token": "write", attestations: "write", "artifact-metadata": "write" };
    expect(publish?.permissions).toEqual({ contents: "write", packages: "write", ...attestation });
  });

  test("is published as the last step, so that it can run again after a failure", async () => {
    const { publish, formula } = await jobs();
    const order = [
      "attest-build-provenance",
      "build-push-action",
      "push-to-registry",
      "--draft=false",
      "git tag",
    ];
    const places = order.map((words) =>
      publish?.steps.findIndex((step) => JSON.stringify(step).includes(words)),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a = 0, b = 0) => a - b));
    expect(formula?.needs).toBe("publish");
  });

  test("moves the tag of the action that README and documents name", async () => {
    const { ACTION_TAG } = (await parse<Workflow>(".github/workflows/release.yml")).env;
    const pages = ["README.md", "docs/ci.md", "docs/migrating.md"];
    const used = (await Promise.all(pages.map(text))).flatMap(
      (page) => page.match(/mailkeep\/mailkeep@[\w.]+/g) ?? [],
    );
    expect(used.length).toBeGreaterThan(5);
    expect([...new Set(used)]).toEqual([`mailkeep/mailkeep@${ACTION_TAG}`]);
  });
});

describe("action.yml", () => {
  test("is composite", async () => {
    expect((await parse<Action>("action.yml")).runs.using).toBe("composite");
  });

  test("passes every input to the scripts, except artifact-name, which goes to the upload", async () => {
    const { inputs, runs } = await parse<Action>("action.yml");
    const expected = Object.keys(inputs)
      .filter((name) => name !== "artifact-name")
      .map((name) => [`INPUT_${name.replaceAll("-", "_").toUpperCase()}`, `\${{ inputs.${name} }}`]);
    expect(runs.steps[0]?.env).toEqual(Object.fromEntries(expected));
    expect(runs.steps[1]?.with?.name).toBe(`\${{ inputs.artifact-name }}`);
  });

  test("takes every output from the step that sets it", async () => {
    const { outputs } = await parse<Action>("action.yml");
    const scripts = await Promise.all(
      ["start", "shared", "report"].map((name) => text(`scripts/action/${name}.sh`)),
    );
    for (const [name, { value }] of Object.entries(outputs)) {
      expect(value).toBe(`\${{ steps.mailkeep.outputs.${name} }}`);
      expect(scripts.some((script) => new RegExp(`^${name}=`, "m").test(script))).toBe(true);
    }
  });
});
