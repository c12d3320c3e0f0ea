import { describe, expect, it } from '@jest/globals';
import type { EmbedOptions, Embeddings } from '../domain/embeddings.ts';
import { vectorOfQuestion } from './question-vector.ts';

describe('what a question means', () => {
  const never = { model: 'm', embed: () => new Promise<readonly Float32Array[]>(() => undefined) };
  const asked = (embeddings: Embeddings, mode: 'hybrid' | 'semantic' | 'keyword', signal?: AbortSignal) => {
    const logged: object[] = [];
    const ports = { embeddings, logger: { warn: (fields: object) => void logged.push(fields) }, vectorTimeoutMs: 20 };
    const vector = vectorOfQuestion(ports, 'org_1', { text: 'bees', mode, limit: 1 }, signal);
    return { vector, logged };
  };

  it('is not waited for longer than it is worth where there are words as well', async () => {
    const { vector, logged } = asked(never, 'hybrid');
    expect(await vector).toBeUndefined();
    expect(logged).toMatchObject([{ event: 'search.embedding_failed' }]);
  });

  it('is waited for where there is nothing else to go by, until nobody wants it any more', async () => {
    const gone = new AbortController();
    const heeding = {
      model: 'm',
      embed: (_texts: readonly string[], { signal }: EmbedOptions) =>
        new Promise<readonly Float32Array[]>((_, reject) =>
          signal?.addEventListener('abort', () => reject(new Error('aborted'))),
        ),
    };
    const { vector } = asked(heeding, 'semantic', gone.signal);
    const outcome = Promise.race([
      vector.catch(() => 'refused'),
      new Promise((later) => setTimeout(later, 60, 'waits')),
    ]);
    expect(await outcome).toBe('waits');
    gone.abort(new Error('nobody wants it'));
    await expect(vector).rejects.toThrow('nobody wants it');
  });

  it('is what the encoder says, and nothing that is asked for by words alone', async () => {
    const vector = Float32Array.of(1);
    const quick = { model: 'm', embed: () => Promise.resolve([vector]) };
    expect(await asked(quick, 'hybrid').vector).toBe(vector);
    expect(await asked(quick, 'keyword').vector).toBeUndefined();
  });
});
