// Completion for PowerShell 5.1 and later, through its native argument completer.
import type { CompletableCommand, CompletableFlag } from "./vocabulary.ts";

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
const words = (items: readonly string[]) => `@(${items.map(quote).join(", ")})`;

/** A flag is one of: a switch ($null), a path ('path'), free text (an empty list), a choice (its words). */
function flagValue({ value }: CompletableFlag): string {
  if (value.kind === "words") return words(value.words);
  if (value.kind === "path") return "'path'";
  return value.kind === "free" ? "@()" : "$null";
}

function commandEntry({ name, summary, flags, argument }: CompletableCommand): string {
  const entries = flags.map(
    (flag) =>
      `      ${quote(`--${flag.name}`)} = @{ Help = ${quote(flag.help)}; Value = ${flagValue(flag)} }`,
  );
  return `    ${quote(name)} = @{
      Help = ${quote(summary)}
      Words = ${words(argument.words)}
      Flags = [ordered]@{
${entries.map((entry) => `  ${entry}`).join("\n")}
      }
    }`;
}

export function powershellCompletion(commands: readonly CompletableCommand[]): string {
  return `# PowerShell completion for mailkeep, made by 'mailkeep completions powershell'
Register-ArgumentCompleter -Native -CommandName mailkeep -ScriptBlock {
  param($word, $ast, $position)
  $commands = [ordered]@{
${commands.map(commandEntry).join("\n")}
  }
  $given = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  $name = 'serve'
  if ($given.Count -gt 1 -and -not $given[1].StartsWith('-')) { $name = $given[1] }
  if (-not $commands.Contains($name) -or $given -contains '--') { return }
  $command = $commands[$name]
  function Offer($text, $help) {
    if ($text -like "$word*") {
      [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $help)
    }
  }
  $previous = $given[-1]
  if ($given.Count -gt 1 -and $command.Flags.Contains($previous)) {
    $value = $command.Flags[$previous].Value
    if ($value -is [string]) { return }
    if ($null -ne $value) {
      $value | ForEach-Object { Offer $_ $_ }
      return
    }
  }
  if ($given.Count -le 1 -and -not $word.StartsWith('-')) {
    $commands.GetEnumerator() | ForEach-Object { Offer $_.Key $_.Value.Help }
    return
  }
  $command.Words | ForEach-Object { Offer $_ $_ }
  $command.Flags.GetEnumerator() | ForEach-Object { Offer $_.Key $_.Value.Help }
}
`;
}
