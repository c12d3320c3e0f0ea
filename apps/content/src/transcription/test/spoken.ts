import { missingPrograms } from '@platform-backend/system-programs';
import type { Lack } from '@platform-backend/testing/where';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasFfmpeg, hasPocketsphinx } from '../models/installed-programs.ts';

export const noFfmpeg: Lack = hasFfmpeg() ? undefined : 'ffmpeg is not installed';
export const noPocketsphinx: Lack = hasPocketsphinx() ? undefined : 'pocketsphinx is not installed with its model';
/** Which makes what is spoken in tests. */
export const noVoice: Lack = missingPrograms('espeak-ng');

export interface Folder {
  readonly path: string;
  /** A sentence spoken by a synthetic voice, as a WAV file. */
  speak(sentence: string): string;
  /** The sound in another format, by the extension of the name. */
  convert(source: string, name: string): string;
  /** What ffmpeg makes of a description, `anullsrc` or `anoisesrc`. */
  generate(source: string, seconds: number, name: string): string;
  /** Sounds after one another. */
  join(sources: readonly string[], name: string): string;
}

export function soundFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'spoken-'));
  let count = 0;
  const ffmpeg = (...args: string[]) => execFileSync('ffmpeg', ['-nostdin', '-v', 'error', ...args]);
  return {
    path,
    speak(sentence) {
      const file = join(path, `spoken-${(count += 1)}.wav`);
      execFileSync('espeak-ng', ['-v', 'en-us', '-s', '150', '-w', file, sentence]);
      return file;
    },
    convert(source, name) {
      ffmpeg('-i', source, join(path, name));
      return join(path, name);
    },
    generate(source, seconds, name) {
      ffmpeg('-f', 'lavfi', '-i', source, '-t', String(seconds), join(path, name));
      return join(path, name);
    },
    join(sources, name) {
      const inputs = sources.flatMap((source) => ['-i', source]);
      ffmpeg(...inputs, '-filter_complex', `concat=n=${sources.length}:v=0:a=1`, join(path, name));
      return join(path, name);
    },
  };
}

/** Letters and digits alone, so that `12%` and `12 percent` differ, and `Revenue grew.` and `revenue grew` do not. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** Share of the expected words that were heard, in any place. */
export function heardShare(heard: string, expected: string): number {
  const left = wordsOf(heard);
  const words = wordsOf(expected);
  const found = words.filter((word) => {
    const at = left.indexOf(word);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
  return found.length / words.length;
}
