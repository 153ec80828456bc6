// Runs the recipes of the documents twice, against one server unless a recipe starts its own. In
// the second run the line that sends mail is missing: the recipe must fail with a helpful message,
// and not accept the mail of the first run.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { findChromium } from "../../scripts/chromium.ts";
import { clientProject, type Run, type Runner, runIn, runTests } from "../support/client-project.ts";
import { mailkeepCommand, type Running, startMailkeep } from "../support/mailkeep.ts";
import { startApp } from "./readme/app.ts";

const root = join(import.meta.dir, "../..");
const read = (page: string) => Bun.file(join(root, page)).text();
const chromium = await findChromium();
const hasNode = Bun.which("node") !== null;

let project: string;
let server: Running;
let environment: Record<string, string>;
beforeAll(async () => {
  project = await clientProject();
  server = await startMailkeep();
  const smtp = `127.0.0.1:${server.smtpPort}`;
  environment = { MAILKEEP_URL: server.http, SMTP_URL: `smtp://${smtp}`, MAILKEEP_SMTP: `smtp://${smtp}` };
});
afterAll(async () => {
  await server.stop();
  await rm(project, { recursive: true });
});

/** The code of the only block in this language and with this text on the page. */
async function recipe(page: string, language: string, text: string): Promise<string> {
  const blocks = [...(await read(page)).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.filter(([, name, code]) => name === language && code?.includes(text));
  expect(found).toHaveLength(1);
  return found[0]?.[2] ?? "";
}

/** `told` are texts that the run without the sending line must print. */
async function runsTwice(code: string, sending: RegExp, told: string[], run: (code: string) => Promise<Run>) {
  expect(await run(code)).toMatchObject({ code: 0 });
  // No mail comes, so a long wait shows nothing more than a short one.
  const silent = code
    .replace(sending, "")
    .replaceAll("10s", "100ms")
    .replaceAll(/\b(waitFor|toReceive)\((\{[^}]*\})\)/g, '$1($2, { timeout: "100ms" })');
  expect(silent).not.toBe(code);
  const failed = await run(silent);
  expect(failed.code).not.toBe(0);
  for (const words of told) expect(failed.out).toContain(words);
}

const byRunner = (runner: Runner, code: string, more: Record<string, string> = {}) =>
  runTests(project, runner, code, { ...environment, ...more });

describe("a recipe is safe when it runs twice:", () => {
  test("bun:test", async () => {
    const code = await recipe("README.md", "ts", 'from "bun:test"');
    await runsTwice(code, /await signUp\(.*\);/, ["came before connect()"], (run) =>
      byRunner("bun:test", run),
    );
  });

  test.skipIf(!hasNode)("Vitest", async () => {
    const code = await recipe("README.md", "ts", 'from "vitest"');
    const sending = /await requestPasswordReset\(.*\);/;
    await runsTwice(code, sending, ["No mail to bo@example.com"], (run) => byRunner("Vitest", run));
  });

  test.skipIf(!hasNode)("Jest, and its matcher", async () => {
    const code = `${await recipe("docs/frameworks.md", "js", 'require("mailkeep/client")')}
require("mailkeep/jest");
test("the matcher", async () => {
  await expect(inbox).toReceive({ to: "ann@example.com", subject: "Welcome" }, { timeout: "0s" });
  await expect(inbox).not.toReceive({ to: "nobody@example.com" }, { timeout: "50ms" });
  await expect(expect(inbox).not.toReceive({}, { timeout: "50ms" })).rejects.toThrow("Expected no mail");
});
`;
    const told = ["(came before connect())", 'with a subject containing "Welcome" came'];
    await runsTwice(code, /await signUp\(.*\);/, told, (run) => byRunner("Jest", run));
  });

  test.skipIf(!hasNode || chromium === null)(
    "Playwright, with the fixture and without the client",
    async () => {
      await using app = startApp(environment.SMTP_URL);
      const code = `${await recipe("README.md", "ts", 'from "mailkeep/playwright"')}
const signUp = (email: string) =>
  fetch(new URL("/sign-up", process.env.APP_URL), { method: "POST", body: new URLSearchParams({ email }) });
test("without the client", async ({ page, request }) => {
${await recipe("docs/frameworks.md", "js", "await request.get(")}
});
`;
      const sending = /await (?:signUp|page\.getByRole)\(.*;/g;
      await runsTwice(
        code,
        sending,
        ['No mail with a subject containing "Confirm" came', "near_misses"],
        (run) => byRunner("Playwright", run, { APP_URL: app.url.href, CHROMIUM_PATH: chromium ?? "" }),
      );
    },
  );

  describe("shell,", () => {
    let shell: (code: string, more?: Record<string, string>) => Promise<Run>;
    beforeAll(async () => {
      const bin = join(project, "bin");
      const script = async (name: string, text: string) => {
        await Bun.write(join(bin, name), `#!/bin/sh\n${text}\n`);
        Bun.spawnSync(["chmod", "+x", join(bin, name)]);
      };
      const mailkeep = mailkeepCommand([]).map((word) => `"${word}"`);
      await script("mailkeep", `exec ${mailkeep.join(" ")} "$@"`);
      const mail = "Subject: Welcome\\n\\nYour code is 482913: https://example.com/confirm\\n";
      await script("your-app", `printf '${mail}' | mailkeep send "$3"`);
      await script("npm", "your-app sign-up --email ann@example.com");
      const PATH = `${bin}:${process.env.PATH}`;
      shell = (code, more) => runIn(project, ["sh", "-ec", code], { ...environment, ...more, PATH });
    });

    test("in the README", async () => {
      const code = `${await recipe("README.md", "sh", "--extract code")}\ntest "$code" = 482913`;
      await runsTwice(code, /your-app .*/, ["The newest mails that did not match"], shell);
    });

    test("in steps, with a server of its own", async () => {
      const code = await recipe("docs/ci.md", "sh", "mailkeep serve");
      await runsTwice(code.replace(/^mailkeep serve.*/, ""), /npm test/, [], async (steps) => {
        const own = await startMailkeep();
        const addresses = { MAILKEEP_URL: own.http, MAILKEEP_SMTP: `smtp://127.0.0.1:${own.smtpPort}` };
        return await shell(steps, addresses).finally(() => own.stop());
      });
      expect(await Bun.file(join(project, "mail.xml")).text()).toContain("Welcome");
    });

    test("for the code of a mail", async () => {
      const code = `${await recipe("docs/ci.md", "sh", "--extract code")}\ntest "$code" = 482913`;
      await runsTwice(code, /your-app .*/, ["The newest mails that did not match"], shell);
    });

    test.skipIf(!Bun.which("curl"))("for tests that run in parallel", async () => {
      const code = await recipe("docs/ci.md", "sh", "-X DELETE");
      await runsTwice(code, /your-app .*/, ["near_misses"], shell);
    });
  });

  test.skipIf(!Bun.which("pytest"))("pytest", async () => {
    const code = `import json, os, smtplib, urllib.error, urllib.parse, urllib.request, uuid
import pytest
def sign_up(to):
    with smtplib.SMTP("127.0.0.1", ${server.smtpPort}) as smtp:
        smtp.sendmail("app@example.com", [to], "Subject: Welcome\\r\\n\\r\\nYour code is 482913")
${await recipe("docs/frameworks.md", "python", "def test_sign_up")}`;
    await runsTwice(code, /^ {4}sign_up\(to\)$/m, ["near_misses"], async (run) => {
      await Bun.write(join(project, "test_sign_up.py"), run);
      return runIn(project, ["pytest", "-p", "no:cacheprovider", "test_sign_up.py"], {
        ...environment,
        PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1",
      });
    });
  });

  test.skipIf(!Bun.which("java"))("JUnit, with assertions of the same name", async () => {
    const code = `import java.net.*; import java.net.http.*; import java.nio.charset.*; import java.util.*;
class SignUp {
  static void assertTrue(boolean holds, String message) { if (!holds) throw new AssertionError(message); }
  static void assertEquals(int wanted, int found, String message) { assertTrue(wanted == found, message); }
  static void signUp(String to) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", ${server.smtpPort})) {
      var answers = new Scanner(socket.getInputStream());
      for (String line : List.of("HELO app", "MAIL FROM:<app@example.com>", "RCPT TO:<" + to + ">", "DATA", "Subject: Welcome\\r\\n\\r\\n482913\\r\\n.")) {
        answers.nextLine();
        socket.getOutputStream().write((line + "\\r\\n").getBytes());
      }
      answers.nextLine();
    }
  }
  public static void main(String[] arguments) throws Exception {
${await recipe("docs/frameworks.md", "java", "assertEquals(200")}
  }
}`;
    await runsTwice(code, /^signUp\(address\);$/m, ["near_misses"], async (run) => {
      await Bun.write(join(project, "SignUp.java"), run);
      return runIn(project, ["java", "-XX:TieredStopAtLevel=1", "SignUp.java"], environment);
    });
  });

  const hasRails = Bun.which("ruby") && Bun.spawnSync(["ruby", "-raction_mailer", "-e", ""]).success;
  test.skipIf(!hasRails)("Rails", async () => {
    const code = `require "action_mailer"; require "json"; require "minitest/autorun"; require "net/http"; require "securerandom"
config = Struct.new(:action_mailer).new(ActionMailer::Base)
${await recipe("docs/frameworks.md", "ruby", "config.action_mailer")}
class SignUpTest < Minitest::Test
  class Mailer < ActionMailer::Base
    def welcome(to) = mail(from: "app@example.com", to: to, subject: "Welcome", body: "Welcome, Ann")
  end
  def sign_up(to) = Mailer.welcome(to).deliver_now
  def test_sign_up
${await recipe("docs/frameworks.md", "ruby", "assert_equal")}
  end
end`;
    const SMTP_PORT = String(server.smtpPort);
    await runsTwice(code, /^sign_up to$/m, ["near_misses"], async (run) => {
      await Bun.write(join(project, "sign_up_test.rb"), run);
      return runIn(project, ["ruby", "sign_up_test.rb"], { ...environment, SMTP_PORT });
    });
  });

  test.skipIf(!Bun.which("rspec"))("RSpec", async () => {
    const code = `require "json"; require "net/http"; require "securerandom"; require "socket"
def sign_up(to)
  socket = TCPSocket.new("127.0.0.1", ${server.smtpPort})
  ["HELO app", "MAIL FROM:<app@example.com>", "RCPT TO:<#{to}>", "DATA", "Subject: Welcome\\r\\n\\r\\n482913\\r\\n."].each do |line|
    socket.gets
    socket.write("#{line}\\r\\n")
  end
  socket.gets
end
RSpec.describe "the app" do
${await recipe("docs/frameworks.md", "ruby", 'it "sends a code"')}
end`;
    await runsTwice(code, /^ {2}sign_up\(to\)$/m, ["near_misses"], async (run) => {
      await Bun.write(join(project, "sign_up_spec.rb"), run);
      return runIn(project, ["rspec", "sign_up_spec.rb"], environment);
    });
  });

  test.skipIf(!Bun.which("phpunit"))("PHPUnit", async () => {
    const code = `<?php
function signUp(string $to): void
{
    $socket = fsockopen('127.0.0.1', ${server.smtpPort});
    foreach (['HELO app', 'MAIL FROM:<app@example.com>', "RCPT TO:<$to>", 'DATA', "Subject: Welcome\\r\\n\\r\\n482913\\r\\n."] as $line) {
        fgets($socket);
        fwrite($socket, "$line\\r\\n");
    }
    fgets($socket);
}
final class SignUpTest extends PHPUnit\\Framework\\TestCase
{
${await recipe("docs/frameworks.md", "php", "function testSignUp")}
}`;
    await runsTwice(code, /^ {4}signUp\(\$to\);$/m, ["near_misses"], async (run) => {
      await Bun.write(join(project, "SignUpTest.php"), run);
      return runIn(project, ["phpunit", "SignUpTest.php"], environment);
    });
  });

  test.skipIf(!Bun.which("go"))("Go", async () => {
    const code = `package app
import ("fmt"; "io"; "net/http"; "net/smtp"; "net/url"; "os"; "strings"; "testing"; "time")
func signUp(to string) {
	mail := []byte("Subject: Welcome\\r\\n\\r\\n482913\\r\\n")
	if err := smtp.SendMail("127.0.0.1:${server.smtpPort}", nil, "app@example.com", []string{to}, mail); err != nil {
		panic(err)
	}
}
${await recipe("docs/frameworks.md", "go", "func TestSignUp")}`;
    await runsTwice(code, /^\tsignUp\(to\)$/m, ["near_misses"], async (run) => {
      await Bun.write(join(project, "app_test.go"), run);
      await Bun.write(join(project, "go.mod"), "module app\n");
      return runIn(project, ["go", "test", "-count=1", "."], environment);
    });
  });

  test("the example of docs/client.md", async () => {
    const code = await recipe("docs/client.md", "js", "const inbox = connect()");
    await runsTwice(code, /await signUp\(.*\);/, ["No mail to ann@example.com"], async (run) => {
      await Bun.write(join(project, "example.js"), run);
      return runIn(project, [process.execPath, "example.js"], environment);
    });
  });
});
