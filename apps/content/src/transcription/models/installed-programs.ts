import type { DomainError } from '@platform-backend/core';
import { findOnPath } from '@platform-backend/system-programs';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transcriptionNotInstalled } from '../domain/errors.ts';

/** On the PATH of this process unless another one is given. */
export const hasFfmpeg = (PATH = process.env['PATH'] ?? ''): boolean => findOnPath('ffmpeg', { PATH }) !== undefined;

/** With its model of English, which lies beside it and is a package of its own in Debian. */
export function hasPocketsphinx(PATH = process.env['PATH'] ?? ''): boolean {
  const models = pocketsphinxModels(PATH);
  return models !== undefined && existsSync(join(models, 'model/en-us'));
}

/** The folder of its models, whether they are there; undefined where the program is not. */
export function pocketsphinxModels(PATH = process.env['PATH'] ?? ''): string | undefined {
  const program = findOnPath('pocketsphinx_continuous', { PATH });
  return program && join(dirname(realpathSync(program)), '../share/pocketsphinx');
}

/** NOT_PROVIDED: ffmpeg is not installed. */
export function requireFfmpeg(): void {
  if (!hasFfmpeg()) throw noFfmpeg();
}

/** NOT_PROVIDED: ffmpeg or pocketsphinx is not installed. */
export function requirePocketsphinx(): void {
  requireFfmpeg();
  if (!hasPocketsphinx()) throw noPocketsphinx();
}

/** Says what to do, since whoever runs this platform is who reads it first. */
const notInstalled = (program: string, remedy: string): DomainError => transcriptionNotInstalled({ program, remedy });

export const noFfmpeg = (): DomainError => notInstalled('ffmpeg', 'apt-get install ffmpeg');

export const noPocketsphinx = (): DomainError =>
  notInstalled(
    'a recogniser',
    'npm run models -- install (best), TRANSCRIPTION_BASE_URL, or apt-get install pocketsphinx pocketsphinx-en-us',
  );
