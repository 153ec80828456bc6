import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { version } from "../../package.json";
import { SERVE_SETTINGS, variableName } from "../../src/config/index.ts";

const root = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(root, path)).text();

/** The arguments of each instruction, with continuation lines joined and without comments. */
async function instructions(): Promise<Map<string, string[]>> {
  const text = (await read("Dockerfile")).replace(/^\s*#.*\n/gm, "").replace(/\\\n\s*/g, " ");
  const found = new Map<string, string[]>();
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    const [, word = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    found.set(word, [...(found.get(word) ?? []), rest]);
  }
  return found;
}

describe("the Dockerfile", () => {
  test("puts the musl executable on Alpine with the one library that it links to", async () => {
    const docker = await instructions();
    expect(docker.get("FROM")).toEqual([expect.stringMatching(/^alpine:3\.22\.\d+$/)]);
    expect(docker.get("RUN")?.[0]).toStartWith("apk add --no-cache libstdc++ ");
    expect(docker.get("COPY")).toEqual([
      `--chmod=755 dist/docker/\${TARGETARCH}/mailkeep /usr/local/bin/mailkeep`,
    ]);
    expect(await read(".dockerignore")).toContain("!dist/docker\n");
  });

  test("names the user by number, so that Kubernetes can see that it is not root", async () => {
    expect((await instructions()).get("USER")).toEqual(["10001:10001"]);
  });

  test("keeps mail in a volume, opens both ports to the network and checks its health", async () => {
    const docker = await instructions();
    expect(docker.get("VOLUME")).toEqual(["/data"]);
    expect(docker.get("EXPOSE")).toEqual(["1025 8025"]);
    expect(docker.get("ENV")?.[0]?.split(/\s+/)).toEqual(["MAILKEEP_BIND=0.0.0.0", "XDG_DATA_HOME=/data"]);
    expect(docker.get("HEALTHCHECK")?.[0]).toEndWith('CMD ["mailkeep", "health"]');
    expect(docker.get("ENTRYPOINT")).toEqual(['["mailkeep"]']);
  });

  test("sets the user after copying and before the entry point", async () => {
    const order = [...(await instructions()).keys()];
    expect(order.indexOf("USER")).toBeGreaterThan(order.indexOf("COPY"));
    expect(order.indexOf("USER")).toBeLessThan(order.indexOf("ENTRYPOINT"));
  });
});

test("the compose example uses settings that exist", async () => {
  const { services } = Bun.YAML.parse(await read("compose.yaml")) as {
    services: { mailkeep: { environment: Record<string, string>; volumes: string[]; ports: string[] } };
  };
  const { environment, volumes, ports } = services.mailkeep;
  const settings = new Map(
    Object.entries(SERVE_SETTINGS).map(([name, { kind }]) => [variableName(name), kind]),
  );
  for (const [variable, given] of Object.entries(environment)) {
    expect(settings.get(variable)?.parse(given)).toBeDefined();
  }
  expect(volumes).toEqual(["mail:/data"]);
  expect(ports.every((port) => port.startsWith("127.0.0.1:"))).toBe(true);
});

test("the compose example with PostgreSQL has two nodes of this version that use settings that exist", async () => {
  type Node = { environment: Record<string, string>; image: string; volumes: string[] };
  const { services } = Bun.YAML.parse(await read("compose.postgres.yaml")) as {
    services: Record<string, Node>;
  };
  const nodes = [services["mailkeep-1"], services["mailkeep-2"]];
  for (const node of nodes) {
    expect(node).toMatchObject({ image: `ghcr.io/mailkeep/mailkeep:v${version}`, read_only: true });
    for (const [variable, given] of Object.entries(node?.environment ?? {})) {
      const [, { kind } = { kind: null }] =
        Object.entries(SERVE_SETTINGS).find(([name]) => variableName(name) === variable) ?? [];
      expect(kind?.parse(given.replace(/\$\{\w+:-(.*?)\}/, "$1"))).toBeDefined();
    }
  }
  expect(nodes[0]?.volumes).not.toEqual(nodes[1]?.volumes as string[]);
});

test("the compose example names this version and gives it no rights that it does not need", async () => {
  const { services } = Bun.YAML.parse(await read("compose.yaml")) as { services: { mailkeep: object } };
  expect(services.mailkeep).toMatchObject({
    image: `ghcr.io/mailkeep/mailkeep:v${version}`,
    read_only: true,
    tmpfs: ["/tmp"],
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
  });
});
