// `bun scripts/formula.ts [SHA256SUMS] > mailkeep.rb`: makes the Homebrew formula from a release's sums.
import { join } from "node:path";
import { parseSums, SUMS_FILE } from "./release/sums.ts";
import { TARGETS } from "./release/targets.ts";

const REPOSITORY = "https://github.com/mailkeep/mailkeep";

/** The SHA-256 sum of each download, by its file name. */
type Sums = ReadonlyMap<string, string>;

/** Homebrew also serves old Intel processors, so Linux gets the build that needs no AVX2. */
const DOWNLOADS = {
  on_macos: { on_arm: "macos-arm64", on_intel: "macos-x64" },
  on_linux: { on_arm: "linux-arm64", on_intel: "linux-x64-baseline" },
} as const;

const NAME = new RegExp(
  `^mailkeep-(.+)-(?:${TARGETS.map(({ name }) => name).join("|")})\\.(?:tar\\.gz|zip)$`,
);

function versionOf(sums: Sums): string {
  const found = new Set([...sums.keys()].flatMap((file) => NAME.exec(file)?.[1] ?? []));
  const [version, ...others] = found;
  if (version === undefined) throw new Error(`${SUMS_FILE} names no download of Mailkeep`);
  if (others.length > 0) throw new Error(`${SUMS_FILE} has several versions: ${[...found].join(", ")}`);
  return version;
}

const fileOf = (version: string, target: string) => `mailkeep-${version}-${target}.tar.gz`;

function refuseMissing(version: string, sums: Sums): void {
  const needed = Object.values(DOWNLOADS).flatMap((cpus) => Object.values(cpus));
  const missing = needed.map((target) => fileOf(version, target)).filter((file) => !sums.has(file));
  if (missing.length > 0) throw new Error(`${SUMS_FILE} has no line for ${missing.join(", ")}`);
}

function downloads(version: string, sums: Sums): string {
  const block = ([cpu, target]: [string, string]) => `    ${cpu} do
      url "${REPOSITORY}/releases/download/v${version}/${fileOf(version, target)}"
      sha256 "${sums.get(fileOf(version, target))}"
    end`;
  return Object.entries(DOWNLOADS)
    .map(([os, cpus]) => `  ${os} do\n${Object.entries(cpus).map(block).join("\n")}\n  end`)
    .join("\n\n");
}

export function formula(sums: Sums): string {
  const version = versionOf(sums);
  refuseMissing(version, sums);
  return `# Made by scripts/formula.ts of ${REPOSITORY}
class Mailkeep < Formula
  desc "Mail catcher for development and tests: every mail your code sends, kept"
  homepage "${REPOSITORY}"
  version "${version}"
  license "MIT"

${downloads(version, sums)}

  def install
    bin.install "mailkeep"
    generate_completions_from_executable(bin/"mailkeep", "completions")
    (man1/"mailkeep.1").write Utils.safe_popen_read(bin/"mailkeep", "man")
  end

  service do
    run [opt_bin/"mailkeep", "serve", "--data-dir", var/"mailkeep"]
    keep_alive true
    log_path var/"log/mailkeep.log"
    error_log_path var/"log/mailkeep.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mailkeep --version")

    smtp_port = free_port
    http_port = free_port
    url = "http://127.0.0.1:#{http_port}"
    server = spawn bin/"mailkeep", "serve", "--ephemeral",
                   "--smtp-port", smtp_port.to_s, "--http-port", http_port.to_s
    begin
      system bin/"mailkeep", "health", "--url", url, "--wait", "30s"
      (testpath/"mail.eml").write "Subject: Hello\\r\\n\\r\\nIt works.\\r\\n"
      system "curl", "--silent", "--fail", "smtp://127.0.0.1:#{smtp_port}", "--mail-from", "me@example.com",
             "--mail-rcpt", "you@example.com", "--upload-file", testpath/"mail.eml"
      assert_match "\\"count\\":1", shell_output("curl -sf '#{url}/api/v1/assert/count?min=1&subject=hello'")
    ensure
      Process.kill "TERM", server
      Process.wait server
    end
  end
end
`;
}

if (import.meta.main) {
  const path = process.argv[2] ?? join(import.meta.dir, "..", "dist", "release", SUMS_FILE);
  try {
    process.stdout.write(formula(parseSums(await Bun.file(path).text())));
  } catch (error) {
    console.error(`formula: ${path}: ${(error as Error).message}`);
    process.exit(1);
  }
}
