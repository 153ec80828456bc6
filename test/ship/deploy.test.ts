// The Helm chart and the systemd unit, rendered and checked by the tools that are installed.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/cli/server/bundle.ts";
import { SERVE_SETTINGS, variablesOf } from "../../src/config/index.ts";
import { useFolders } from "../support/folders.ts";

const freshFolder = useFolders();

const root = join(import.meta.dir, "../..");
const folder = join(root, "deploy/helm/mailkeep");
const yamlIn = (name: string) => Bun.YAML.parse(readFileSync(join(folder, name), "utf8")) as Yaml;

type Yaml = { readonly [name: string]: Yaml } & readonly Yaml[] & string;

function run(command: string[], input = ""): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { stdin: Buffer.from(input), cwd: root });
  expect(exitCode === 0 ? "" : stderr.toString() + stdout.toString()).toBe("");
  return stdout.toString();
}

const NARROW = {};
const WIDE = {
  envSecret: "mail-secrets",
  persistence: { enabled: true, size: "5Gi", storageClass: "fast" },
  ingress: {
    enabled: true,
    className: "nginx",
    host: "mail.test",
    tlsSecret: "cert",
    annotations: { a: "b" },
  },
  serviceMonitor: { enabled: true, interval: "10s" },
  tolerations: [{ key: "x", operator: "Exists" }],
  nodeSelector: { disk: "ssd" },
  replicas: 2,
  postgres: { secret: "database", key: "url" },
};

const helm = Bun.which("helm");
const go = Bun.which("go");

function rendered(given: Record<string, unknown>): Map<string, Yaml> {
  const text = helm ? withHelm(given) : withGo(given);
  const documents = Bun.YAML.parse(text) as unknown as (Yaml | null)[];
  return new Map(documents.flatMap((one) => (one === null ? [] : [[one.kind as unknown as string, one]])));
}

const withHelm = (values: object) =>
  run([helm ?? "", "template", "mail", folder, "--values", "-"], JSON.stringify(values));

function withGo(given: Record<string, unknown>): string {
  const { name, version, appVersion } = yamlIn("Chart.yaml");
  const data = {
    Values: { ...(yamlIn("values.yaml") as object), ...given },
    Chart: { Name: name, Version: version, AppVersion: appVersion },
    Release: { Name: "mail", Namespace: "default", Service: "Helm" },
  };
  return run([go ?? "", "run", join(import.meta.dir, "render-chart.go")], JSON.stringify({ folder, data }));
}

describe("the Helm chart", () => {
  test("has the version of Mailkeep and names only settings that exist", () => {
    expect(String(yamlIn("Chart.yaml").appVersion)).toBe(VERSION);
    const known = variablesOf(SERVE_SETTINGS);
    const named = readFileSync(join(folder, "values.yaml"), "utf8").match(/MAILKEEP_\w+/g) ?? [];
    expect(named.filter((variable) => !known.includes(variable))).toEqual([]);
  });

  test.skipIf(helm === null)("passes helm lint", () => {
    run([helm ?? "", "lint", "--strict", folder]);
  });

  test.skipIf(helm === null && go === null)("renders with its own values (by helm or Go)", () => {
    const kinds = rendered(NARROW);
    expect([...kinds.keys()].sort()).toEqual(["Service", "StatefulSet"]);
    const { spec } = kinds.get("StatefulSet") as Yaml;
    const [container] = spec?.template?.spec?.containers ?? [];
    expect(container).toMatchObject({
      image: `ghcr.io/mailkeep/mailkeep:v${VERSION}`,
      env: [
        { name: "MAILKEEP_MAX_DISK", value: "1GiB" },
        { name: "MAILKEEP_RETENTION", value: "30d" },
      ],
      volumeMounts: [
        { name: "data", mountPath: "/data" },
        { name: "tmp", mountPath: "/tmp" },
      ],
    });
    expect(spec?.selector?.matchLabels).toEqual((kinds.get("Service") as Yaml).spec?.selector as Yaml);
    expect(spec?.volumeClaimTemplates).toHaveLength(1);
  });

  test.skipIf(helm === null && go === null)("renders with everything turned on (by helm or Go)", () => {
    const kinds = rendered(WIDE);
    expect([...kinds.keys()].sort()).toEqual(["Ingress", "Service", "ServiceMonitor", "StatefulSet"]);
    const pod = (kinds.get("StatefulSet") as Yaml).spec?.template?.spec as Yaml;
    expect(pod).toMatchObject({ nodeSelector: { disk: "ssd" }, tolerations: [{ key: "x" }] });
    expect(pod.containers?.[0]?.env as unknown).toContainEqual({
      name: "MAILKEEP_STORE",
      valueFrom: { secretKeyRef: { name: "database", key: "url" } },
    });
    expect(pod.containers?.[0]?.envFrom as unknown).toEqual([{ secretRef: { name: "mail-secrets" } }]);
    expect(pod.containers?.[0]?.env as unknown).toContainEqual({
      name: "MAILKEEP_ALLOWED_HOST",
      value: "mail.test",
    });
    expect(kinds.get("Ingress")).toMatchObject({
      spec: { tls: [{ hosts: ["mail.test"], secretName: "cert" }] },
    });
  });

  test.skipIf(helm === null && go === null)("renders without a volume (by helm or Go)", () => {
    const { spec } = rendered({ persistence: { enabled: false } }).get("StatefulSet") as Yaml;
    expect(spec?.volumeClaimTemplates).toBeUndefined();
    expect(spec?.template?.spec?.volumes as unknown).toContainEqual({ name: "data", emptyDir: {} });
  });
});

const analyze = process.platform === "linux" ? Bun.which("systemd-analyze") : null;
test.skipIf(analyze === null)("systemd finds nothing wrong with the unit", async () => {
  // systemd-analyze looks for the program that the unit starts.
  const unit = readFileSync(join(root, "deploy/mailkeep.service"), "utf8").replace(
    "/usr/local/bin/mailkeep",
    process.execPath,
  );
  const path = join(freshFolder(), "mailkeep-test.service");
  await Bun.write(path, unit);
  const { stdout, stderr } = Bun.spawnSync([analyze ?? "", "verify", path]);
  const about = (stdout.toString() + stderr.toString())
    .split("\n")
    .filter((line) => line.includes("mailkeep-test"));
  expect(about).toEqual([]);
});
