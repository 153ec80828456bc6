// `bun scripts/formula.ts [SHA256SUMS] > mailkeep.rb`: makes the Homebrew formula from a release's sums.
import { join } from "node:path";
import { VERSION } from "../src/cli/version.ts";
import { parseSums, SUMS_FILE } from "./release/sums.ts";

const REPOSITORY = "https://github.com/mailkeep/mailkeep";

export interface Release {
  readonly version: string;
  /** Name of the download → its sum. */
  readonly sums: ReadonlyMap<string, string>;
}

/** Homebrew also serves old Intel processors, so Linux gets the build that needs no AVX2. */
const DOWNLOADS = {
  on_macos: { on_arm: "macos-arm64", on_intel: "macos-x64" },
  on_linux: { on_arm: "linux-arm64", on_intel: "linux-x64-baseline" },
} as const;

function download({ version, sums }: Release, cpu: string, target: string): string {
  const file = `mailkeep-${version}-${target}.tar.gz`;
  const sum = sums.get(file);
  if (sum === undefined) throw new Error(`${SUMS_FILE} has no line for ${file}`);
  return `    ${cpu} do
      url "${REPOSITORY}/releases/download/v${version}/${file}"
      sha256 "${sum}"
    end`;
}

function downloads(release: Release): string {
  return Object.entries(DOWNLOADS)
    .map(([os, cpus]) => {
      const blocks = Object.entries(cpus).map(([cpu, target]) => download(release, cpu, target));
      return `  ${os} do\n${blocks.join("\n")}\n  end`;
    })
    .join("\n\n");
}

export function formula(release: Release): string {
  return `# Made by scripts/formula.ts of ${REPOSITORY}
class Mailkeep < Formula
  desc "Mail catcher for development and tests: every mail your code sends, kept"
  homepage "${REPOSITORY}"
  version "${release.version}"
  license "MIT"

${downloads(release)}

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
  console.log(formula({ version: VERSION, sums: parseSums(await Bun.file(path).text()) }).trimEnd());
}
