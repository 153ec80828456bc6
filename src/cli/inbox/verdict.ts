// The verdict of `wait` and `assert` as text for people, JSON for programs, JUnit for CI servers.

export interface Verdict {
  readonly command: "wait" | "assert";
  /** "exactly 1 mail to ann@example.com" */
  readonly expectation: string;
  /** An error says nothing about the expectation: the server could not be asked. */
  readonly result: "holds" | "fails" | "error";
  /** For a person; of a failure the whole story. */
  readonly text: string;
  /** For a program: the API's answer. */
  readonly answer: object;
  readonly seconds: number;
}

export type VerdictFormat = "text" | "json" | "junit";

export interface VerdictOutput {
  readonly stdout: string;
  readonly stderr: string;
}

const NOT_IN_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeXml = (text: string) =>
  text.replace(NOT_IN_XML, "\ufffd").replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);

function junit({ command, expectation, result, text, seconds }: Verdict): string {
  const time = seconds.toFixed(3);
  const counts = `tests="1" failures="${result === "fails" ? 1 : 0}" errors="${result === "error" ? 1 : 0}" time="${time}"`;
  const element = result === "fails" ? "failure" : "error";
  const [firstLine = ""] = text.split("\n");
  const problem = `\n      <${element} message="${escapeXml(firstLine)}">${escapeXml(text)}</${element}>\n    `;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="mailkeep ${command}" ${counts}>
    <testcase classname="mailkeep.${command}" name="${escapeXml(expectation)}" time="${time}">${result === "holds" ? "" : problem}</testcase>
  </testsuite>
</testsuites>
`;
}

/** JSON and JUnit go to standard output whatever the verdict; as text, a failure goes to standard error. */
export function formatVerdict(verdict: Verdict, format: VerdictFormat): VerdictOutput {
  const { text, answer, result } = verdict;
  if (format === "junit") return { stdout: junit(verdict), stderr: "" };
  if (format === "json") return { stdout: `${JSON.stringify(answer)}\n`, stderr: "" };
  if (result === "holds") return { stdout: `✓ ${text}\n`, stderr: "" };
  return { stdout: "", stderr: `✗ ${text}\n` };
}
