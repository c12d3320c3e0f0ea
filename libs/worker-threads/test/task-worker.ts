export interface Task {
  readonly does: 'answer' | 'never ends' | 'takes memory' | 'calls itself' | 'fails';
  readonly text?: string;
}

/**
 * Answers its text, or does what a task of a customer may do instead.
 *
 * @public Loaded by its URL.
 */
export default function work({ does, text = '' }: Task): string {
  if (does === 'fails') throw new Error(`cannot do ${text}`);
  if (does === 'calls itself') return work({ does, text }) + text;
  const held: unknown[] = [];
  while (does === 'never ends' || does === 'takes memory') {
    if (does === 'takes memory') held.push(Array.from({ length: 10_000 }, () => ({})));
  }
  return text;
}
