// Every transcript is played turn by turn, whole, byte by byte, and cut in two at every byte. Each time the session
// must do the same things in the same order.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Answering, Player } from "./transcript-player.ts";
import { parseTranscripts, type Transcript } from "./transcript-reader.ts";

const FOLDER = join(import.meta.dir, "transcripts");

/** `pieces` cuts the bytes between two handshakes. */
function play(transcript: Transcript, answering: Answering, pieces: (input: Buffer) => Buffer[]): string[] {
  const player = new Player(transcript.settings, answering);
  for (const [index, segment] of transcript.segments.entries()) {
    if (index > 0) player.session.tlsStarted();
    const input = Buffer.concat(segment.map((turn) => turn.input));
    for (const piece of pieces(input)) {
      player.session.push(Buffer.from(piece));
      while (player.session.readChunk());
    }
    player.answerAll();
  }
  return player.takeLog();
}

function playByTurns(transcript: Transcript): string[][] {
  const player = new Player(transcript.settings, "at once");
  return transcript.segments.flatMap((segment, index) => {
    if (index > 0) player.session.tlsStarted();
    return segment.map((turn) => {
      // A copy, because the session may change the bytes.
      player.feed(Buffer.from(turn.input));
      return player.takeLog();
    });
  });
}

const bytesOf = (input: Buffer) => Array.from(input, (_, index) => input.subarray(index, index + 1));

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".md") && name !== "README.md")) {
  describe(file, () => {
    for (const transcript of parseTranscripts(readFileSync(join(FOLDER, file), "utf8"))) {
      const turns = transcript.segments.flat();
      const expected = turns.flatMap((turn) => turn.expected);

      test(transcript.name, () => {
        expect(playByTurns(transcript)).toEqual(turns.map((turn) => turn.expected));
        expect(play(transcript, "at once", (input) => [input])).toEqual(expected);
        expect(play(transcript, "later", (input) => [input])).toEqual(expected);
        expect(play(transcript, "at once", bytesOf)).toEqual(expected);
        expect(play(transcript, "later", bytesOf)).toEqual(expected);
      });

      test(`${transcript.name}, cut in two at every byte`, () => {
        const longest = Math.max(
          ...transcript.segments.map((s) => s.reduce((n, t) => n + t.input.length, 0)),
        );
        for (let cut = 1; cut < longest; cut++) {
          const halves = (input: Buffer) => [input.subarray(0, cut), input.subarray(cut)];
          const answering: Answering = cut % 2 === 0 ? "at once" : "later";
          if (!Bun.deepEquals(play(transcript, answering, halves), expected)) {
            expect({ cut, log: play(transcript, answering, halves) }).toEqual({ cut, log: expected });
          }
        }
      });
    }
  });
}
