import { execFileSync } from 'node:child_process';
import path from 'node:path';

const binary = path.join(import.meta.dirname, '../../../node_modules/.bin/buf');

/** Runs buf and answers what it prints. Throws with its findings when it is not content. */
export function buf(...parameters: string[]): string {
  try {
    return execFileSync(binary, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`buf ${parameters[0] ?? ''}: ${[stdout, stderr].join('').trim()}`, { cause: error });
  }
}
