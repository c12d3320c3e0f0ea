import { setTimeout as delay } from 'node:timers/promises';

export interface Task {
  readonly does:
    | 'answer'
    | 'never ends'
    | 'takes memory'
    | 'calls itself'
    | 'fails'
    | 'waits'
    | 'waits a while'
    | 'works a while';
  readonly text?: string;
}

/**
 * Answers its text, or does what a task of a customer may do instead.
 *
 * @public Loaded by its URL.
 */
export default function work({ does, text = '' }: Task): string | Promise<string> {
  if (does === 'waits') return delay(60_000, text, { ref: false });
  if (does === 'waits a while') return delay(600, text);
  if (does === 'works a while') return workFor(200, text);
  if (does === 'fails') throw new Error(`cannot do ${text}`);
  if (does === 'calls itself') return withoutEnd(text);
  const held: unknown[] = [];
  while (does === 'never ends' || does === 'takes memory') {
    if (does === 'takes memory') held.push(Array.from({ length: 10_000 }, () => ({})));
  }
  return text;
}

const withoutEnd = (text: string): string => withoutEnd(text) + text;

/** Of processor time, in milliseconds. */
function workFor(ms: number, text: string): string {
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  };
  const begun = used();
  while (used() - begun < ms * 1000);
  return text;
}
