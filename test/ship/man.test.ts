import { describe, expect, test } from "bun:test";
import { manPage } from "../../src/cli/commands/help.ts";
import { runCli } from "../../src/cli/index.ts";
import { COMMANDS } from "./commands.ts";

const page = manPage(COMMANDS);

describe("the manual page", () => {
  test("opens with a title and a name that whatis can read", () => {
    expect(page).toStartWith(".TH MAILKEEP 1 ");
    expect(page).toContain(".SH NAME\nmailkeep \\- every mail your code sends, kept\n");
  });

  test("describes every setting with its default", () => {
    expect(page).toMatch(/^ {2}\\-\\-smtp\\-port <port> +Port for SMTP; 0 picks a free one \[1025\]$/m);
    expect(page).toContain("MAILKEEP_SMTP_PORT");
  });

  test("has no line that roff takes for an unknown request", () => {
    const requests = new Set(page.split("\n").flatMap((line) => /^\.\w*/.exec(line)?.[0] ?? []));
    expect([...requests].sort()).toEqual([".SH", ".SS", ".TH", ".fi", ".in", ".nf"]);
  });

  test.skipIf(!Bun.which("groff"))(
    "of the real commands is formatted by groff without a warning",
    async () => {
      const printed: string[] = [];
      const out = (text: string) => void printed.push(text);
      const code = await runCli({
        args: ["man"],
        environment: {},
        out,
        err: out,
        input: async () => new Uint8Array(),
      });
      const { stdout, stderr } = Bun.spawnSync(["groff", "-man", "-Kutf8", "-Tutf8", "-P-cbou", "-ww"], {
        stdin: Buffer.from(printed.join("")),
      });
      expect({ code, err: stderr.toString() }).toEqual({ code: 0, err: "" });
      expect(stdout.toString()).toContain("Exit code:");
      const tooLong = stdout
        .toString()
        .split("\n")
        .filter((line) => line.length > 80);
      expect(tooLong).toEqual([]);
    },
  );
});
