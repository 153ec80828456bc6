import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { installClient } from "../support/client-project.ts";
import { tempFolder } from "../support/folders.ts";

const root = join(import.meta.dir, "../..");

/** A project in which only the built client is installed. */
const { path: project, remove } = tempFolder();
let server: Bun.Server<undefined>;

beforeAll(async () => {
  await installClient(project);
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ ok: true, count: 3, time: new Date() }),
  });
});
afterAll(async () => {
  await server.stop(true);
  remove();
});

const SCRIPT = `import { connect } from "mailkeep/client";
console.log(await connect(process.argv.at(-1)).count({ to: "ann@example.com" }));
`;

describe("the installed package mailkeep/client", () => {
  test.skipIf(!Bun.which("node"))("runs in Node", async () => {
    await Bun.write(join(project, "script.mjs"), SCRIPT);
    const child = Bun.spawn(["node", "script.mjs", server.url.href], { cwd: project, stderr: "inherit" });
    expect(await new Response(child.stdout).text()).toBe("3\n");
  });

  test.skipIf(!Bun.which("node"))("can be loaded with require, as Jest does", async () => {
    // Jest and older versions of Node cannot load an ES module with require: they need CommonJS.
    await Bun.write(
      join(project, "script.cjs"),
      `const { readFileSync } = require("node:fs");
new (require("node:vm").Script)(readFileSync(require.resolve("mailkeep/client"), "utf8"));
const { connect } = require("mailkeep/client");
connect(process.argv.at(-1)).count({ to: "ann@example.com" }).then(console.log);
`,
    );
    const child = Bun.spawn(["node", "script.cjs", server.url.href], { cwd: project, stderr: "inherit" });
    expect(await new Response(child.stdout).text()).toBe("3\n");
  });

  test("asks for Node 20.3 or newer, which has AbortSignal.any", async () => {
    const { engines } = await Bun.file(join(project, "node_modules/mailkeep/package.json")).json();
    expect(["20.2.0", "20.3.0"].map((version) => Bun.semver.satisfies(version, engines.node))).toEqual([
      false,
      true,
    ]);
  });

  describe.skipIf(!Bun.which("node"))("subscribes in Node", () => {
    const SUBSCRIBES = `import { connect } from "mailkeep/client";
const subscription = await connect(process.argv.at(-1)).subscribe(({ type }) => {
  console.log(type);
  subscription.close();
}).catch(({ name }) => console.log(name));
`;
    const authorization = `Basic ${btoa("ann:p@ss")}`;
    const openSockets = () =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch(request, self) {
          if (request.headers.get("authorization") === authorization && self.upgrade(request)) return;
          return new Response(null, { status: 401 });
        },
        websocket: {
          open: (socket) => void socket.send(JSON.stringify({ type: "messages:clear" })),
          message() {},
        },
      });
    const outcomeAt = async (url: URL) => {
      await Bun.write(join(project, "subscribe.mjs"), SUBSCRIBES);
      // Node 20 has WebSocket only with --experimental-websocket.
      const command = ["node", "--no-warnings", "--experimental-websocket", "subscribe.mjs", url.href];
      const child = Bun.spawn(command, { cwd: project, stderr: "inherit" });
      return new Response(child.stdout).text();
    };

    test("to a server that asks for credentials", async () => {
      using sockets = openSockets();
      expect(await outcomeAt(new URL(sockets.url.href.replace("//", "//ann:p%40ss@")))).toBe(
        "messages:clear\n",
      );
    });

    test("and gets an error if it is refused", async () => {
      using sockets = openSockets();
      expect(await outcomeAt(sockets.url)).toBe("MailkeepError\n");
    });
  });

  test.skipIf(!Bun.which("deno"))("runs in Deno", async () => {
    await Bun.write(join(project, "script.ts"), SCRIPT.replace("process.argv", "Deno.args"));
    const command = ["deno", "run", "-A", "--node-modules-dir=manual", "script.ts", server.url.href];
    const child = Bun.spawn(command, { cwd: project, stderr: "inherit" });
    expect(await new Response(child.stdout).text()).toBe("3\n");
  });

  test("imports nothing", async () => {
    const text = await Bun.file(join(project, "node_modules/mailkeep/dist/client/index.js")).text();
    expect(text).not.toMatch(/^import|require\(/m);
    const folder = join(project, "node_modules/mailkeep/dist/client");
    const isForRunner = (name: string) => /^(playwright|vitest|jest|bun|cypress|matchers)\.d\.ts$/.test(name);
    for (const file of (await readdir(folder)).filter(
      (name) => name.endsWith(".d.ts") && !isForRunner(name),
    )) {
      const declarations = await Bun.file(join(folder, file)).text();
      if (file === "playwright.d.ts") continue;
      for (const [, from] of declarations.matchAll(/from "([^"]*)"/g)) expect(from).toStartWith("./");
    }
  });

  test("has its own types, which a strict project accepts, with import and with require", async () => {
    await Bun.write(
      join(project, "typed.cts"),
      `import { connect, type Mail } from "mailkeep/client";
export const mail: Promise<Mail> = connect().waitFor({ to: "ann@example.com" });
`,
    );
    await Bun.write(
      join(project, "typed.ts"),
      `import { connect, type Mail, type MessageSummary } from "mailkeep/client";
const inbox = connect("http://127.0.0.1:8025").only({ to: "ann@example.com" });
const mail: Mail = await inbox.waitFor({ subject: "Welcome" }, { timeout: "10s" });
export const parts: [string | null, string | undefined, string] = [mail.code, mail.links[0]?.url, mail.text];
export const summaries: MessageSummary[] = await inbox.list();
export const bytes: Uint8Array | undefined = await mail.attachments[0]?.bytes();
await inbox.subscribe((event) => {
  if (event.type === "message:tags") event.data.tags satisfies string[];
});
// @ts-expect-error a filter that does not exist
await inbox.count({ recipent: "ann" });
// @ts-expect-error a time that is not in the form of the API
await inbox.waitFor({}, { timeout: "4 seconds" });
// @ts-expect-error a number alone
await inbox.waitFor({}, { timeout: 4000 });
// @ts-expect-error text may be empty, but it is never null
export const nothing: null = mail.text;
`,
    );
    await Bun.write(
      join(project, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          module: "nodenext",
          target: "es2022",
          lib: ["es2022", "dom"],
          types: [],
          noEmit: true,
          skipLibCheck: false,
        },
        files: ["typed.ts", "typed.cts"],
      }),
    );
    await Bun.write(join(project, "package.json"), JSON.stringify({ type: "module" }));
    const { stdout, exitCode } = Bun.spawnSync([join(root, "node_modules/.bin/tsc"), "-p", project]);
    expect({ exitCode, stdout: stdout.toString() }).toEqual({ exitCode: 0, stdout: "" });
  });
});
