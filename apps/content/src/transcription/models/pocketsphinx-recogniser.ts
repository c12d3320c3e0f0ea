import { upstreamFailed } from '@platform-backend/core';
import { join } from 'node:path';
import type { RunProgram } from '../../sandbox/models/run-program.ts';
import { requireEnglish, type SpeechRecogniser } from '../domain/speech.ts';
import { decodeSound } from './decode-sound.ts';
import { noPocketsphinx, pocketsphinxModels, requirePocketsphinx } from './installed-programs.ts';
import { inScratchFolder } from './scratch-folder.ts';

/** It takes a quarter of the time that the sound takes, so longer ones would keep everybody waiting. */
const maxSegmentSeconds = 600;

/**
 * What is left where nothing better is there: Debian's pocketsphinx with its English model. Its answers are poor: most
 * words are others than those that were spoken.
 */
export const pocketsphinxRecogniser = (run: RunProgram, maxSeconds: number): SpeechRecogniser => ({
  engine: 'pocketsphinx',
  slots: 1,
  requireInstalled: requirePocketsphinx,
  transcribe: (sound, { language, signal, begin } = {}) =>
    inScratchFolder(async (folder) => {
      requireEnglish(language);
      const path = join(folder, 'sound.wav');
      const seconds = await decodeSound(run, sound, path, {
        as: 'wav',
        maxSeconds: Math.min(maxSeconds, maxSegmentSeconds),
        signal,
      });
      await begin?.(seconds);
      const { status, stdout, stderr } = await run('pocketsphinx_continuous', {
        args: ['-infile', path, '-logfn', '/dev/null'],
        readable: [path, pocketsphinxModels()].filter((one) => one !== undefined),
        fileBytes: 0,
        timeoutMs: 10 * 60_000,
        signal,
        missing: noPocketsphinx,
      });
      if (status !== 0) throw upstreamFailed(new Error(`pocketsphinx: ${status} ${stderr.slice(-2000)}`));
      const text = stdout.split('\n').map((line) => line.trim());
      return { text: text.filter((line) => line !== '').join(' '), seconds, language: 'en', segments: [] };
    }),
});
